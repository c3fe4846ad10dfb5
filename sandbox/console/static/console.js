// The page: its header with the clock, its views, navigation and shortcuts.
import { html, nothing, render } from "./lit/lit-html.js";
import { draw, follow, get, post, refresher, say, showDialog, startDrawing, state, visit } from "./core.js";
import { clockTime, dayOf, fullTime, span, target } from "./format.js";
import { journal } from "./journal.js";
import { pipeline } from "./pipeline.js";
import { faults } from "./faults.js";
import { keysPage } from "./keys.js";

const views = [journal, pipeline, faults, keysPage];
const viewNow = () => views.find((v) => v.path === state.path) ?? journal;
for (const v of views) v.refresh = refresher(v.load);

// readURL makes state of the URL, and loads what its view shows.
function readURL() {
  const before = viewNow();
  state.path = views.some((v) => v.path === location.pathname) ? location.pathname : journal.path;
  state.query = new URLSearchParams(location.search);
  if (before !== viewNow()) Object.assign(state, { errors: {}, typed: {} });
  viewNow().refresh();
  draw();
}

// Clock. Between two readings it goes on by itself.
const clock = { read: 0, text: "", hover: "", preview: null, tokens: {}, error: "" };
const now = () => new Date(Date.parse(state.clock.now) + performance.now() - clock.read).toISOString();

const loadClock = refresher(async () => {
  [state.clock, state.settings] = await Promise.all([get("clock"), get("settings")]);
  clock.read = performance.now();
});

const preview = refresher(async () => {
  const to = target(clock.hover || clock.text);
  if (!to) return void (clock.preview = null);
  const [preview, { keys }] = await Promise.all([get("clock", to), get("keys")]);
  clock.preview = preview;
  clock.tokens = Object.fromEntries(keys.map((k) => [k.id, k.token ?? k.key]));
}, 150);

// look previews what is typed, or a button while it is pointed at.
function look(changes) {
  Object.assign(clock, changes, { error: "" });
  preview();
}

async function advance(text) {
  const to = target(text);
  try {
    if (!to) throw new Error("write 90, 15m, 2h30m, 2d or 2026-12-01 10:00");
    state.clock = await post("clock", to);
    Object.assign(clock, { read: performance.now(), text: "", hover: "", preview: null, error: "" });
    say(`The clock is at ${fullTime(state.clock.now)}`);
    loadClock();
    viewNow().refresh();
  } catch (error) {
    clock.error = error.message;
    draw();
  }
}

const kinds = {
  opened: "opens the invitation", started: "begins the attempt", submitted: "submits", evaluated: "is evaluated", expires: "'s invitation expires",
  late: "A late request takes effect", reads: "has all its reads again", writes: "has all its writes again", key: "expires", throttle: "The throttle ends",
  period: "begins a new month of its plan",
};

function happens(e) {
  if (e.kind === "late" || e.kind === "throttle") return kinds[e.kind];
  const subject = clock.tokens[e.subject] ?? (e.subject || "The default organization");
  return `${subject}${e.kind === "expires" ? "" : " "}${kinds[e.kind] ?? e.kind}`;
}

function clockView() {
  if (!state.clock) return nothing;
  const key = (event) => {
    if (event.key === "Escape") look({ text: "" });
  };
  const step = (text, label) => html`<button type="button" class="plain" aria-label=${"Advance the clock by " + label} @click=${() => advance(text)}
    @pointerenter=${() => look({ hover: text })} @pointerleave=${() => look({ hover: "" })} @focus=${(e) => e.target.matches(":focus-visible") && look({ hover: text })} @blur=${() => look({ hover: "" })}>+${label}</button>`;
  return html`<form class="clock" aria-label="Clock" novalidate @submit=${(event) => { event.preventDefault(); advance(clock.text); }}>
    <span class="now" title="The sandbox's clock, in UTC"><span class="day">${dayOf(now())}</span> <b>${clockTime(now())}</b>${state.clock.ahead >= 1 ? html` <small>${span(state.clock.ahead)} ahead</small>` : nothing}</span>
    ${step("1h", "1 h")}${step("1d", "1 d")}
    <input id="advance" placeholder="advance 2d" aria-label="Advance the clock by a duration or to a time" autocomplete="off" .value=${clock.text} aria-invalid=${clock.error ? "true" : nothing}
      aria-describedby="ahead" @input=${(event) => look({ text: event.target.value, hover: "" })} @keydown=${key}>
    <div id="ahead" class="ahead" ?hidden=${!clock.text && !clock.hover && !clock.error}>${clock.error ? html`<p class="error" role="alert">${clock.error}</p>` : aheadView()}</div></form>`;
}

function aheadView() {
  const p = clock.preview;
  if (!p) return html`<p>90, 15m, 2h30m, 2d or 2026-12-01 10:00</p>`;
  return html`<p>Until <b>${fullTime(p.until)}</b>: ${p.upcoming.length ? nothing : "nothing happens."}</p>
    <ol>${p.upcoming.map((e) => html`<li><time>${dayOf(e.at) === dayOf(p.now) ? "" : dayOf(e.at).slice(0, -5)} ${clockTime(e.at)}</time> <bdi>${happens(e)}</bdi></li>`)}</ol>
    ${p.more ? html`<p>and ${p.more} more</p>` : nothing}${clock.hover ? nothing : html`<p class="quiet">Enter advances the clock.</p>`}`;
}

function header() {
  const at = viewNow();
  return html`<a class="brand" href=${journal.path} aria-label="Hiring sandbox"><img src=${new URL("icon.svg", import.meta.url).pathname} alt="" width="24" height="24"></a>
    <nav aria-label="Views">${views.map((v) => html`<a href=${v.path} aria-current=${v === at ? "page" : nothing}>${v.title}</a>`)}</nav>
    ${clockView()}
    <p class=${"link " + (state.connected ? "" : "lost")} role="status">${state.connected ? html`<span class="gone">Live</span>` : "Not connected"}</p>
    <button class="plain help" aria-label="Keyboard shortcuts" @click=${shortcuts}>?</button>`;
}

function shortcuts() {
  const list = [["j, k", "next and previous row or card"], ["Enter", "open it beside the list"], ["Esc", "close it, or leave a field"], ["/", "search"], ["n", "show the new requests"], ["c", "clock"], ["1 – 4", "journal, pipeline, faults, keys"], ["?", "this list"]];
  showDialog(html`<h2 id="dialog-title">Keyboard shortcuts</h2><dl class="shortcuts">${list.map(([k, what]) => html`<dt><kbd>${k}</kbd></dt><dd>${what}</dd>`)}</dl>
    <form method="dialog" class="line"><button autofocus>Close</button></form>`);
}

// drawPage draws everything. Only what differs is changed in the document.
function drawPage() {
  const view = viewNow();
  document.body.dataset.view = view.name;
  document.title = (state.failed ? `(${state.failed} failed) ` : "") + (view.heading?.() ?? view.title) + " · Hiring sandbox";
  render(header(), document.getElementById("header"));
  render(view.view(), document.getElementById("main"));
  const said = state.said;
  render(said ? html`<p class=${said.bad ? "said bad" : "said"}>${said.text} <button class="plain small" aria-label="Close this message" @click=${() => { state.said = null; draw(); }}>✕</button></p>` : nothing, document.getElementById("said"));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.hasAttribute("download") || !link.pathname.startsWith("/_sandbox/") || link.hash) return;
  event.preventDefault();
  if (!getSelection().isCollapsed && link.contains(getSelection().anchorNode)) return; // The text of a row was selected.
  visit(link.pathname, Object.fromEntries(new URLSearchParams(link.search)));
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (event.metaKey || event.ctrlKey || event.altKey || document.getElementById("dialog").open) return;
  if (event.key === "Escape" && typing) return void typing.blur();
  if (typing) return;
  const number = "1234".indexOf(event.key);
  if (event.key === "?") shortcuts();
  else if (event.key === "c") document.getElementById("advance")?.focus();
  else if (event.key === "/") document.querySelector("input[type=search]")?.focus();
  else if (number >= 0) visit(views[number].path);
  else if (!viewNow().key?.(event.key)) return;
  event.preventDefault();
});

// countFailed counts the failed requests for the title.
const countFailed = refresher(async () => { state.failed = (await get("journal/stats", { status: "failed" })).count; }, 1000);

addEventListener("popstate", readURL);
setInterval(draw, 1000); // The clock.
setInterval(() => { loadClock(); viewNow().refresh(); }, 15000); // Candidates move with the time.

startDrawing(drawPage);
loadClock();
countFailed();
readURL();

// start follows the server's changes, from the present position.
async function start() {
  try {
    follow((await get("journal", { limit: 1 })).position, changed);
  } catch {
    state.connected = false;
    setTimeout(start, 2000);
  }
}

function changed(name, data) {
  if (name === "entries") journal.update(data.entries);
  if (name !== "changed" || data.changed.includes("journal")) countFailed();
  if (name === "reset" || data.changed?.includes("journal")) journal.forget();
  if (name === "reset" || data.changed?.some((c) => c === "clock" || c === "settings")) loadClock();
  if (name !== "entries" || viewNow().changes.includes("entries")) viewNow().refresh();
}

start();
addEventListener("pageshow", (event) => event.persisted && start());
