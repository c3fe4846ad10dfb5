// The journal: the list of requests, and one request beside it.
import { html, nothing, svg } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import {
  act,
  ask,
  copy,
  copyButton,
  draw,
  find,
  follow,
  get,
  isRead,
  kept,
  options,
  post,
  setQuery,
  state,
  toQuery,
  typed,
  visit,
} from "./core.js";
import { clockTime, dayOf, middle, plural, shortIDs, took } from "./format.js";
import { failed, keyName, keyOf, pane, statusKind } from "./request.js";
import { curl } from "./snippets.js";

const path = "/_sandbox/",
  rowHeight = 30,
  pageSize = 500,
  maxRows = 10000;
const filterNames = ["text", "status", "route", "key", "only", "sort"];

// rows are the requests in the list, newest first. New ones wait while somebody reads the list.
// items are the rows with a separator before each day, of which some around the scrolled
// position are drawn. more reports whether the server has older requests.
let rows = [],
  waiting = [],
  items = [],
  more = false,
  stats = null,
  exchange = null,
  lost = false;
let shown = null; // The filter of the rows.
let cursor = 0,
  reveal = 0,
  first = 0; // Numbers of requests; index of the first item that is drawn.
let filtersOpen = false;

const filters = () => Object.fromEntries(filterNames.map((name) => [name, state.query.get(name) ?? ""]));
const opened = () => Number(state.query.get("request"));
const list = () => document.getElementById("list");

// query returns the filter as a query of the control API.
function query({ text, status, route, key, only }) {
  const method = /^[A-Z]+$/.test(route);
  return {
    text,
    status,
    key,
    method: method ? route : "",
    route: method ? "" : route,
    repeated: only === "repeated" ? "true" : "",
    faults: only === "faults" ? "true" : "",
  };
}

async function load(change) {
  const filter = filters(),
    name = JSON.stringify(filter),
    number = opened();
  if (name !== shown) {
    const page = await get("journal", { ...query(filter), sort: filter.sort, limit: pageSize });
    setRows(filter.sort ? page.entries : page.entries.reverse(), page.more);
    stats = page.stats;
    shown = name;
    follow(query(filter), page.position, change);
  }
  if (!number) exchange = null;
  else if (exchange?.number !== number || !exchange.ended) {
    exchange = await find("journal/" + number);
    lost = !exchange;
  }
  if (number && number !== cursor) await loadRow(number);
}

// loadRow makes the row of a request part of the list, which may be older than the others.
async function loadRow(number) {
  cursor = reveal = number;
  if (!more || filters().sort || number >= rows.at(-1).number) return;
  const page = await get("journal", { ...query(filters()), after: number - 20, limit: maxRows });
  setRows(page.entries.reverse(), true);
}

async function loadOlder() {
  if (!more || filters().sort || loadOlder.running) return;
  loadOlder.running = true;
  const before = rows.at(-1).number,
    filter = shown;
  await act(async () => {
    const page = await get("journal", { ...query(filters()), before, limit: 4 * pageSize });
    if (filter === shown) setRows([...rows, ...page.entries.reverse()], page.more, waiting);
  });
  loadOlder.running = false;
  draw();
}

function setRows(next, older, wait = []) {
  rows = next.slice(0, maxRows);
  more = older && rows.length < maxRows;
  waiting = wait;
  items = [];
  let day = filters().sort && "sorted";
  for (const e of rows) {
    if (day !== "sorted" && day !== e.at.slice(0, 10)) items.push({ day: (day = e.at.slice(0, 10)) });
    items.push(e);
  }
}

// entries takes new and changed entries: the changed ones where they are, the new ones as rows
// that wait.
function entries(all) {
  const news = new Map(all.map((e) => [e.number, e]));
  const replace = (e) => {
    const found = news.get(e.number) ?? e;
    news.delete(e.number);
    return found;
  };
  setRows(rows.map(replace), more, waiting.map(replace));
  waiting = [...waiting, ...news.values()].slice(-maxRows);
  if (all.some((e) => e.number === exchange?.number)) {
    exchange.ended = false; // So that it is read again.
    journal.refresh();
  }
  draw();
}

function showNew() {
  if (filters().sort) {
    shown = null;
    return void journal.refresh();
  }
  merge();
  list()?.scrollTo(0, 0);
  draw();
}

const merge = () =>
  setRows(
    [...rows, ...waiting].sort((a, b) => b.number - a.number),
    more,
  );

// count reads the statistics again.
async function count() {
  if (shown === null) return;
  stats = (await get("journal", { ...query(filters()), limit: 1 })).stats;
}

// forget makes the next load read everything again.
function forget() {
  shown = exchange = null;
  setRows([], false);
}

// Navigation.

const visibleIndex = () => Math.max(0, Math.floor((list()?.scrollTop ?? 0) / rowHeight) - 20);

function scrolled() {
  const l = list();
  if (l.scrollTop + l.clientHeight > l.scrollHeight - 1500) loadOlder();
  if (l.scrollTop === 0 || Math.abs(visibleIndex() - first) >= 10) draw();
}

// drawn scrolls to the row that was opened.
function drawn() {
  const l = list(),
    at = reveal ? items.findIndex((e) => e.number === reveal) : -1;
  if (!l || at < 0) return;
  reveal = 0;
  const head = 2 * rowHeight,
    top = at * rowHeight + rowHeight; // The heads of the columns and the day cover two rows.
  if (top < l.scrollTop + head) l.scrollTop = top - head;
  if (top + rowHeight > l.scrollTop + l.clientHeight) l.scrollTop = top + rowHeight - l.clientHeight;
  draw();
}

async function focusRow(number) {
  cursor = reveal = number;
  await draw();
  await draw(); // The row that was revealed.
  kept("x" + number)?.focus({ preventScroll: true });
}

// move goes to another row, or to another request if one is open.
function move(columns, by) {
  if (columns || !rows.length) return false;
  const at = rows.findIndex((e) => e.number === cursor);
  const next = rows[at < 0 ? 0 : at + by]?.number;
  if (!next) return true;
  const inPane = document.querySelector(".pane")?.contains(document.activeElement);
  if (opened()) setQuery({ request: next });
  if (!inPane) focusRow(next);
  return true;
}

function close() {
  const number = opened();
  setQuery({ request: "" });
  focusRow(number);
}

async function copyCurl(number) {
  const e = exchange?.number === number ? exchange : await get("journal/" + number);
  await copy(curl(e, location.origin, keyOf(e)?.token));
}

function key(name) {
  const focused = document.activeElement.closest("[data-keep]")?.dataset.keep;
  const number = opened() || Number(focused?.slice(1));
  if (name === "Escape" && opened()) close();
  else if (name === "n") showNew();
  else if (name === "y" && number) act(() => copyCurl(number), `Request #${number} is copied as curl`);
  else return false;
  return true;
}

// View of the list.

const tookKind = (e) => (e.took >= 1 ? "slowest" : e.took >= 0.1 ? "slow" : "");

function row(e, tabbable) {
  const selected = e.number === opened(),
    kind = failed(e) ? statusKind(e) : "";
  const href = path + toQuery({ ...filters(), request: e.number });
  const why = e.error && html`<span class=${"why " + statusKind(e)} title=${e.error.message}>${e.error.code}</span>`;
  const repeats =
    e.repeats && html`<span class="mark odd" title="This write was sent twice">repeats #${e.repeats}</span>`;
  return html`<li><a class=${`row ${kind} ${e.repeats ? "twice" : ""}`} draggable="false" href=${href}
      data-keep=${"x" + e.number} aria-current=${selected ? "true" : nothing}
      tabindex=${e.number === tabbable ? 0 : -1}>
    <span class="no">${e.number}</span><time title=${e.at}>${clockTime(e.at)}</time>
    <span class=${"method " + (e.method === "GET" ? "" : "write")}>${e.method}</span>
    <span class="what" title=${e.path + (e.query && "?" + e.query)}><span class="path">${shortIDs(
      e.path.replace("/api/v1", ""),
    )}</span>${e.query ? html`<span class="query">?${shortIDs(e.query.slice(0, 200))}</span>` : nothing}</span>
    <span class="marks">${why ?? nothing}${repeats || nothing}${
      e.fault ? html`<span class="mark bad">fault</span>` : nothing
    }${e.throttled ? html`<span class="mark warn">throttled</span>` : nothing}</span>
    <span class=${"status " + statusKind(e)}>${e.status ?? (e.ended ? "none" : "…")}</span>
    <code class="key" title=${keyName(e)}>${middle(keyName(e), 18)}</code>
    <span class="left">${e.limit ? e.remaining : "–"}</span>
    <span class=${"took " + tookKind(e)}>${e.ended ? took(e.took) : "–"}</span></a></li>`;
}

function listView() {
  const sorted = filters().sort,
    height = (n) => `height:${n * rowHeight}px`;
  first = visibleIndex();
  const last = first + Math.ceil((list()?.clientHeight ?? innerHeight) / rowHeight) + 60;
  const part = items.slice(first, last);
  if (first > 0 && part.length && !part[0].day && !sorted) part[0] = { day: part[0].at.slice(0, 10) };
  const tabbable = part.some((e) => e.number === cursor) ? cursor : part.find((e) => !e.day)?.number;
  const fresh = waiting.length ? html`<button class="new" @click=${showNew}>${waiting.length} new</button>` : nothing;
  const sort = html`<button class="plain" aria-pressed=${sorted ? "true" : "false"}
    title="In real time; sorts by duration" @click=${() => setQuery({ sort: sorted ? "" : "took" })}>Took ${
      sorted ? "↓" : "↕"
    }</button>`;
  return html`<section class="listing" id="list" aria-label="Requests" tabindex="-1"
      @scroll=${scrolled} @pointerleave=${draw} @focusout=${draw}>
    <div class="columns"><span class="no">No.</span><span>Time</span><span class="method">Method</span>
      <span class="what">Path</span><span class="marks">${fresh}</span><span class="status">Status</span>
      <span class="key">Key</span><span class="left">Remaining</span><span class="took">${sort}</span></div>
    <div class="space" .style=${height(first)}></div>
    <ol aria-label="Requests, newest first">${repeat(
      part,
      (e) => e.number ?? e.day,
      (e) => (e.day ? html`<li class="day">${dayOf(e.day)}</li>` : row(e, tabbable)),
    )}</ol>
    <div class="space" .style=${height(Math.max(0, items.length - last))}></div></section>`;
}

function filterBar() {
  const filter = filters(),
    active = filterNames.filter((name) => filter[name]).length;
  const change = (event) => setQuery({ [event.target.name]: event.target.value });
  const select = (name, label, all) => html`<select name=${name} aria-label=${label} class=${filter[name] ? "set" : ""}
    @change=${change}>${options(all, filter[name])}</select>`;
  const statuses = [["", "Any status"], ["failed", "Failed"], "2xx", "4xx", "429", "5xx", ["none", "No response"]];
  const methods = ["GET", "POST", "PATCH", "DELETE"].map((m) => [m, m + " …"]);
  const names = state.keys.map((k) => [k.id, middle(k.token, 30) + (k.state === "valid" ? "" : ` (${k.state})`)]);
  const fold = () => {
    filtersOpen = !filtersOpen;
    draw();
  };
  return html`<form class=${"filters folds " + (filtersOpen ? "open" : "")} role="search" aria-label="Filters"
      @submit=${(event) => event.preventDefault()}>
    <input type="search" name="text" placeholder="Search paths, bodies, ids"
      aria-label="Search paths, bodies, responses and ids" .value=${filter.text} @input=${typed}>
    <button type="button" class="plain fold" aria-expanded=${String(filtersOpen)} @click=${fold}>Filters${
      active ? ` (${active})` : ""
    }</button>
    ${select("status", "Status", statuses)}
    ${select("route", "Method or route", [["", "Any route"], ...methods, ...state.routes])}
    ${select("key", "Key", [["", "Any key"], ...names, ["none", "No key"]])}
    ${select("only", "Marks", [
      ["", "Everything"],
      ["repeated", "Writes sent twice"],
      ["faults", "Faults"],
    ])}
    <button type="button" class="plain" ?disabled=${!active} @click=${clearFilters}>Clear filters</button>
    <span class="tools"><a class="button plain" download="journal.json"
        href=${path + "journal" + toQuery({ ...query(filter), limit: maxRows, details: true })}>Export</a>
      <button type="button" class="plain danger" id="clear" @click=${clear}>Clear…</button></span></form>`;
}

const clearFilters = () => visit(path, { request: state.query.get("request") }, false);

async function clear() {
  const what = "The requests of every key will be deleted. Nothing else changes.";
  if (await ask("Clear the journal?", what, "Clear")) act(() => post("journal/clear"), "The journal is empty");
}

// sparkline shows the requests in buckets of equal time. Idle time is folded.
function sparkline() {
  const { buckets, count } = stats,
    begin = buckets[0].at,
    end = buckets.at(-1).at,
    width = 600,
    height = 30,
    step = Math.min(width / buckets.length, 24);
  const highest = Math.max(...buckets.map((b) => b.count), 1);
  const bar = (n, i, kind) => {
    const h = n ? Math.max(2, (n / highest) * height) : 0;
    return svg`<rect class=${kind} x=${i * step + 0.5} width=${step - 1} y=${height - h} height=${h}></rect>`;
  };
  const group = (
    b,
    i,
  ) => svg`<g><title>${b.at ? clockTime(b.at) : ""}: ${plural(b.count, "request")}, ${b.failed} failed</title>
    ${bar(b.count, i, "bar")}${bar(b.failed, i, "bar failed")}</g>`;
  const day = (at) => (dayOf(begin) === dayOf(end) ? "" : dayOf(at).slice(0, -5) + " ") + clockTime(at);
  const text = `${plural(count, "request")}, ${stats.failed} failed`;
  return html`<div class="over-time"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img"
      aria-label=${text}>${buckets.map(group)}</svg>
    <p class="axis"><time>${day(begin)}</time><span>${text}</span><time>${day(end)}</time></p></div>`;
}

// chips shows the rate limits of the keys in use, the lowest first.
function chips() {
  const share = (k) => Math.min(k.read.remaining / k.read.limit, k.write.remaining / k.write.limit);
  const used = state.keys.filter((k) => k.state === "valid" && (k.read.reset || k.write.reset));
  const keysPath = "/_sandbox/console/keys",
    most = used.length > 4 ? 3 : 4;
  const part = (quota, name) =>
    html`<span class=${quota.remaining < quota.limit / 5 ? "low" : ""}>${quota.remaining} ${name}</span>`;
  const rest = ({ remaining, limit }, name) => `${remaining} of ${limit} ${name}`;
  const title = (k) => `Remaining of ${k.token}: ${rest(k.read, "reads")}, ${rest(k.write, "writes")}`;
  const chip = (k) => html`<li><a href=${keysPath} title=${title(k)}><code>${middle(k.token, 18)}</code>
    ${part(k.read, "reads")} ${part(k.write, "writes")}</a></li>`;
  return html`<ul class="chips" aria-label="Remaining requests by key">
    ${used
      .sort((a, b) => share(a) - share(b))
      .slice(0, most)
      .map(chip)}
    ${used.length > most ? html`<li><a href=${keysPath}>${used.length - most} more</a></li>` : nothing}</ul>`;
}

// The empty journal.
function guide() {
  const first = `curl -sS -H 'Authorization: Bearer sk_test_sandbox' ${location.origin}/api/v1/account`;
  const env = `export HIRING_BASE_URL=${location.origin}\nexport HIRING_API_KEY=sk_test_sandbox`;
  const copyable = (text, label, id) =>
    html`<div class="copyable"><pre id=${id} tabindex="0">${text}</pre>${copyButton(text, label)}</div>`;
  return html`<section class="panel guide"><h1>No requests yet</h1>
    <p>Point your program here. Its requests appear on this page.</p>${copyable(env, "Copy the environment", "env")}
    <p>Or send a first request from a shell:</p>${copyable(first, "Copy the command", "first")}
    <ul><li><code>sk_test_sandbox</code> sees sample data that never changes.</li>
      <li><code>sk_live_sandbox</code> sees live data that keeps what is written: its candidates are in the
        <a href="/_sandbox/console/pipeline">pipeline</a>.</li>
      <li><a href="/_sandbox/console/faults">Faults</a> makes requests fail.</li></ul></section>`;
}

function view() {
  if (!stats) return nothing;
  const number = opened(),
    filtered = filterNames.some((name) => filters()[name]);
  const mayMove = number ? waiting.some((e) => e.number === number) : !rows.length || !isRead(list());
  if (waiting.length && !filters().sort && mayMove) merge();
  if (!rows.length && !filtered) return guide();
  const link = (n) => html`<a href=${path + toQuery({ ...filters(), request: n })}>#${n}</a>`;
  const side = number ? pane(exchange, { lost, number, link, close }) : nothing;
  return html`<h1 class="gone">Journal</h1>${filterBar()}
    ${stats.count ? html`<div class="overview">${sparkline()}${chips()}</div>` : nothing}
    ${
      rows.length
        ? html`<div class=${"split " + (number ? "open" : "")}>${listView()}${side}</div>`
        : html`<p class="panel none">No request matches. <button @click=${clearFilters}>Clear filters</button></p>`
    }`;
}

export const journal = {
  name: "journal",
  title: "Journal",
  path,
  changes: ["journal"],
  load,
  view,
  drawn,
  key,
  move,
  entries,
  count,
  forget,
  heading: () => (opened() ? `#${opened()}` : "Journal"),
};
