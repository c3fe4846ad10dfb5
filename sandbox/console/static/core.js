// What the views share: the control API, drawing, navigation, forms and dialogs.
import { html, nothing } from "./lit/lit-html.js";
import { live } from "./lit/directives/live.js";
import { actionText, clockTime, fromJSON, plural, shortDay, span, subjectOf, tokens } from "./format.js";

// state is all that is shown. A function that changes it calls draw.
export const state = {
  path: "",
  query: new URLSearchParams(),
  run: "", // Of the server, in which the numbers of requests are unique.
  clock: null,
  keys: [],
  faults: [],
  codes: [], // Of errors of the API.
  routes: [], // Of the API, such as GET /account.
  snapshots: [], // Those that the page can restore, each from before an action.
  connected: true,
  isLost: false, // The connection was lost, and no response since has shown whether the server was restarted.
  all: { count: 0, failed: 0 }, // Of all requests in the journal.
  errors: {}, // By the id of a form or field: the refusal of what it sent.
  typed: {}, // By the id of a field: a value that is not saved yet.
  said: null, // The result of the last action.
  file: null, // An exported journal that is shown instead of the server's.
  entering: "", // Selector of what gets the focus when it is drawn.
};

// Refused is the error of an operation that the server refused.
class Refused extends Error {
  constructor(status, error) {
    const text = error.message.replace(`${error.field}: `, "");
    super(text[0].toUpperCase() + text.slice(1));
    this.status = status; // 0: the server does not respond.
    this.field = error.field; // The input that is wrong, if it is one.
  }
}

export const noResponse = "The sandbox does not respond: start it again";
const maxWait = 5000; // For a response of the control API, in ms.

// api calls an operation of the control API and returns its output.
async function api(method, path, body) {
  const options = { method, headers: {}, signal: AbortSignal.timeout(maxWait) };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response, text;
  try {
    response = await fetch("/_sandbox/" + path, options);
    text = await response.text();
  } catch (error) {
    if (error.name === "TimeoutError") setConnected(false); // Other errors end the stream too.
    throw new Refused(0, { message: noResponse });
  }
  if (!state.connected && (events?.readyState ?? EventSource.OPEN) === EventSource.OPEN) setConnected(true); // Otherwise the stream does, when it is open.
  const output = fromJSON(text); // Undefined: not of the control API.
  if (response.ok) return output;
  throw new Refused(response.status, output?.error ?? { message: text || `status ${response.status}` });
}

export const get = (path, query) => api("GET", path + toQuery(query));
export const post = (path, body) => api("POST", path, body);

// find is like get, and returns null for an id that the server does not have.
export const find = (path) => get(path).catch((error) => (error.status === 404 ? null : Promise.reject(error)));

// toQuery returns a query without its empty values.
export function toQuery(values = {}) {
  const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return set.length ? "?" + new URLSearchParams(set) : "";
}

let drawPage,
  connectionChanged,
  drawing = null;

// startDrawing draws by f from now on. change is called with "connected" when the server responds again.
export function startDrawing(f, change) {
  [drawPage, connectionChanged] = [f, change];
  draw();
}

// draw draws the page once, before the next frame, which a hidden page has when it is shown. The promise is resolved when it is drawn.
export function draw() {
  drawing ??= new Promise((resolve) => {
    requestAnimationFrame(() => {
      drawing = null;
      const keepFocus = focusKeeper(document.activeElement ?? document.body);
      try {
        drawPage();
        keepFocus();
      } finally {
        resolve(); // Also if the drawing fails: refresher waits for it.
      }
    });
  });
  return drawing;
}

// focusKeeper returns a function that gives the focus of an element to another one, if a drawing moved the element to
// another parent or removed it: to the element's card, row or pane. If there is none and keys are used, the next is the
// button with the same text in the row below or else above, the search field beside it, or the page's content. After a dangerous
// button, on which a second press must not do more, it is the button that undoes.
function focusKeeper(focused) {
  const place = focused.closest("[data-keep], .pane"),
    isDangerous = focused.matches(".danger"),
    rows = focused.closest("tr, li") && !place && !isDangerous ? [...document.querySelectorAll(":is(tr, li) button")].filter((b) => b.textContent === focused.textContent) : [],
    at = rows.indexOf(focused),
    others = [...rows.slice(at), ...rows.slice(0, at).reverse(), focused.closest("[role=search]")?.querySelector("[type=search]"), document.getElementById("main")],
    isByKey = focused.matches(":focus-visible");
  return () => {
    if (focused === document.body || document.activeElement !== document.body) return;
    const id = place?.dataset.keep,
      now = place && (id ? kept(id) : document.querySelector(".pane")),
      first = id && (now?.querySelector("[data-first]") ?? now?.querySelector("a"));
    const next = first || now || (isByKey && others.find((e) => e?.checkVisibility()));
    if (next) next.focus({ preventScroll: true });
    if (isByKey && isDangerous && !now) {
      state.entering = "#undo"; // The notice may come later.
      draw();
    }
  };
}

// kept returns the row or card of an id.
export const kept = (id) => document.querySelector(`[data-keep="${CSS.escape(id)}"]`);

// refresher returns a function that loads and draws. While it runs, further calls make one
// more run, which begins an interval after the last has been drawn. settled waits for the end of a run, if there is one.
export function refresher(load, interval = 250) {
  let running = null,
    again = false;
  const refresh = () => {
    again = true;
    running ??= (async () => {
      while (again) {
        again = false;
        try {
          await load();
        } catch (error) {
          if (state.connected || error.status !== 0) sayError(error); // A banner says that the connection is lost.
        }
        await draw();
        if (again) await new Promise((resolve) => setTimeout(resolve, interval));
      }
      running = null;
    })();
    return running;
  };
  return Object.assign(refresh, { settled: () => running });
}

let events = null,
  followed = null; // The filter, the position and the function of the last call of follow.

// follow calls change with the name and the data of each event that the server sends: entries
// that match the filter, and everything else. It replaces the stream of an earlier call. A hidden page
// has no stream, because a browser allows six connections to a server, and resumes when it is shown.
export function follow(filter, after, change) {
  events?.close();
  followed = [filter, after, change];
  if (document.hidden) return;
  events = new EventSource("/_sandbox/events" + toQuery({ ...filter, after }));
  for (const name of ["entries", "actions", "candidates", "changed", "reset"]) {
    events.addEventListener(name, (event) => {
      followed[1] = event.lastEventId || followed[1];
      change(name, JSON.parse(event.data)[name]);
    });
  }
  events.onopen = () => setConnected(true);
  events.onerror = () => setConnected(false);
}

// setConnected notes whether the server responds, and removes the messages that it did not.
function setConnected(isConnected) {
  if (isConnected && !state.connected) connectionChanged("connected");
  state.connected = isConnected;
  if (isConnected && state.said?.connection) state.said = null;
  for (const [id, error] of Object.entries(state.errors)) if (isConnected && error.status === 0) delete state.errors[id];
  draw();
}

addEventListener("pagehide", () => events?.close());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) events?.close();
  else if (followed) follow(...followed);
});

// shortTime returns a time of the clock's day without the day.
export const shortTime = (at) => (state.clock?.now.startsWith(at.slice(0, 10)) ? "" : shortDay(at) + " ") + clockTime(at);

export const titleOf = (organization) => organization || "organization default";

export async function loadKeys() {
  state.keys = (await get("keys")).keys;
  for (const k of state.keys) tokens[k.id] = k.token;
}

// organizations returns the first key of each organization.
export const organizations = () =>
  [...Map.groupBy(state.keys.filter((k) => k.live && k.state !== "revoked"), (k) => k.organization).values()].map(([first]) => first);

// visit shows another view or query, as a link to it would. Without push, Back skips the
// present one. While a file is shown, the query is not in the address, which would mean the server's requests.
export function visit(path, query = {}, push = true) {
  history[push ? "pushState" : "replaceState"](state.file && toQuery(query), "", path + (state.file ? "" : toQuery(query)));
  dispatchEvent(new Event("popstate"));
}

// setQuery changes members of the query.
export const setQuery = (changes, push = false) => visit(state.path, { ...Object.fromEntries(state.query), ...changes }, push);

// openFaults goes to the form of faults.
export function openFaults(link = linkTo("faults")) {
  state.entering = "#inject :checked";
  visit(link);
}

// linkTo returns the address of a view of the page.
export const linkTo = (view, query) => "/_sandbox/" + (view && "console/" + view) + toQuery(query);

// typedText returns what a search field shows: what is typed while it has the focus, or else what is searched for.
export const typedText = (name) =>
  document.activeElement?.matches(`input[name=${name}]`) ? document.activeElement.value : (state.query.get(name) ?? "");

// typed filters by what is typed into a field, a moment later.
export function typed({ target }, delay = 100) {
  draw();
  clearTimeout(typed.timer);
  typed.timer = setTimeout(() => setQuery({ [target.name]: target.value }), delay);
}

// textSearch returns a field that searches a view for a text.
export const textSearch = (label) =>
  html`<input type="search" name="text" placeholder=${label} aria-label=${label} .value=${typedText("text")} @input=${typed}>`;

// tell shows a message until it is closed or another one takes its place.
export function tell(text, more) {
  state.said = { text, ...more };
  draw();
}

// say shows the result of an action for a while, and as long as the notice has the pointer or the focus. undo is the id of
// the snapshot that its button, with a name, returns to.
export function say(text, undo, name) {
  tell(text, { undo, name });
  const { said } = state;
  const hide = () => state.said === said && (document.querySelector("#said:is(:hover, :focus-within)") ? setTimeout(hide, 1000) : hideSaid());
  setTimeout(hide, undo ? 10000 : 5000);
}

export function hideSaid() {
  state.said?.from?.focus();
  state.said = null;
  draw();
}

const loadSnapshots = async () => ({ snapshots: state.snapshots } = await get("journal", { limit: 1 }));

// change runs an action that changes the server's state, says done or what the server did, and offers to undo it. The action gets
// the snapshot, which the server forgets if nothing changed, as after a refusal.
export async function change(action, done) {
  const { id } = await post("snapshots");
  await action(id).finally(() => post(`snapshots/${id}/end`).catch(() => {})); // An action may have restored it.
  await loadSnapshots();
  const s = undoable(id),
    last = s?.actions.at(-1);
  say(typeof done === "function" ? done(last) : (done ?? actionText(last)), s?.id);
}

// undoable returns the snapshot with an id that can be restored, or the newest one.
export const undoable = (id) => (id ? state.snapshots.find((s) => s.id === id) : state.snapshots.at(-1));

// actionsSince returns the actions that a return to a snapshot undoes: those of the snapshot and of later ones.
export const actionsSince = (s) => state.snapshots.slice(state.snapshots.indexOf(s)).flatMap(({ actions }) => actions);

// textOf names the last of them in a few words. Their rows say more.
const textOf = (s, gone = actionsSince(s)) => briefText(gone.at(-1)) + (gone.length > 1 ? ` and ${gone.length - 1} more` : "");
const briefText = (a) => (a.id || a.fault ? actionText(a) : a.kind === "Clock moved" ? `${a.kind} by ${span(a.subject)}` : `${a.kind} ${subjectOf(a)}`.trim());

// undoName names what a return to a snapshot undoes.
export function undoName(s, name = "Undo") {
  const others = [s?.others && `${plural(s.others, "action")} of the control API`, s?.writes && `${plural(s.writes, "write")} of your program`].filter(Boolean);
  return name + (others.length ? `, with ${others.join(" and ")}` : "");
}

// undo returns to a snapshot. agreed is the snapshot whose name was shown. The page asks first without an id, which means the
// newest snapshot, and if the undo would remove more writes of programs or actions of others than that name said.
export const undo = (id, agreed) =>
  act(async () => {
    await loadSnapshots();
    const s = undoable(id);
    if (!s) return say("There is nothing to undo");
    if (!id || s.writes > (agreed?.writes ?? 0) || s.others > (agreed?.others ?? 0)) return say(`Undo: ${textOf(s)}?`, s.id);
    const text = textOf(s);
    await post(`snapshots/${s.id}/restore`);
    await loadSnapshots();
    const next = undoable();
    say(`${undoName(s, "Undone")}: ${text}`, next?.id, next && `Undo next: ${textOf(next)}`);
  });

// undoSaid presses the button of the notice, or undoes the last action.
export const undoSaid = () => undo(state.said?.undo, state.said?.undo && undoable(state.said.undo));

// sayError shows an error until it is closed or, without a connection, until the server is back.
export const sayError = (error) => tell(error.message, { bad: true, copy: error.text, from: error.from, connection: error.status === 0 });

// act runs an action that has no form. It shows done, or why the action was refused.
export async function act(action, done) {
  try {
    await action();
    if (done) say(done);
  } catch (error) {
    sayError(error);
  }
}

// drafts are what is typed into fields, by their ids. They survive a reload.
export const drafts = JSON.parse(sessionStorage.getItem("drafts") ?? "{}");

function setDraft(id, value) {
  drafts[id] = value;
  sessionStorage.setItem("drafts", JSON.stringify(drafts));
  draw();
}

// form returns a form of fields; those with more are folded. What is typed stays until the
// server accepts it; a refusal is shown beside its field. send gets the values. The form
// empties afterwards, except the fields that keep names. Forms with different subjects have different drafts.
export function form({ id, label, fields, button, send, subject = "", keep = [], kind = "" }) {
  const submit = async (event) => {
    event.preventDefault();
    const element = event.target;
    try {
      await send(valuesOf(element, fields));
      delete state.errors[id];
      for (const f of fields) if (!keep.includes(f.name)) setDraft(subject + id + "-" + f.name);
    } catch (error) {
      state.errors[id] = error;
    }
    await draw();
    element.querySelector("[aria-invalid=true]")?.focus();
  };
  const clear = ({ target }) => {
    delete state.errors[id];
    target.form.querySelector("input, select").focus();
    for (const f of fields) setDraft(subject + id + "-" + f.name);
  };
  const error = state.errors[id];
  const wrong = error && fields.filter((f) => f.name === error.field || error.field?.endsWith("." + f.name));
  const show = (f) => field(id, f, subject, wrong?.includes(f) ? error.message : "");
  const folded = fields.filter((f) => f.more);
  return html`<form id=${id} class=${"form " + kind} aria-label=${label} novalidate @submit=${submit}>
    ${fields.filter((f) => !f.more).map(show)}
    ${folded.length ? html`<details class="further" ?open=${!!wrong?.some((f) => f.more) || !!document.querySelector(`#${id} > .further`)?.open}><summary>More fields</summary><div class="form">${folded.map(show)}</div></details>` : nothing}
    <button>${button}</button><button type="button" class="plain clear" ?disabled=${!state.errors[id] && fields.every((f) => String(drafts[subject + id + "-" + f.name] ?? usual(f)) === usual(f))} @click=${clear}>Clear</button>
    ${error && !wrong.length ? html`<p class="error" role="alert">${error.message}</p>` : nothing}</form>`;
}

// usual returns the value of a field without a draft.
const usual = (f) => String(f.value ?? (f.type === "select" ? [f.options[0]].flat()[0] : ""));

// valuesOf returns the values of a form's fields that are not empty, and of required ones.
function valuesOf(element, fields) {
  const values = {};
  for (const f of fields) {
    const value = element.elements[f.name].value?.trim();
    if (f.type === "checks") values[f.name] = checked(element, f.name);
    else if (value !== "" || f.required) values[f.name] = f.number && value !== "" ? Number(value) : value;
  }
  return values;
}

// checked returns the values of the checked boxes of a name.
const checked = (element, name) => [...element.querySelectorAll(`[name=${name}]:checked`)].map((box) => box.value);

// checks returns a group of boxes. Their draft has the values of the checked ones.
function checks({ name, label, options }, id, draftID) {
  const box = ([value, text]) => html`<label><input id=${id + "-" + value} type="checkbox" name=${name} value=${value}
    .checked=${live((drafts[draftID] ?? []).includes(value))}>${text}</label>`;
  return html`<div class="line wide" role="group" aria-label=${label} @change=${({ currentTarget }) => setDraft(draftID, checked(currentTarget, name))}>${label}: ${options.map(box)}</div>`;
}

// radios returns a group of radio buttons.
function radios({ name, label, options }, id, draftID, chosen) {
  const radio = (value) => html`<label><input type="radio" name=${name} value=${value} .checked=${live(value === chosen)} @change=${() => setDraft(draftID, value)}>${value}</label>`;
  return html`<fieldset id=${id} class="radios"><legend>${label}</legend>${options.map(radio)}</fieldset>`;
}

// field returns a labelled input with its error.
function field(formID, f, subject, error) {
  const id = formID + "-" + f.name;
  if (f.type === "radios") return radios(f, id, subject + id, String(drafts[subject + id] ?? usual(f)));
  if (f.type === "checks") return checks(f, id, subject + id);
  return html`<label class=${`field ${f.type ?? "text"} ${f.kind ?? ""}`}>
    <span>${f.label}</span>${input(f, id, formID, subject + id, error)}${problem(id, error)}</label>`;
}

export const problem = (id, error) => error ? html`<small class="error" id=${id + "-error"} role="alert">${error}</small>` : nothing;

// input returns the input of a field. Its value is the draft, or else the usual one.
function input(f, id, formID, draftID, error) {
  const value = String(drafts[draftID] ?? usual(f)),
    invalid = error ? "true" : nothing,
    described = error ? id + "-error" : nothing,
    type = ({ target }) => {
      if (error) delete state.errors[formID];
      setDraft(draftID, target.value);
    };
  if (f.type === "select")
    return html`<select id=${id} name=${f.name} aria-describedby=${described} aria-invalid=${invalid}
      .value=${live(value)} @change=${type}>${options(f.options, value)}</select>`;
  return html`<input id=${id} name=${f.name} type=${f.number ? "number" : "text"} step="any" autocomplete="off"
    placeholder=${f.placeholder ?? ""} list=${f.list ?? nothing} aria-describedby=${described} aria-invalid=${invalid}
    .value=${live(value)} @input=${type}>`;
}

// options returns the options of a select, given as values or as pairs of value and label.
export function options(all, selected = "") {
  const pairs = all.map((o) => (Array.isArray(o) ? o : [o, o]));
  return pairs.map(([value, label]) => html`<option value=${value} .selected=${value === selected}>${label}</option>`);
}

// lostPane says that what a link names is not there.
export const lostPane = (label, text, close) =>
  html`<section class="pane" aria-label=${label} tabindex="-1"><div class="title"><h2>${text}</h2>
    <button class="plain small" aria-label="Close (Esc)" @click=${close}>✕</button></div></section>`;

// copy puts a text on the clipboard. If the browser does not allow that, the message shows the text, selected.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    state.entering = "#to-copy";
    const from = document.activeElement; // Esc returns there.
    throw Object.assign(new Error("The browser does not let the page copy. Copy this text:"), { text, from });
  }
}

// copyButton returns a button that copies a text.
export function copyButton(text, label, name = "Copy") {
  const press = ({ currentTarget: button }) =>
    act(async () => {
      await copy(text);
      button.dataset.copied = "";
      setTimeout(() => delete button.dataset.copied, 1500);
    });
  return html`<button type="button" class="plain small copy" aria-label=${label} @click=${press}>${name}</button>`;
}

// isRead reports whether somebody reads an element, so that nothing in it may move: the pointer
// or the focus is in it, a part of it is scrolled or selected, or a finger may touch it.
export function isRead(element) {
  if (!element) return false;
  const selection = getSelection(),
    scrolled = [element, ...element.querySelectorAll("ol")].some((e) => e.scrollTop > 0);
  return (
    scrolled ||
    element.matches(":hover") ||
    element.contains(document.activeElement) ||
    (navigator.maxTouchPoints > 0 && matchMedia("(hover: none)").matches) || // A page cannot see a finger before it touches.
    (!selection.isCollapsed && element.contains(selection.anchorNode))
  );
}

// popup returns a button that opens a panel below it. Esc, which gives the focus back, and a click elsewhere close the panel.
export function popup(id, name, content, kind = "plain") {
  const open = ({ newState, target }) => {
    if (newState !== "open" || !target.isConnected) return void draw(); // What is typed is a draft from now on.
    const { left, bottom } = target.previousElementSibling.getBoundingClientRect();
    target.style.top = `${bottom + 4}px`;
    target.style.left = `${Math.max(8, Math.min(left, innerWidth - target.offsetWidth - 16))}px`;
    target.style.maxHeight = `${innerHeight - bottom - 12}px`;
    const fields = [...target.querySelectorAll("input, select, button")];
    (fields.find((f) => f.autofocus || (f.value === "" && f.matches("input"))) ?? fields[0]).focus({ preventScroll: true });
  };
  const leave = ({ relatedTarget: next, currentTarget }) => next && !currentTarget.contains(next) && next !== currentTarget.previousElementSibling && currentTarget.hidePopover();
  return html`<button type="button" class=${kind} popovertarget=${id}>${name}</button>
    <div popover id=${id} class="panel popup" @toggle=${open} @focusout=${leave}>${content}<button type="button" class="plain close" popovertarget=${id} popovertargetaction="hide">Close</button></div>`;
}

// choice returns a button that opens a menu, with more below it. A button in the menu runs its action; moving among them runs none.
export function choice(id, label, all, chosen, more = nothing) {
  const choose = ({ target }) => (closePopups(), chosen(target.value));
  const item = ([value, text]) => html`<button class="plain" value=${value} @click=${choose}>${text}</button>`;
  return popup(id, label + "…", html`<h2>${label}</h2><div class="line">${all.map(item)}</div>${more}`, "plain small");
}

// openPopup opens a panel by a key. The focus returns afterwards to the element that has it now, or else to the button.
export function openPopup(id) {
  const button = document.querySelector(`[popovertarget=${id}]`);
  if (document.activeElement === document.body) button?.focus();
  button?.click();
}

export const closePopups = () => document.querySelectorAll(":popover-open").forEach((p) => p.hidePopover());
