// The journal: the list of requests, and one request beside it.
import { html, nothing, svg } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import {
  act,
  copyButton,
  draw,
  find,
  follow,
  get,
  isRead,
  kept,
  openPopup,
  options,
  setQuery,
  state,
  toQuery,
  typed,
  visit,
} from "./core.js";
import {
  candidatePath,
  clockTime,
  dayOf,
  faultKind,
  faultText,
  middle,
  plural,
  shortIDs,
  span,
  took,
} from "./format.js";
import {
  copyCurl,
  copyLink,
  failed,
  keyName,
  outcome,
  pane,
  requestQuery,
  showFound,
  statusKind,
  statusText,
} from "./request.js";

const path = "/_sandbox/",
  pageSize = 500,
  maxRows = 10000;
const filterNames = ["text", "status", "route", "key", "only", "sort"];

// rows are the requests in the list, newest first, and actions what the tester did between them,
// oldest first. New ones wait while somebody reads the list. items are the rows and the actions
// with a separator where the day changes, of which some around the scrolled position are drawn. more
// reports whether the server has older requests.
let rows = [],
  actions = [],
  waiting = [],
  waitingActions = [],
  items = [],
  more = false,
  stats = null,
  exchange = null,
  writes = [], // The open request and those that repeat it.
  invited = 0, // Invitations of the address to the assessment.
  lost = ""; // Why the open request is not there.
let shown = null; // The filter of the rows.
let cursor = 0,
  reveal = 0,
  first = 0, // Numbers of requests; index of the first item that is drawn.
  seen = 0, // Number of the last request that was shown in the pane.
  found = ""; // The text that is marked in the pane.
let filtersOpen = false;

const filters = () => Object.fromEntries(filterNames.map((name) => [name, state.query.get(name) ?? ""]));
const opened = () => Number(state.query.get("request"));
const list = () => document.getElementById("list");
const isNarrow = () => (list()?.clientWidth || innerWidth) < 600; // Rows have two lines.
const rowHeight = () => (isNarrow() ? 52 : 30);

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
    fault: only.startsWith("fault:") ? only.slice(6) : "",
  };
}

async function load(change) {
  const filter = filters(),
    name = JSON.stringify(filter),
    number = opened();
  if (name !== shown) {
    const page = await get("journal", { ...query(filter), sort: filter.sort, limit: pageSize });
    state.run = page.run;
    actions = page.actions;
    waitingActions = [];
    setRows(filter.sort ? page.entries : page.entries.reverse(), page.more);
    stats = page.stats;
    shown = name;
    follow(query(filter), page.position, change);
  }
  await loadExchange(number);
  if (exchange && exchange.number !== cursor) await loadRow(exchange.number);
}

// loadExchange reads the open request. One that was shown and is gone, as after a reset, is closed.
async function loadExchange(number) {
  const isEarlier = (state.query.get("run") || state.run) !== state.run;
  if (!number) exchange = null;
  else if (isEarlier || exchange?.number !== number || !exchange.ended) {
    exchange = isEarlier ? null : await find("journal/" + number);
    lost = exchange ? "" : isEarlier ? "earlier" : "gone";
    writes = exchange ? await loadWrites(exchange) : [];
    if (exchange) seen = number;
    else if (seen === number) setQuery({ request: "", run: "" });
  }
}

// loadWrites reads the writes that a request repeats and those that repeat it.
async function loadWrites(e) {
  if (!e.repeats && !e.repeated_by) return [];
  const [{ entries }, { candidates }] = await Promise.all([
    get("journal", { repeats: e.repeats ?? e.number }),
    get("candidates", { text: e.subject ?? "", limit: 50 }),
  ]);
  const same = (c) => c.candidate_email === e.subject && e.path.includes(c.assessment_id);
  invited = candidates.find(same)?.invitations ?? 0;
  return entries;
}

// loadRow makes the row of a request part of the list, which may be older than the others.
async function loadRow(number) {
  cursor = reveal = number;
  if (!more || filters().sort || number >= rows.at(-1).number) return;
  const page = await get("journal", { ...query(filters()), after: number - 20, limit: maxRows });
  actions = page.actions;
  setRows(page.entries.reverse(), true);
}

async function loadOlder() {
  if (!more || filters().sort || loadOlder.running) return;
  loadOlder.running = true;
  const before = rows.at(-1).number,
    filter = shown;
  await act(async () => {
    const page = await get("journal", { ...query(filters()), before, limit: 4 * pageSize });
    actions = [...page.actions.filter((a) => a.after < before - 1), ...actions];
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
  const isList = !filters().sort && rows.length;
  let day = isList && rows[0].at.slice(0, 10),
    at = isList && filterNames.every((name) => !filters()[name]) ? actions.length - 1 : -1;
  const addActions = (number) => {
    for (; actions[at]?.after >= number; at--) {
      const last = items.at(-1)?.action;
      if (last?.id && last.kind === actions[at].kind)
        items.splice(-1, 1, { action: { ...last, more: (last.more ?? 0) + 1 } });
      else items.push({ action: actions[at] });
    }
  };
  for (const e of rows) {
    addActions(e.number);
    if (isList && day !== e.at.slice(0, 10)) items.push({ day: (day = e.at.slice(0, 10)) });
    items.push(e);
  }
  if (!more) addActions(0);
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

// merge shows what waits. The chart counts it too, until the server's count is read.
function merge() {
  for (const e of waiting) {
    if (!stats.buckets.length) stats.buckets.push({ at: e.at, count: 0, failed: 0 });
    for (const counted of [stats, stats.buckets.at(-1)]) {
      counted.count++;
      if (failed(e)) counted.failed++;
    }
  }
  actions = [...actions, ...waitingActions];
  waitingActions = [];
  setRows(
    [...rows, ...waiting].sort((a, b) => b.number - a.number),
    more,
  );
}

// count reads the statistics of the requests in the list again.
async function count() {
  if (shown === null) return;
  const before = Math.max(0, ...rows.map((e) => e.number)) + 1;
  stats = (await get("journal", { ...query(filters()), limit: 1, before })).stats;
}

// forget makes the next load read everything again.
function forget() {
  shown = exchange = null;
  actions = [];
  setRows([], false);
}

// Navigation.

const visibleIndex = () => Math.max(0, Math.floor((list()?.scrollTop ?? 0) / rowHeight()) - 20);

function scrolled() {
  const l = list();
  if (l.scrollTop + l.clientHeight > l.scrollHeight - 1500) loadOlder();
  if (l.scrollTop === 0 || Math.abs(visibleIndex() - first) >= 10) draw();
}

// drawn scrolls to the row that was opened, and marks the text that is searched for in its pane.
function drawn() {
  const l = list(),
    at = reveal ? items.findIndex((e) => e.number === reveal) : -1,
    text = exchange && `${exchange.number} ${filters().text}`;
  if (text !== found && document.querySelector(".pane .body, .pane .quiet")) {
    found = text;
    showFound(filters().text);
  }
  if (!l?.clientHeight || at < 0) return;
  reveal = 0;
  const height = rowHeight(),
    top = at * height + height; // The heads of the columns and the day cover two rows.
  if (top < l.scrollTop + 2 * height || top + height > l.scrollTop + l.clientHeight) {
    l.scrollTop = top - l.clientHeight / 2;
  }
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
  if (opened()) setQuery(requestQuery(next));
  if (!inPane) focusRow(next);
  return true;
}

function close() {
  const number = opened();
  setQuery({ request: "", run: "" });
  focusRow(number);
}

const toggle = (name, value) => setQuery({ [name]: state.query.get(name) === value ? "" : value });

function key(name) {
  const focused = document.activeElement.closest("[data-keep]")?.dataset.keep;
  const number = opened() || Number(focused?.slice(1));
  if (name === "Escape" && opened()) close();
  else if (name === "n") showNew();
  else if (name === "e") toggle("status", "failed");
  else if (name === "s") toggle("sort", "took");
  else if (name === "w") toggle("only", "repeated");
  else if (name === "y" && number) act(async () => copyCurl(await get("journal/" + number)));
  else if (name === "u" && number) copyLink(number);
  else if (name === "f" && opened()) openPopup("fail-next");
  else return false;
  return true;
}

// View of the list.

const tookKind = (e) => (e.took >= 1 ? "slowest" : e.took >= 0.1 ? "slow" : "");
const href = (number) => path + toQuery({ ...filters(), ...requestQuery(number) });

// marks says what is odd about a request: why it failed, and that a write was repeated.
function marks(e) {
  const mark = (kind, text, title = "") => html`<span class=${"mark " + kind} title=${title}>${text}</span>`;
  const before = e.repeats && rows.find((r) => r.number < e.number && (r.repeats ?? r.number) === e.repeats);
  return html`${
    e.fault
      ? mark("bad", "fault: " + faultKind(e.fault), faultText(e.fault))
      : e.error
        ? html`<span class=${"why " + statusKind(e)} title=${e.error.message}>${e.error.code}</span>`
        : nothing
  }${e.throttled ? mark("warn", "throttled") : nothing}${
    e.repeats
      ? mark(
          "odd",
          `again after #${before?.number ?? e.repeats}${before ? ": " + statusText(before) : ""}`,
          before ? `Sent again after #${before.number}, ${outcome(before)}` : "Sent again",
        )
      : e.repeated_by
        ? mark("odd", `sent again: #${e.repeated_by}`)
        : nothing
  }`;
}

const isPageSize = /(^|&)(page_size|limit)=\d+/g;

function row(e, tabbable) {
  const kind = failed(e) ? statusKind(e) : "",
    sent = e.query.replace(isPageSize, "").replace(/^&/, "").slice(0, 200),
    [second, millis] = [clockTime(e.at), e.at.slice(19, 23)];
  return html`<li><a class=${`row ${kind} ${e.repeats || e.repeated_by ? "twice" : ""}`} draggable="false"
      href=${href(e.number)} data-keep=${"x" + e.number} aria-current=${e.number === opened() ? "true" : nothing}
      tabindex=${e.number === tabbable ? 0 : -1}>
    <span class=${"status " + statusKind(e)}>${statusText(e)}</span>
    <span class=${"method " + (e.method === "GET" ? "" : "write")}>${e.method}</span>
    <span class="what" title=${e.path + (e.query && "?" + e.query)}><span class="path"><bdi>${shortIDs(
      e.path.replace("/api/v1", ""),
    )}</bdi></span>${sent ? html`<span class="query">?${shortIDs(sent)}</span>` : nothing}</span>
    <bdi class="subject" title=${e.subject ?? ""}>${e.subject}</bdi><span class="marks">${marks(e)}</span>
    <code class="key" title=${keyName(e)}>${middle(keyName(e), 18)}</code>
    <span class=${"took " + tookKind(e)}>${e.ended ? took(e.took) : "–"}</span>
    <time title=${e.at}>${second}<span class="millis">${millis}</span></time><span class="no">${e.number}</span></a></li>`;
}

const actionTexts = {
  clock: (a) => `Clock moved by ${span(a.forward)} to ${dayOf(a.at)} ${clockTime(a.at)}`,
  fault: (a) => `Fault armed: ${faultText(a.fault)}`,
  faults_removed: (a) => `${plural(Number(a.subject), "fault")} removed`,
  quota: (a) => `Rate limit set: ${a.subject}`,
  settings: () => "API behaviour changed",
  key_revoked: (a) => `Key revoked: ${a.subject}`,
};

// actionRow says what the tester did. A step names the candidate.
const actionRow = (a) =>
  html`<li class="action"><span>${
    a.id
      ? html`<a href=${candidatePath(a.id)}><bdi>${a.subject}</bdi></a> ${a.more ? `and ${a.more} more` : nothing} ${a.kind}`
      : actionTexts[a.kind]?.(a)
  }</span><time title=${a.at}>${clockTime(a.at)}</time></li>`;

function listView() {
  const sorted = filters().sort,
    space = (n) => `height:${n * rowHeight()}px`;
  first = visibleIndex();
  const last = first + Math.ceil(innerHeight / rowHeight()) + 60;
  const part = items.slice(first, last);
  const day = first > 0 && items.findLast((e, i) => e.day && i < first);
  if (day && part[0]?.number) part[0] = day;
  const tabbable = part.some((e) => e.number === cursor) ? cursor : part.find((e) => e.number)?.number;
  const fresh = waiting.length + waitingActions.length;
  const sort = html`<button class="plain" aria-pressed=${sorted ? "true" : "false"}
    title="In real time; sorts by duration" @click=${() => toggle("sort", "took")}>Took ${sorted ? "↓" : "↕"}</button>`;
  return html`<section class=${"listing " + (isNarrow() ? "narrow" : "")} id="list" aria-label="Requests" tabindex="-1"
      @scroll=${scrolled} @pointerleave=${draw} @focusout=${draw}>
    <div class="columns"><span class="status">Status</span><span class="method">Method</span>
      <span class="what">Request</span><span class="subject"></span><span class="marks">${
        fresh ? html`<button class="new" @click=${showNew}>${fresh} new</button>` : nothing
      }</span><span class="key">Key</span><span class="took">${sort}</span><span class="time">Time</span><span class="no">No.</span></div>
    <div class="space" .style=${space(first)}></div>
    <ol aria-label="Requests, newest first">${repeat(
      part,
      (e) => e.number ?? e.day ?? e.action.at + e.action.kind + e.action.subject,
      (e) => (e.day ? html`<li class="day">${dayOf(e.day)}</li>` : e.action ? actionRow(e.action) : row(e, tabbable)),
    )}</ol>
    <div class="space" .style=${space(Math.max(0, items.length - last))}></div></section>`;
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
    <input type="search" name="text" placeholder="Search requests, responses, ids"
      aria-label="Search requests, responses of the newest 1,000, and ids" .value=${filter.text} @input=${typed}>
    ${filter.text ? html`<small>searches responses of the newest 1,000</small>` : nothing}
    <button type="button" class="plain fold" aria-expanded=${String(filtersOpen)} @click=${fold}>Filters${
      active ? ` (${active})` : ""
    }</button>
    ${select("status", "Status", statuses)}
    ${select("route", "Method or route", [["", "Any route"], ...methods, ...state.routes])}
    ${select("key", "Key", [["", "Any key"], ...names, ["none", "No key"]])}
    ${select("only", "Marks", [
      ["", "All marks"],
      ["repeated", "Writes sent again"],
      ["faults", "Faults"],
      ...(filter.only.startsWith("fault:") ? [[filter.only, filter.only.replace(":", " ")]] : []),
    ])}
    ${active ? html`<button type="button" class="plain" @click=${clearFilters}>Clear filters</button>` : nothing}
    <span class="tools"><a class="button plain" download="journal.json"
        href=${path + "journal" + toQuery({ ...query(filter), limit: maxRows, details: true })}>Export</a></span></form>`;
}

const clearFilters = () => visit(path, opened() ? requestQuery(opened()) : {}, false);

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
  const failedOnly = path + toQuery({ ...filters(), status: filters().status ? "" : "failed" });
  const failures = stats.failed ? html`<a href=${failedOnly}>${stats.failed} failed</a>` : "0 failed";
  return html`<div class="over-time"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img"
      aria-label=${text}>${buckets.map(group)}</svg>
    <p class="axis"><time>${day(begin)}</time><span>${plural(count, "request")}, ${failures}</span><time>${day(end)}</time></p></div>`;
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
  const title = (k) => `Requests of ${k.token}; remaining: ${rest(k.read, "reads")}, ${rest(k.write, "writes")}`;
  const only = (k) => path + toQuery({ ...filters(), key: filters().key === k.id ? "" : k.id });
  const chip = (
    k,
  ) => html`<li><a href=${only(k)} title=${title(k)} aria-current=${filters().key === k.id ? "true" : nothing}><code>${middle(k.token, 18)}</code>
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
  const mayMove = !rows.length || (exchange ? waiting.some((e) => e.number === number) : !isRead(list()));
  if (waiting.length + waitingActions.length && !filters().sort && mayMove) merge();
  const link = (n) => html`<a href=${href(n)}>#${n}</a>`;
  const side = number ? pane(exchange, { lost: !exchange && lost, number, writes, invited, link, close }) : nothing;
  if (!rows.length && !filtered) return [guide(), side];
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
  enter: () => rows.length && focusRow(rows[0].number),
  entries,
  actions(all) {
    waitingActions.push(...all);
    draw();
  },
  count,
  forget,
  heading: () => (opened() ? `#${opened()}` : "Journal"),
};
