// Everything that the views share: the control API, drawing, navigation, forms and dialogs.
import { html, noChange, nothing, render } from "./lit/lit-html.js";
import { live } from "./lit/directives/live.js";
import { fromJSON } from "./format.js";

// state is all that is shown. A function that changes it calls draw.
export const state = {
  path: "", query: new URLSearchParams(), clock: null, settings: null, connected: true, failed: 0,
  errors: {}, // By the id of a form or field: the refusal of what it sent.
  typed: {}, // By the id of a field: a value that is not saved yet.
  said: null, // The result of the last action.
};

// Refused is the error of an operation that the server refused.
export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.field = error.field; // The input that is wrong, if it is one.
  }
}

// api calls an operation of the control API and returns its output.
export async function api(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response, text;
  try {
    response = await fetch("/_sandbox/" + path, options);
    text = await response.text();
  } catch {
    throw new Refused(0, { message: "the sandbox does not respond: start it again" });
  }
  const output = fromJSON(text); // Undefined: not of the control API.
  if (!response.ok) throw new Refused(response.status, output?.error ?? { message: text || `status ${response.status}` });
  return output;
}

export const get = (path, query) => api("GET", path + toQuery(query));
export const post = (path, body) => api("POST", path, body);

// find is like get, and returns null for an id that the server does not have.
export const find = (path) => get(path).catch((error) => {
  if (error.status !== 404) throw error;
  return null;
});

// parseField returns the value of a field with JSON.
export function parseField(name, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(new Error("write JSON: " + error.message), { field: name });
  }
}

// toQuery returns a query without its empty values. The organization with an empty name is
// one.
export function toQuery(values = {}) {
  const isSet = ([name, value]) => value !== undefined && value !== null && (value !== "" || name === "organization");
  const query = new URLSearchParams(Object.entries(values).filter(isSet)).toString();
  return query && "?" + query;
}

let drawPage, scheduled = null;

export function startDrawing(f) { drawPage = f; draw(); }

// draw draws the page once, before the next frame. The promise is resolved when it is drawn.
export function draw() {
  scheduled ??= new Promise((resolve) => {
    const later = document.hidden ? (f) => setTimeout(f, 200) : requestAnimationFrame;
    later(() => {
      scheduled = null;
      const focused = document.activeElement?.closest("[data-keep]")?.dataset.keep;
      drawPage();
      // An element that moved to another parent has lost the focus.
      if (focused && document.activeElement === document.body) {
        const moved = document.querySelector(`[data-keep="${CSS.escape(focused)}"]`);
        (moved?.querySelector("[data-first]") ?? moved)?.focus({ preventScroll: true });
      }
      resolve();
    });
  });
  return scheduled;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// refresher returns a function that loads and draws. While it runs, further calls make one
// more run, which begins after the last has been drawn.
export function refresher(load, interval = 250) {
  let running = null, again = false;
  return function refresh() {
    again = true;
    running ??= (async () => {
      while (again) {
        again = false;
        try {
          await load();
          if (state.said?.connection) state.said = null;
        } catch (error) {
          state.said = { text: error.message, bad: true, connection: error.status === 0 };
        }
        await draw();
        if (again) await sleep(interval);
      }
      running = null;
    })();
    return running;
  };
}

// follow calls change with the name and the data of each event of the server, and when it
// has connected again.
export function follow(position, change) {
  const events = new EventSource("/_sandbox/events?after=" + position);
  for (const name of ["entries", "changed", "reset"]) {
    events.addEventListener(name, (event) => change(name, JSON.parse(event.data)));
  }
  events.onopen = () => { state.connected = true; change("changed", { changed: ["clock"] }); };
  events.onerror = () => { state.connected = false; draw(); };
  // A browser keeps a page that was left, and allows six connections to a server.
  addEventListener("pagehide", () => events.close(), { once: true });
}

// visit shows another view or query, as a link to it would. Without push, Back skips the
// present one.
export function visit(path, query = {}, push = true) {
  history[push ? "pushState" : "replaceState"](null, "", path + toQuery(query));
  dispatchEvent(new Event("popstate"));
}

// setQuery changes members of the query.
export function setQuery(changes, push = false) {
  visit(state.path, { ...Object.fromEntries(state.query), ...changes }, push);
}

// typed filters by what is typed into a field, a moment later.
export function typed(event) {
  const { name, value } = event.target;
  clearTimeout(typed.timer);
  typed.timer = setTimeout(() => setQuery({ [name]: value }), 200);
}

// say shows the result of an action for a while. An error stays until it is closed.
export function say(text, bad = false) {
  const said = { text, bad };
  state.said = said;
  draw();
  if (!bad) setTimeout(() => { if (state.said === said) { state.said = null; draw(); } }, 5000);
}

// act runs an action that has no form. It shows done, or why the action was refused.
export async function act(action, done) {
  try {
    const result = await action();
    if (done) say(done);
    return result ?? true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}

// ask shows a dialog and returns whether the user agreed.
export function ask(question, explanation, button) {
  return new Promise((resolve) => {
    showDialog(html`<h2 id="dialog-title">${question}</h2><p>${explanation}</p>
      <form method="dialog" class="line"><button value="no" class="plain">Cancel</button><button value="yes" class="danger" autofocus>${button}</button></form>`,
    (answer) => resolve(answer === "yes"));
  });
}

export function showDialog(content, closed = () => {}) {
  const dialog = document.getElementById("dialog");
  if (dialog.open) dialog.close();
  dialog.returnValue = "";
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.onclose = () => { if (!dialog.open) closed(dialog.returnValue); }; // The event of an earlier dialog comes late.
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  render(content, dialog);
  dialog.showModal();
}

// form returns a form of fields; those with more are folded. What is typed stays until the
// server accepts it; a refusal is shown beside its field. send gets the values. The form
// empties afterwards unless keep is set.
export function form({ id, label, fields, button, send, keep = false, kind = "" }) {
  const submit = async (event) => {
    event.preventDefault();
    const element = event.target;
    try {
      await send(valuesOf(element, fields), element);
      delete state.errors[id];
      if (!keep) element.reset();
    } catch (error) {
      state.errors[id] = error;
    }
    await draw();
    element.querySelector("[aria-invalid=true]")?.focus();
  };
  const error = state.errors[id], wrong = error && fields.find((f) => f.name === error.field || error.field?.endsWith("." + f.name));
  const show = (f) => field(id, f, f === wrong ? error.message : "");
  const folded = fields.filter((f) => f.more);
  return html`<form id=${id} class=${"form " + kind} aria-label=${label} novalidate @submit=${submit}>${fields.filter((f) => !f.more).map(show)}
    <button>${button}</button>${error && !wrong ? html`<p class="error" role="alert">${error.message}</p>` : nothing}
    ${folded.length ? html`<details class="further" ?open=${!!wrong?.more}><summary>More fields</summary><div class="form">${folded.map(show)}</div></details>` : nothing}</form>`;
}

// valuesOf returns the values of a form's fields that are not empty, and of required ones.
function valuesOf(element, fields) {
  const values = {};
  for (const f of fields.filter((f) => !f.local)) {
    const input = element.elements[f.name], value = input.value.trim();
    if (f.type === "checkbox") {
      if (input.checked) values[f.name] = true;
    } else if (value !== "" || f.required) {
      values[f.name] = f.type === "number" && value !== "" ? Number(value) : value;
    }
  }
  return values;
}

// field returns a labelled input with its error. Its value is the first one, or with input
// the present one.
function field(formID, f, error) {
  const id = formID + "-" + f.name;
  return html`<label class=${`field ${f.type ?? "text"} ${f.kind ?? ""}`}><span>${f.label}${f.hint ? ` (${f.hint})` : ""}</span>
    ${input(f, id, error ? id + "-error" : nothing, error ? "true" : nothing)}${error ? html`<small class="error" id=${id + "-error"} role="alert">${error}</small>` : nothing}</label>`;
}

function input(f, id, described, invalid) {
  const value = f.value ?? "";
  switch (f.type) {
    case "select":
      return html`<select id=${id} name=${f.name} aria-describedby=${described} aria-invalid=${invalid} @change=${f.change}>${options(f.options, value)}</select>`;
    case "textarea":
      return html`<textarea id=${id} name=${f.name} rows="2" placeholder=${f.placeholder ?? ""} spellcheck="false" aria-describedby=${described} aria-invalid=${invalid} .defaultValue=${value}></textarea>`;
    case "checkbox":
      return html`<input id=${id} name=${f.name} type="checkbox" aria-describedby=${described} aria-invalid=${invalid}>`;
  }
  return html`<input id=${id} name=${f.name} type=${f.type ?? "text"} step="any" placeholder=${f.placeholder ?? ""} list=${f.list ?? nothing} autocomplete="off" aria-describedby=${described}
    aria-invalid=${invalid} .defaultValue=${value} .value=${f.input ? live(String(value)) : noChange} @input=${f.input}>`;
}

// options returns the options of a select, given as values or as pairs of value and label.
export function options(all, selected = "") {
  return all.map((o) => {
    const [value, label] = Array.isArray(o) ? o : [o, o];
    return html`<option value=${value} .selected=${String(value) === String(selected)}>${label}</option>`;
  });
}

// saved returns a number that is saved when it changes. News from the server do not replace
// what is typed while it has the focus, is being saved or was refused.
export function saved({ id, label, value, save }) {
  const error = state.errors[id];
  const change = async (event) => {
    try {
      state.typed[id] = event.target.value;
      await save(Number(event.target.value));
      forget(id);
      say(label + " saved");
    } catch (e) {
      state.errors[id] = e;
    }
    draw();
  };
  const bound = document.activeElement?.id === id ? document.activeElement.value : state.typed[id] ?? value;
  return html`<input class="number" id=${id} type="number" aria-label=${label} .value=${live(String(bound))} aria-invalid=${error ? "true" : nothing}
    aria-describedby=${error ? id + "-error" : nothing} @change=${change}>${error ? html`<small class="error" id=${id + "-error"} role="alert">${error.message}</small>` : nothing}`;
}

// forget removes the refusal of a field, and what was typed into it.
export function forget(id) {
  delete state.errors[id];
  delete state.typed[id];
}

// copyButton returns a button that copies a text.
export function copyButton(text, label, name = "Copy") {
  const copy = async (event) => {
    const button = event.currentTarget;
    await navigator.clipboard.writeText(text);
    button.dataset.copied = "";
    setTimeout(() => delete button.dataset.copied, 1500);
  };
  return html`<button type="button" class="plain small copy" aria-label=${label} @click=${copy}>${name}</button>`;
}

// chooseRow moves the focus by some rows within a list of links.
export function chooseRow(selector, by) {
  const rows = [...document.querySelectorAll(selector)];
  const at = rows.indexOf(document.activeElement?.closest(selector)), current = at < 0 ? rows.findIndex((r) => r.getAttribute("aria-current") === "true") : at;
  const row = rows[Math.max(0, Math.min(rows.length - 1, current < 0 ? 0 : current + by))];
  row?.focus();
  row?.scrollIntoView({ block: "nearest" });
  return row;
}
