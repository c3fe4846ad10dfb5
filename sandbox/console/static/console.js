// The page: its header with the clock, its views, navigation and shortcuts.
import { html, nothing, render } from "./lit/lit-html.js";
import { act, change, closePopups, draw, follow, get, hideSaid, loadKeys as readKeys, noResponse, openFaults, openPopup, options, popup, post, refresher, sayError, startDrawing, state, tell, titleOf, typed, undoName, undoSaid, undoable, visit } from "./core.js";
import { clockTime, dayOf, fullTime, middle, plural, shortDay, span, target } from "./format.js";
import { journal } from "./journal.js";
import { pipeline } from "./pipeline.js";
import { mailsPage } from "./mails.js";
import { faults } from "./faults.js";
import { isLow, keysPage } from "./keys.js";
import { examples } from "./search.js";

const views = [journal, pipeline, mailsPage, faults, keysPage];
const viewNow = () => views.find((v) => v.path === state.path) ?? journal;
for (const v of views) v.refresh = refresher(() => v.load(changed));

// readURL makes state of the URL, and loads what its view shows.
function readURL() {
  const before = state.path && viewNow();
  state.path = views.some((v) => v.path === location.pathname) ? location.pathname : journal.path;
  state.query = new URLSearchParams((state.file && history.state) ?? location.search);
  const view = viewNow();
  if (before !== view) {
    Object.assign(state, { errors: {}, typed: {} });
    if (!state.said?.bad && !state.said?.undo) state.said = null; // It was about the view that closes.
    if (before === journal) journal.forget();
    if (view !== journal) follow({}, null, changed); // The journal follows what matches its filter.
  }
  view.refresh();
  draw();
}

// The clock. Between two readings it goes on by itself, and is drawn alone.

const clock = { read: 0, text: "", step: "", preview: null, error: "" };
const now = () => new Date(Date.parse(state.clock.now) + performance.now() - clock.read).toISOString();

const loadClock = refresher(async () => {
  state.clock = await get("clock");
  clock.read = performance.now();
  if (clock.step || clock.text) preview();
});

const preview = refresher(async () => {
  clock.preview = await get("clock", target(clock.step || clock.text || "40d", now())).catch((error) => wrong(error) && { error: wrong(error) });
}, 150);

// wrong says why a text does not move the clock. The server knows durations alone. Without a connection it says nothing: a banner does, and a notice after an attempt.
const wrong = (error) => error.status !== 0 && (["seconds", "to"].includes(error.field) ? "This is no duration, time or date" : error.message);

// look previews what is typed, or the step of a button.
function look(text, step = "") {
  Object.assign(clock, { text, step, error: "" });
  preview();
}

async function advance(text) {
  try {
    await change(
      async () => {
        state.clock = await post("clock", target(text, now()));
        clock.read = performance.now();
        look("");
        document.getElementById("advance").blur(); // The next key is a shortcut.
      },
      (step) => `The clock is at ${fullTime(state.clock.now)}${step?.events ? ": " + plural(step.events, "event") : ""}`,
    );
    viewNow().refresh();
  } catch (error) {
    clock.error = wrong(error);
    if (!clock.error) sayError(error);
    draw();
  }
}

function drawClock() {
  const place = document.getElementById("now");
  if (!place || !state.clock || !state.connected) return;
  const ahead = state.clock.ahead >= 1 ? html` <small>${span(state.clock.ahead)} ahead</small>` : nothing;
  render(html`<span class="date"><span class="long">${dayOf(now()).slice(0, 5)}</span>${shortDay(now())}<span class="long">${dayOf(now()).slice(-5)}</span></span> <b>${clockTime(now())}</b> <span class="date long">UTC</span>${ahead}`, place);
}

// kinds name what happens and is no stage, once and several times.
const kinds = { report: ["late report ready", "late reports ready"], expires: ["invitation expires unused", "invitations expire unused"], key: ["key expires", "keys expire"], plan: ["used invitations of the plan go back to 0", "plans have all invitations again"],
  read: ["reads come back", "limits of reads begin anew"], write: ["writes come back", "limits of writes begin anew"] };

// happens shows the events of a kind on a day, with their subjects.
function happens(all) {
  const [{ at, kind }] = all,
    [one, several] = kinds[kind] ?? [kind, kind],
    nameOf = ({ subject }) => middle(state.keys.find((k) => k.id === subject)?.token ?? (kind === "plan" ? titleOf(subject) : subject), 40),
    subjects = [...Map.groupBy(all, nameOf)];
  return html`<li><time>${all.length > 1 ? dayOf(at) : fullTime(at)}</time><br><b>${all.length > 1 ? `${all.length.toLocaleString("en")} ${several}` : one}</b>: ${
    subjects.slice(0, 30).map(([name, { length }], i) => html`${i ? " · " : ""}<bdi>${name}</bdi>${length > 1 ? ` ×${length}` : ""}`)}${subjects.length > 30 ? ` and ${subjects.length - 30} more` : ""}</li>`;
}

function clockView() {
  const step = (text, label) => html`<button type="button" class="plain" aria-label=${"Advance the clock by " + label} aria-describedby="ahead"
    @mousedown=${(event) => event.preventDefault() /* The field keeps the focus. Without it, a narrow page hides the button. */} @pointerenter=${() => look(clock.text, text)} @focus=${() => look(clock.text, text)} @pointerleave=${() => look(clock.text)} @blur=${() => look(clock.text)}
    @click=${() => advance(text)}>+${label}</button>`;
  const submit = (event) => (event.preventDefault(), advance(clock.text));
  return html`<form class="clock" aria-label="Clock" novalidate @submit=${submit} @focusin=${draw} @focusout=${draw}>
    <span id="now" title="The sandbox's clock, in UTC"></span><span class="joined">${step("1h", "1 h")}${step("1d", "1 d")}
    <input id="advance" placeholder="+2d or 17:15" aria-label="Advance the clock by a duration or to a time"
      autocomplete="off" aria-invalid=${clock.error || clock.preview?.error ? "true" : nothing} aria-describedby="ahead" .value=${clock.text}
      @input=${(event) => look(event.target.value)} @focus=${() => look(clock.text)}
      @keydown=${(event) => event.key === "Escape" && look("")}></span>
    <div id="ahead" class="ahead" tabindex="0" role="region" aria-label="What happens until then" ?hidden=${!clock.text && !clock.error && !(clock.step && clock.preview) && !document.activeElement?.matches("#advance, #ahead")}>${aheadView()}</div>
  </form>`;
}

function aheadView() {
  const p = clock.preview,
    all = p?.upcoming ?? [],
    groups = [...Map.groupBy(all, ({ at, kind }) => dayOf(at) + kind).values()],
    forms = clock.step || (clock.text && p && !p.error) ? nothing : html`<p class="quiet">To move the clock, type +90s, +2h30m, +2d, 17:15 (the next one) or 2026-12-31 10:00.</p>`;
  if (clock.error || !p || p.error)
    return html`${clock.error ? html`<p class="error" role="alert">${clock.error}</p>` : p ? html`<p class="error">${p.error}</p>` : nothing}${forms}`;
  return html`<p>${clock.step ? "Advances to" : clock.text ? "Enter advances to" : "Next 40 days, until"} <b>${fullTime(p.until)}</b>: ${all.length ? plural(all.length, "event") : "nothing happens."}</p>
    ${all.length ? html`<ol>${groups.slice(0, 25).map(happens)}</ol>` : nothing}${groups.length > 25 ? html`<p>and ${all.length - groups.slice(0, 25).flat().length} more</p>` : nothing}${forms}`;
}

// The header.

// startOver is a menu. Opening it and choosing is enough of a question.
function startOver() {
  const item = (id, path, name, text, done) =>
    html`<button class="plain" id=${id} @click=${() => (closePopups(), act(() => change(() => post(path), done)))}>${name}</button><p class="quiet">${text}</p>`;
  return html`${item("clear", "journal/clear", "Clear the journal", "Nothing else changes.", "The journal is empty")}
    ${item("reset", "reset", "Reset everything", "Keys, rate limits, candidates, faults, journal and clock go back to the start. Undo brings them back.", "The sandbox is reset")}`;
}

function header() {
  const waiting = state.faults.filter((f) => f.waiting).length,
    low = state.keys.filter((k) => k.state === "valid" && [k.read, k.write].some(isLow)).length;
  const badge = (v, of, n, title) => (v === of && n ? html` <span class="badge" title=${title} aria-hidden="true">${n}</span><span class="gone">, ${n} ${title}</span>` : nothing);
  const link = (v) =>
    html`<a href=${v.path} aria-current=${v === viewNow() ? "page" : nothing}>${v.title}${badge(v, faults, waiting, "active")}${badge(v, keysPage, low, "with few requests left")}</a>`;
  return html`<a class="brand" href=${journal.path} aria-label="Hiring sandbox">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2f5bea"></rect><path d="M7 21h18v3a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2z" fill="#ffd27a"></path><path
        d="M10 21l6-11 6 11z" fill="#fff"></path><path d="M16 5v6l5-3z" fill="#ff8f70"></path></svg><b>Hiring sandbox</b></a>
    <nav aria-label="Views">${views.map(link)}</nav>${clockView()}
    <p class=${"link " + (state.connected ? "" : "lost")} role="status">
      ${state.connected ? "Live" : "Not connected"}</p>
    ${popup("start-over", "Reset…", startOver())}
    ${popup("help", html`<span aria-hidden="true">?</span><span class="gone">Colours and keyboard shortcuts</span>`, shortcuts(), "plain help")}`;
}

// useTheme sets the colours, which follow the system unless a theme is chosen.
function useTheme(name) {
  localStorage.setItem("theme", name);
  document.documentElement.dataset.theme = name;
}
useTheme(localStorage.getItem("theme") ?? "system");

// hasKeys reports whether keys with a character are shortcuts.
const hasKeys = () => localStorage.getItem("keys") !== "off";

function shortcuts() {
  const list = [
    ["j k h l or arrows", "next row, card or column; Home, End, PgUp and PgDn go far"], ["Enter", "open it and go into the pane"],
    ["Esc", "close the comparison, the pane or the notice; leave a field"], ["y", "copy the request as curl"], ["d", "compare it with the last success like it"], ["g", "groups of requests that are alike"],
    ["z", "undo the last action of the page, which a notice names first, then the one before"], ["f", "the form of faults, for the next of its route"], ["e", "only failed requests"], ["w", "only writes that were sent again"],
    ["i", "invite a candidate"], ["a", "add a result"], ["n", "show what is new"], ["c", "move the clock"],
    ["/", "search; ↓ and Enter choose a suggestion, Enter alone goes to the first result"],
    ["1 – 5", "journal, pipeline, mails, faults, keys"],
  ];
  const line = ([keys, what]) => html`<dt>${keys.split(" ").map((k) => (/^(or|arrows|–)$/.test(k) ? k + " " : html`<kbd>${k}</kbd> `))}</dt><dd>${what}</dd>`;
  return html`<h2>Keyboard shortcuts</h2><p class="line"><label><input id="single-keys" type="checkbox" .checked=${hasKeys()} @change=${({ target }) => localStorage.setItem("keys", target.checked ? "on" : "off")}> Single-key shortcuts</label></p><dl class="shortcuts">${list.map(line)}</dl>
    <h2>Marks</h2><p>Bars: blue succeeded, amber was refused (4xx), red failed (5xx, lost, reset or cut), grey is time without requests. ×5 are equal reads in a row, which → shows. ○ is what you did. ⚑ flagged integrity.</p>
    <h2>Search</h2><dl class="terms">${examples.map(([term, what]) => html`<dt><code>${term}</code></dt><dd>${what}</dd>`)}</dl>
    <p class="line"><label>Colours: <select id="theme" @change=${({ target }) => useTheme(target.value)}>${options(["system", "light", "dark"], localStorage.getItem("theme"))}</select></label></p>`;
}

const skeleton = document.querySelector(".skeleton"); // Of a view that is loading: later ones are shown after a moment.
skeleton.remove(); // The first drawing adds it again.

// drawPage draws everything. Only what differs is changed in the document.
function drawPage() {
  const view = viewNow(),
    { said } = state;
  const message = () => html`<p class=${said.bad ? "said bad" : "said"}><span>${said.text}</span>${said.copy ? html`<textarea id="to-copy" readonly rows="3" cols="60" aria-label="Text to copy" .value=${said.copy} @focus=${({ target }) => target.select()}></textarea>` : nothing}
    ${said.undo ? html`<button class="plain small" id="undo" @click=${undoSaid}><span>${undoName(undoable(said.undo), said.name)}</span> <kbd>z</kbd></button>` : nothing}
    <button class="plain small" aria-label="Close this message" @click=${hideSaid}>✕</button></p>`;
  document.body.dataset.view = view.name;
  const failures = state.all.failed ? `(${state.all.failed.toLocaleString("en")} failed) ` : "";
  document.title = failures + (view.heading?.() ?? view.title) + " · Hiring sandbox";
  render(header(), document.getElementById("header"));
  const content = view.view();
  render(content === nothing ? skeleton : content, document.getElementById("main"));
  if (content !== nothing) skeleton.classList.add("late");
  render(state.connected ? nothing : html`<p class="banner bad">${noResponse}, or let it go on if a debugger holds it. Searches and other views wait.</p>`, document.getElementById("lost"));
  render(said ? message() : nothing, document.getElementById("said"));
  drawClock();
  view.drawn?.();
  const entered = state.entering && document.querySelector(state.entering);
  if (entered) {
    state.entering = "";
    entered.focus({ preventScroll: true });
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const other = event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || event.defaultPrevented || other || link.hasAttribute("download")) return;
  if (!link.pathname.startsWith("/_sandbox/") || link.hash) return;
  event.preventDefault();
  const selection = getSelection();
  if (!selection.isCollapsed && link.contains(selection.anchorNode)) return; // The text of a row was selected.
  const isByKey = event.detail === 0 && link.closest("[data-keep], #fail-next");
  state.entering = !isByKey ? "" : link.closest(".groups") ? "#list [data-keep^=x]" : ".pane[data-ready], #inject :checked";
  visit(link.pathname, Object.fromEntries(new URLSearchParams(link.search)));
  if (event.detail === 0 && link.closest(".facts") && !link.search.includes("request=")) viewNow().refresh.settled().then(viewNow().enter); // A search closes the pane, and a link to a request opens one.
});

const [down, up, right, left] = [[0, 1], [0, -1], [1, 0], [-1, 0]];
const moves = {
  j: down, ArrowDown: down, k: up, ArrowUp: up, l: right, ArrowRight: right, h: left, ArrowLeft: left,
  PageDown: [0, 15], PageUp: [0, -15], Home: [0, -Infinity], End: [0, Infinity],
};

// move moves within the view's list. In the pane, the arrows scroll.
function move(key) {
  const view = viewNow(),
    inList = document.activeElement.matches("body, main, #list, .filters *, [data-keep], [data-keep] *");
  return !!view.move && moves[key] && (key.length === 1 || inList) && view.move(...moves[key]);
}

// enter goes from the search to the first result.
async function enter(input) {
  typed({ target: input }, 0);
  await new Promise((resolve) => setTimeout(resolve));
  await viewNow().refresh.settled();
  await viewNow().enter?.();
}

// openForm opens a form of the pipeline from any view.
async function openForm(key) {
  if (viewNow() !== pipeline) visit(pipeline.path);
  await pipeline.refresh.settled();
  pipeline.key(key);
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  state.entering = "";
  if (event.metaKey || event.ctrlKey || event.altKey || document.querySelector(":popover-open")) return;
  if (typing?.type === "search" && ["Enter", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    return void enter(typing);
  }
  if (event.key === "Escape" && typing) {
    event.preventDefault(); // The browser would empty a search field, and its filter would stay.
    return void (typing.id === "to-copy" ? hideSaid() : typing.blur());
  }
  if (typing || (event.key.length === 1 && !hasKeys())) return;
  const number = "12345".indexOf(event.key);
  if (event.key === "?") openPopup("help");
  else if (event.key === "c") document.getElementById("advance")?.focus();
  else if (event.key === "z") undoSaid();
  else if (event.key === "a" || event.key === "i") openForm(event.key);
  else if (event.key === "/") document.querySelector("input[type=search]")?.focus();
  else if (number >= 0) {
    visit(views[number].path);
    document.getElementById("main").focus();
  }
  else if (move(event.key) || viewNow().key?.(event.key)) event.preventDefault();
  else if (event.key === "Escape" && state.said) hideSaid();
  else if (event.key === "f" && !state.file) openFaults();
  else return;
  event.preventDefault();
});

// What the server's events change.

const loadFaults = refresher(async () => ({ faults: state.faults } = await get("faults")));

const loadKeys = refresher(readKeys);

// readCounts reads what every request changes: the rate limits of the keys, and statistics.
const readCounts = async () => {
  if (document.hidden) return;
  const [all] = await Promise.all([get("journal", { limit: 1 }), readKeys(), viewNow().count?.()]);
  ({ stats: state.all, snapshots: state.snapshots } = all);
  if (state.run && state.run !== all.run) changed("reset"); // Another server, which was started since.
  state.run = all.run;
  state.isLost = false;
};
const count = refresher(readCounts, 5000);

const loadAll = () => [loadClock, loadFaults, loadKeys].forEach((load) => load());

// changed handles an event of the server.
function changed(name, what) {
  const view = viewNow();
  if (name === "connected") {
    state.isLost = true;
    clock.error = "";
    loadAll();
    readCounts().catch(() => {}); // At once, so that a reset that follows is not taken for a restart.
    pipeline.forget();
    view.refresh();
  } else if (name === "reset") {
    state.run = "";
    loadAll();
    if (state.isLost) tell("The sandbox was started again: earlier requests are gone");
    journal.forget();
    pipeline.forget();
    state.isLost = false;
    view.refresh();
  } else if (name === "changed") {
    if (what.includes("clock")) loadClock();
    if (what.includes("faults")) loadFaults();
    if (what.includes("keys")) loadKeys();
    if (what.includes("journal")) journal.forget(), count();
    if (what.some((c) => view.changes.includes(c))) view.refresh();
  } else {
    if (name !== "candidates") count();
    view[name]?.(what);
  }
}

startDrawing(drawPage, changed);
loadAll();
readURL();
if (location.search || viewNow() !== journal) count(); // Otherwise the journal's first page has the numbers.
addEventListener("popstate", readURL);
addEventListener("resize", draw);
for (const name of ["beforeprint", "afterprint"]) addEventListener(name, () => ((state.isPrinting = name === "beforeprint"), drawPage()));
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  loadAll(); // A stream without a position has missed events.
  count();
  viewNow().refresh();
});
addEventListener("pageshow", (event) => event.persisted && location.reload());
setInterval(drawClock, 1000);
setInterval(() => document.hidden || loadClock(), 5000); // Also notices a server that hangs.
setInterval(() => {
  // What no event tells: other requests than the filter's, invitations that expire.
  if (document.hidden) return;
  count();
  viewNow().refresh();
}, 15000);
get("").then((index) => {
  state.routes = index.routes;
  state.codes = index.codes.map((c) => c.code);
  draw();
});
