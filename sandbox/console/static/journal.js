// The journal: the list of requests, and one request beside it.
import { html, nothing, svg } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, ask, chooseRow, copyButton, draw, find, get, options, post, setQuery, state, toQuery, typed, visit } from "./core.js";
import { body, clockTime, dayOf, faultText, middle, omitted, plural, pretty, shortIDs, took } from "./format.js";
import { snippets } from "./snippets.js";

const path = "/_sandbox/", pageSize = 200;
const filterNames = ["text", "status", "route", "key", "only", "slower", "since", "until", "sort"];

// rows are the entries in the list, newest first. latest are those of the last reading; they
// wait while somebody reads the list. more reports whether the server has older ones.
let rows = [], latest = [], more = false, latestMore = false, stats = null, keys = [], routes = [], exchange = null, exchangeGone = false;
let shownFilter = null, filtersOpen = false, tab = "curl", brush = null;

const filters = () => Object.fromEntries(filterNames.map((name) => [name, state.query.get(name) ?? ""]));

// query returns the filter as a query of the control API.
function query({ text, status, route, key, only, slower, since, until, sort }) {
  const method = /^[A-Z]+$/.test(route);
  return { text, status, key, since, until, method: method ? route : "", route: method ? "" : route, slower_than: slower, sort,
    repeated: only === "repeated" ? "true" : "", faults: only === "faults" ? "true" : "" };
}

const list = () => document.getElementById("list");

// isRead reports whether somebody reads the list, so that no row may move.
function isRead() {
  const l = list(), selection = getSelection();
  return !!l && (l.matches(":hover") || l.contains(document.activeElement) || l.scrollTop > 0 || (!selection.isCollapsed && l.contains(selection.anchorNode)));
}

async function load() {
  const filter = filters(), q = query(filter), changed = JSON.stringify(filter) !== shownFilter;
  const number = Number(state.query.get("request"));
  const [page, counts, all] = await Promise.all([get("journal", { ...q, limit: pageSize }), get("journal/stats", { ...q, since: "", until: "", sort: "" }), get("keys"), loadExchange(number)]);
  if (!routes.length) routes = (await get("routes")).routes;
  stats = counts;
  keys = all.keys;
  latest = filter.sort ? page.entries : page.entries.reverse();
  latestMore = page.more;
  if (changed || !rows.length) show();
  shownFilter = JSON.stringify(filter);
}

// show makes the latest entries the rows.
function show() {
  list()?.scrollTo(0, 0);
  rows = latest;
  more = latestMore;
}

// fresh returns the entries that wait.
function fresh() {
  const shown = new Set(rows.map((e) => e.number));
  return latest.filter((e) => !shown.has(e.number));
}

function showNew() {
  show();
  draw();
}

// update replaces entries that have changed, where they are.
function update(entries) {
  const byNumber = new Map(entries.map((e) => [e.number, e]));
  rows = rows.map((e) => byNumber.get(e.number) ?? e);
  if (exchange && byNumber.has(exchange.number)) exchange.ended = false; // So that it is read again.
}

function forget() {
  rows = latest = [];
  exchange = null;
}

async function loadOlder() {
  if (!more || filters().sort || loadOlder.running) return;
  loadOlder.running = true;
  await act(async () => {
    const page = await get("journal", { ...query(filters()), before: rows.at(-1).number, limit: pageSize });
    rows = [...rows, ...page.entries.reverse()];
    more = page.more;
  });
  loadOlder.running = false;
  draw();
}

async function loadExchange(number) {
  if (!number) exchange = null;
  if (!number || (exchange?.number === number && exchange.ended)) return;
  exchange = await find("journal/" + number);
  exchangeGone = !exchange;
}

const open = (number) => setQuery({ request: number }, !state.query.get("request"));
function close() {
  const number = state.query.get("request");
  setQuery({ request: "" });
  requestAnimationFrame(() => document.querySelector(`[data-keep="x${number}"]`)?.focus({ preventScroll: true }));
}

// step opens the request that is by rows further in the list.
function step(by) {
  const at = rows.findIndex((e) => e.number === exchange?.number), next = at < 0 ? by < 0 ? exchange?.newer : exchange?.older : rows[at + by]?.number;
  if (!next) return;
  open(next);
  const row = document.querySelector(`[data-keep="x${next}"]`);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

// View of the list.

const failed = (e) => e.ended && (e.status === null || e.status >= 400);
const statusKind = (e) => (!e.ended ? "wait" : e.status === null ? "bad" : e.status >= 500 ? "bad" : e.status >= 400 ? "warn" : "");
const statusText = (e) => e.status ?? (e.ended ? "none" : "…");
const tookKind = (e) => (e.took >= 1 ? "slowest" : e.took >= 0.1 ? "slow" : "");
const keyName = (e) => (e.key === "" ? "none" : keys.find((k) => k.id === e.key_id)?.token ?? e.key);

function marks(e) {
  return html`${e.error ? html`<span class=${"why " + statusKind(e)} title=${e.error.message}>${e.error.code}</span>` : nothing}
    ${e.repeats ? html`<span class="mark odd" title="This write was sent twice">repeats #${e.repeats}</span>` : nothing}${e.fault ? html`<span class="mark bad">fault</span>` : nothing}${e.throttled ? html`<span class="mark warn">throttled</span>` : nothing}`;
}

function row(e, selected) {
  return html`<li><a class=${"row " + (failed(e) ? statusKind(e) : "") + (e.repeats ? " twice" : "")} draggable="false" data-keep=${"x" + e.number} href=${path + toQuery({ ...filters(), request: e.number })} aria-current=${e.number === selected ? "true" : nothing}>
    <span class="no">${e.number}</span><time title=${e.at}>${clockTime(e.at)}</time><span class=${"method " + (e.method === "GET" ? "" : "write")}>${e.method}</span>
    <span class="what" title=${e.path + (e.query && "?" + e.query)}><span class="path">${shortIDs(e.path.replace("/api/v1", ""))}</span>${e.query ? html`<span class="query">?${e.query.slice(0, 200)}</span>` : nothing}</span>
    <span class="marks">${marks(e)}</span><span class=${"status " + statusKind(e)}>${statusText(e)}</span><code class="key" title=${keyName(e)}>${middle(keyName(e), 18)}</code>
    <span class="left">${e.limit === null ? "–" : e.remaining}</span><span class=${"took " + tookKind(e)}>${took(e.took)}</span></a></li>`;
}

function listView(selected) {
  const items = [], sorted = filters().sort, waiting = fresh().length;
  rows.forEach((e, i) => {
    if (!sorted && (i === 0 || dayOf(e.at) !== dayOf(rows[i - 1].at))) items.push({ day: dayOf(e.at) });
    items.push(e);
  });
  const scrolled = (event) => {
    const l = event.target;
    if (l.scrollTop + l.clientHeight > l.scrollHeight - 600) loadOlder();
    if (l.scrollTop === 0) draw();
  };
  return html`<section class="listing" aria-label="Requests">
    <div class="columns"><span class="no">No.</span><span>Time</span><span class="method">Method</span><span class="what">Path</span><span class="marks">${waiting ? html`<button class="new" @click=${showNew}>${waiting >= pageSize ? pageSize + "+" : waiting} new</button>` : nothing}</span>
      <span class="status">Status</span><span class="key">Key</span><span class="left">Remaining</span><span class="took"><button class="plain" aria-pressed=${sorted ? "true" : "false"} title="In real time; sorts by duration" @click=${() => setQuery({ sort: sorted ? "" : "took" })}>Took${sorted ? " ↓" : ""}</button></span></div>
    <ol id="list" class="list" tabindex="-1" aria-label="Requests, newest first" @scroll=${scrolled} @pointerleave=${draw} @focusout=${draw}>
      ${repeat(items, (e) => e.number ?? e.day, (e) => (e.day ? html`<li class="day">${e.day}</li>` : row(e, selected)))}
      ${more && !sorted ? html`<li class="more">Older requests follow…</li>` : nothing}</ol></section>`;
}

function filterBar(filter) {
  const change = (name) => (event) => setQuery({ [name]: event.target.value });
  const select = (name, label, all) => html`<select name=${name} aria-label=${label} class=${filter[name] ? "set" : ""} @change=${change(name)}>${options(all, filter[name])}</select>`;
  const active = filterNames.filter((name) => filter[name]).length;
  const methods = ["GET", "POST", "PATCH", "DELETE", "HEAD"];
  return html`<form class=${"filters folds " + (filtersOpen ? "open" : "")} role="search" aria-label="Filters" @submit=${(event) => event.preventDefault()}>
    <input type="search" name="text" placeholder="Search paths, bodies, codes, ids" aria-label="Search paths, bodies, responses, codes and ids" .value=${filter.text} @input=${typed}>
    <button type="button" class="plain fold" aria-expanded=${String(filtersOpen)} @click=${() => { filtersOpen = !filtersOpen; draw(); }}>Filters${active ? ` (${active})` : ""}</button>
    ${select("status", "Status", [["", "Any status"], ["failed", "Failed"], "2xx", "4xx", "5xx", ["none", "No response"], "400", "401", "402", "403", "404", "409", "429", "500", "502", "503"])}
    ${select("route", "Method or route", [["", "Any route"], ...methods.map((m) => [m, m + " …"]), ...routes.map((r) => r.route)])}
    ${select("key", "Key", [["", "Any key"], ...keys.map((k) => [k.id, middle(k.token ?? k.key, 30) + (k.state === "valid" ? "" : ` (${k.state})`)]), ["none", "No key"]])}
    ${select("only", "Marks", [["", "Everything"], ["repeated", "Writes sent twice"], ["faults", "Faults"]])}
    <input name="slower" class="slower" placeholder="Slower than" aria-label="Slower than a duration, such as 200ms" .value=${filter.slower} @input=${typed}>
    ${active ? html`<button type="button" class="plain" @click=${clearFilters}>Clear filters</button>` : nothing}
    <span class="tools"><a class="button plain" href="/_sandbox/journal?limit=10000&amp;details=true" download="journal.json">Export</a><button type="button" class="plain" @click=${clear}>Clear journal</button></span></form>`;
}

function clearFilters() {
  visit(path, { request: state.query.get("request") }, false);
}

async function clear() {
  if (await ask("Clear the journal?", `${plural(stats.count, "request")} of every key will be deleted. Nothing else changes.`, "Clear journal")) act(() => post("journal/clear"), "The journal is empty");
}

// The sparkline. A range of it filters by time.

const width = 600, height = 30;

function sparkline(filter) {
  const buckets = stats.buckets, n = buckets.length, highest = Math.max(...buckets.map((b) => b.count), 1), step = Math.min(width / n, 24);
  const length = n > 1 ? Date.parse(buckets[1].at) - Date.parse(buckets[0].at) : 1, begin = Date.parse(buckets[0].at);
  const clock = (at) => (n * length < 10000 ? at.slice(11, 23) : clockTime(at));
  const indexOf = (time) => Math.round((Date.parse(time) - begin) / length);
  const range = brush ?? (filter.since ? [indexOf(filter.since), indexOf(filter.until) - 1] : null);
  const [from, to] = range ? [Math.min(...range), Math.max(...range)] : [0, n - 1];
  const at = (event) => { const box = event.currentTarget.getBoundingClientRect(); return Math.max(0, Math.min(n - 1, Math.floor((event.clientX - box.left) / box.width * width / step))); };
  const choose = (a, b) => setQuery(a === null ? { since: "", until: "" } : { since: new Date(begin + Math.min(a, b) * length).toISOString(), until: new Date(begin + (Math.max(a, b) + 1) * length).toISOString() });
  const down = (event) => { brush = [at(event), at(event)]; event.currentTarget.setPointerCapture(event.pointerId); draw(); };
  const move = (event) => { if (brush) { brush = [brush[0], at(event)]; draw(); } };
  const up = () => { if (brush) { const [a, b] = brush; brush = null; if (range && a === b && filter.since) choose(null); else choose(a, b); } };
  const key = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const end = range ? Math.max(0, Math.min(n - 1, to + by)) : by > 0 ? 0 : n - 1;
    choose(event.shiftKey ? Math.min(from, end) : end, end);
  };
  const chosen = buckets.slice(from, to + 1), sum = (name) => chosen.reduce((total, b) => total + b[name], 0);
  const ends = [buckets[from].at, new Date(begin + (to + 1) * length).toISOString()], days = dayOf(ends[0]) !== dayOf(stats.end);
  const text = `${plural(sum("count"), "request")}, ${sum("failed")} failed`;
  return html`<div class="over-time"><svg id="sparkline" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" tabindex="0" role="slider" aria-label="Range of time" aria-valuemin="0" aria-valuemax=${n - 1} aria-valuenow=${to}
      aria-valuetext=${`${text}, ${ends[0]} to ${ends[1]}`} @pointerdown=${down} @pointermove=${move} @pointerup=${up} @keydown=${key}>
    ${range ? svg`<rect class="range" x=${from * step} y="0" width=${(to - from + 1) * step} height=${height}></rect>` : nothing}
    ${buckets.map((b, i) => svg`<g><title>${clock(b.at)}: ${plural(b.count, "request")}, ${b.failed} failed</title>
      <rect class="bar" x=${i * step + 0.5} width=${step - 1} y=${height - bar(b.count, highest)} height=${bar(b.count, highest)}></rect>
      <rect class="bar failed" x=${i * step + 0.5} width=${step - 1} y=${height - bar(b.failed, highest)} height=${bar(b.failed, highest)}></rect></g>`)}</svg>
    <p class="axis"><time>${days ? dayOf(ends[0]).slice(0, -5) + " " : ""}${clock(ends[0])}</time><span>${text}${filter.since ? html` <button class="plain small" @click=${() => choose(null)}>All times</button>` : nothing}</span><time>${clock(ends[1])}</time></p></div>`;
}

const bar = (count, highest) => (count ? Math.max(2, count / highest * height) : 0);

// chips shows the rate limits of the keys in use, the lowest first.
function chips() {
  const share = (k) => Math.min(k.read.remaining / k.read.limit, k.write.remaining / k.write.limit);
  const used = keys.filter((k) => k.state === "valid" && (k.read.reset || k.write.reset)).sort((a, b) => share(a) - share(b));
  const part = (quota, name) => html`<span class=${quota.remaining < quota.limit / 5 ? "low" : ""}>${quota.remaining} ${name}</span>`;
  return html`<ul class="chips" aria-label="Remaining requests by key">${used.slice(0, used.length > 4 ? 3 : 4).map((k) => html`<li><a href="/_sandbox/console/keys" title=${`${k.token}: ${k.read.remaining} of ${k.read.limit} reads and ${k.write.remaining} of ${k.write.limit} writes remaining`}><code>${middle(k.token, 18)}</code> ${part(k.read, "reads")} ${part(k.write, "writes")}</a></li>`)}
    ${used.length > 4 ? html`<li><a href="/_sandbox/console/keys">${used.length - 3} more</a></li>` : nothing}</ul>`;
}

// View of one request.

function pane(number) {
  const e = exchange;
  if (exchangeGone) return html`<section class="pane" aria-label="Request"><p>The journal no longer has request #${number}.</p><button class="plain" @click=${close}>Close</button></section>`;
  if (!e) return html`<section class="pane" aria-label="Request"></section>`;
  const link = (n) => html`<a href=${path + toQuery({ ...filters(), request: n })}>#${n}</a>`;
  return html`<section class="pane" aria-label=${"Request " + e.number}>
    <div class="title"><h2><span class=${"method " + (e.method === "GET" ? "" : "write")}>${e.method}</span> <span class="path" title=${e.path}>${shortIDs(e.path)}</span></h2>
      <span class="paging"><button class="plain small" aria-label="Previous request (k)" @click=${() => step(-1)}>↑</button><button class="plain small" aria-label="Next request (j)" @click=${() => step(1)}>↓</button><button class="plain small" aria-label="Close (Esc)" @click=${close}>✕</button></span></div>
    <p class="meta"><b class=${"status " + statusKind(e)}>${e.status ?? (e.ended ? "No response" : "In progress")}</b> <span>#${e.number}</span> <time title=${e.at}>${dayOf(e.at)} ${clockTime(e.at)}</time>
      <span class=${"took " + tookKind(e)}>${took(e.took)}</span> <code>${keyName(e)}</code> ${e.limit === null ? nothing : html`<span>${e.remaining} of ${e.limit} remaining</span>`} ${e.request_id ? html`<code>${e.request_id}</code>` : nothing}</p>
    ${e.error ? html`<p class=${"note " + statusKind(e)}><b>${e.error.code}</b> ${e.error.message}</p>` : nothing}
    ${e.fault ? html`<p class="note bad">Injected fault: ${faultText(e.fault)}</p>` : nothing}
    ${e.throttled ? html`<p class="note warn">Throttled, because of failed authentications from the same address.</p>` : nothing}
    ${e.repeats ? html`<p class="note odd">This write was sent twice: first as ${link(e.repeats)}.</p>` : nothing}${e.repeated_by ? html`<p class="note odd">This write was sent again as ${link(e.repeated_by)}.</p>` : nothing}
    ${message("Response", e.response, e.response_headers, e.response_cut ? e.response_size : 0)}${message("Request", e.body, e.headers, 0, e.query)}${copies(e)}</section>`;
}

function message(name, text, headers, size, query) {
  const shown = pretty(text ?? ""), left = size ? size - (text?.length ?? 0) : omitted(shown), params = query ? [...new URLSearchParams(query)] : [];
  return html`<section aria-label=${name}><h3>${name}${text ? copyButton(text, "Copy the body of the " + name.toLowerCase()) : nothing}</h3>
    ${params.length ? html`<dl class="headers">${params.map(([n, value]) => html`<dt>${n}</dt><dd>${value}</dd>`)}</dl>` : nothing}
    ${text ? html`<pre class="body" tabindex="0">${body(shown)}</pre>` : html`<p class="quiet">No body.</p>`}${left > 0 ? html`<p class="quiet">${left} more bytes</p>` : nothing}
    ${headers ? html`<details><summary>${plural(Object.keys(headers).length, "header")}</summary><dl class="headers">${Object.entries(headers).sort().map(([n, values]) => html`<dt>${n}</dt><dd>${values.join(", ")}</dd>`)}</dl></details>` : nothing}</section>`;
}

function copies(e) {
  const all = snippets(e, location.origin), [name, text] = all.find(([n]) => n === tab) ?? all[0] ?? [];
  const send = () => act(async () => open((await post(`journal/${e.number}/send`)).number), "The request was sent again");
  const acted = e.method !== "GET" && e.method !== "HEAD" && (e.status === null || e.status < 400 || e.status >= 500);
  return html`<section aria-label="Send again"><h3>Again <button class="small" id="send-again" ?disabled=${!e.ended} @click=${send}>Send again</button>${acted ? html`<small>The write takes effect a second time.</small>` : nothing}</h3>
    ${all.length ? html`<div class="tabs">${all.map(([n]) => html`<button class="plain small" aria-pressed=${String(n === name)} @click=${() => { tab = n; draw(); }}>${n}</button>`)}${copyButton(text, "Copy as " + name)}</div>
    <pre id="copied" tabindex="0">${text}</pre>` : html`<p class="quiet">The body is too long to be copied.</p>`}</section>`;
}

// Empty journal.

function guide() {
  const first = `curl -sS -H 'Authorization: Bearer sk_test_sandbox' ${location.origin}/api/v1/account`, env = `export HIRING_BASE_URL=${location.origin}\nexport HIRING_API_KEY=sk_test_sandbox`;
  return html`<section class="panel guide"><h1>No requests yet</h1><p>Point your program here. Its requests appear on this page.</p>
    <div class="copyable"><pre id="env" tabindex="0">${env}</pre>${copyButton(env, "Copy the environment")}</div><p>Or send a first request from a shell:</p><div class="copyable"><pre tabindex="0">${first}</pre>${copyButton(first, "Copy the command")}</div>
    <ul><li><code>sk_test_sandbox</code> sees sample data that never changes.</li><li><code>sk_live_sandbox</code> sees live data that keeps what is written: its candidates are in the <a href="/_sandbox/console/pipeline">pipeline</a>.</li>
    <li><a href="/_sandbox/console/faults">Faults</a> makes requests fail.</li></ul></section>`;
}

function view() {
  if (!stats) return nothing;
  if (rows !== latest && !isRead()) show();
  const filter = filters(), selected = Number(state.query.get("request")), filtered = filterNames.some((name) => filter[name]);
  if (!stats.count && !filtered) return guide();
  return html`<h1 class="gone">Journal</h1>${filterBar(filter)}
    ${stats.count ? html`<div class="overview">${sparkline(filter)}${chips()}</div>` : nothing}
    ${rows.length ? html`<div class=${"split " + (selected ? "open" : "")}>${listView(selected)}${selected ? pane(selected) : nothing}</div>`
      : html`<p class="panel none">No request matches. <button @click=${clearFilters}>Clear filters</button></p>`}`;
}

function key(name) {
  const opened = state.query.get("request");
  if (name === "j" || name === "k") {
    if (opened) step(name === "j" ? 1 : -1);
    else chooseRow("#list .row", name === "j" ? 1 : -1);
  } else if (name === "Escape" && opened) close();
  else if (name === "n") showNew();
  else return false;
  return true;
}

export const journal = { name: "journal", title: "Journal", path, changes: ["entries"], load, view, key, update, forget, heading: () => (state.query.get("request") ? `#${state.query.get("request")}` : "Journal") };
