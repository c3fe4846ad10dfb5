// The journal: the list of requests, and one request beside it.
import { html, nothing, svg } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, actionsSince, copyButton, draw, find, follow, get, isRead, kept, openFaults, openPopup, say, setQuery, state, toQuery, undo, undoName, visit } from "./core.js";
import { actionText, candidatePath, clockTime, dayOf, effects, exact, faultText, fromJSON, fullTime, middle, plural, shortDay, shortIDs, span, stepText, took } from "./format.js";
import { copyCurl, doneText, exportOf, failLink, failed, keyName, lower, outcome, pane, productOf, programOf, queryOf, requestQuery, usesOf, why, statusKind, statusText } from "./request.js";
import { address } from "./candidate.js";
import { comparison, partner } from "./compare.js";
import { groupsOf, groupsView, programsOf } from "./groups.js";
import { clearSearch, countTerms, endTyping, hasTerm, interval, isOfWindow, plainWords, searchField, searched, searchFile, unknown, switches, toServer, toggleTerm } from "./search.js";

const path = "/_sandbox/",
  pageSize = 100,
  maxFresh = 10, // New rows that fade in: more at once would only flicker, and keep the browser busy.
  maxRun = 3, // Actions in a row that are not folded.
  maxRows = 10000;

// rows are the requests in the list, newest first, and actions what the tester did between them,
// oldest first. New ones wait while somebody reads the list. items are the rows and the actions
// with a separator where the day changes, of which some around the scrolled position are drawn. more
// reports whether the server has older requests.
let [rows, actions, waiting, waitingActions, items, more] = [[], [], [], [], [], false];
let since = "", // Time of the oldest request that the server has, if it dropped older ones.
  stats = null,
  exchange = null,
  other = null, // The request that the open one is compared with.
  words = [], // Of the search that found the rows.
  groups = null, // Of all requests that match, while the groups are shown.
  newest = 0, // Number of the newest request of the server when it made the statistics.
  today = "", // Of the clock, when the items were made.
  writes = [], // The open request and those that repeat it.
  allActions = [], // Also those that the search hides.
  candidate = null, // Whom the open request concerns.
  uses = null, // The search for the requests that used up the rate limit which refused it, and the programs that sent them.
  lost = "", // Why the open request is not there.
  refused = null, // Why the server refused the search.
  range = null, // The first and the last bar that the pointer is on or was dragged over.
  loading = null, // Of older requests.
  isHidden = false, // Whether the search excludes the open request.
  isChanged = false, // Whether the open request has changed since it was read.
  fresh = Infinity; // Rows from this number on are new.
const unfolded = new Set(); // Names of runs of actions and of equal reads.
let runs = new Map(); // The run of equal reads of each request that is in one.
let shown = null; // The search and the view of the rows.
let [cursor, reveal, seen] = [0, 0, 0]; // Numbers of requests: of the one with the focus, the one to scroll to, and the last one in the pane.
let first = 0; // Index of the first item that is drawn.

const opened = () => Number(state.query.get("request"));
const isOfEarlierRun = () => !state.file && (state.query.get("run") || state.run) !== state.run;
const list = () => document.getElementById("list");
let rowHeight = 30, // It is larger where the list is narrow, and with a larger font.
  head = null; // The line above the rows. Its size changes with theirs.
const sizes = new ResizeObserver(() => {
  const height = list()?.querySelector("ol > li")?.getBoundingClientRect().height;
  if (!height || height === rowHeight) return;
  [rowHeight, reveal] = [height, cursor];
  draw();
});

const areAlone = () => localStorage.getItem("rows") === "requests";
const isGroups = () => state.query.get("view") === "groups";
const query = () => ({ search: toServer() });
const wanted = () => JSON.stringify([searched(), isGroups(), areAlone(), state.file?.name]); // What shown will be when it is loaded.
const isStale = () => !state.connected && shown !== wanted(); // The rows are of an earlier search.
const noMatch = () => `No request matches${since && !state.file ? ` among the newest ${state.all.count.toLocaleString("en")}, since ${fullTime(since)}` : ""}.`;

async function load(change) {
  const asGroups = isGroups(),
    name = wanted(),
    number = opened();
  if (shown && name !== shown) list()?.scrollTo(0, 0);
  if (name !== shown && state.file) loadFile();
  else if (name !== shown) {
    const page = await loadPage({ ...query(), limit: asGroups ? 1 : pageSize, grouped: asGroups || "" });
    if (!page) return (shown = "refused"); // The search of the rows is read again.
    if (page.run === state.run) state.isLost = false; // The server was not restarted.
    ({ run: state.run, newest, groups, since, stats, actions: allActions, snapshots: state.snapshots } = page);
    actions = allActions.filter(isShown);
    waitingActions = [];
    if (!searched()) state.all = stats;
    setRows(page.entries.reverse(), page.more);
    follow(query(), page.position, change);
  }
  shown = name;
  words = plainWords(toServer());
  await loadExchange(number);
  const isThere = () => !exchange || rows.some((e) => e.number === exchange.number);
  if (exchange && !asGroups && (exchange.number !== cursor || !isThere())) await loadRow(exchange.number);
  isHidden = searched() !== "" && !asGroups && !isThere();
}

// loadPage reads a page. A search that the server refuses leaves the rows as they are.
async function loadPage(q) {
  try {
    const page = await get("journal", q);
    refused = null;
    return page;
  } catch (error) {
    if (error.field !== "search") throw error;
    refused = new Error(lower(error.message)); // It begins with the name as it is typed.
    return null;
  }
}

// loadFile shows the requests of a file that match the search. The bars are those of the whole file.
function loadFile() {
  let found;
  [found, refused] = searchFile(searched());
  actions = state.file.actions.filter(isShown);
  setRows(found.toReversed(), false);
  groups = isGroups() ? groupsOf(found, state.file.stats.buckets) : null;
  const counted = refused ? state.file.entries : found;
  stats = { ...state.file.stats, count: counted.length, failed: counted.filter(failed).length, terms: countTerms(counted) };
}

// read returns a request with its bodies, or null.
const read = async (n) => (state.file ? (state.file.entries.find((e) => e.number === n) ?? null) : find("journal/" + n));

// loadExchange reads the open request. One that was shown and is gone, as after a reset, is closed.
async function loadExchange(number) {
  const isEarlier = isOfEarlierRun();
  const isLoaded = exchange?.number === number && exchange.ended && !exchange.isOld && !isChanged;
  isChanged = false;
  if (!number) exchange = null;
  else if (isEarlier || !isLoaded) {
    const next = isEarlier ? null : await read(number);
    [writes, candidate, allActions, uses] = next ? await storyOf(next) : [[], null, allActions, null];
    exchange = next;
    const last = !exchange && !isEarlier && !state.file && (await get("journal", { limit: 1 })).newest;
    lost = isEarlier ? "is from an earlier run of the sandbox: an exported file would have it." : state.file ? "is not in the file." : number <= last ? "is no longer in the journal." : last ? `does not exist: the newest is #${last}.` : "does not exist: there was none yet.";
    if (exchange) seen = number;
    else if (seen === number && opened() === number) setQuery({ request: "", run: "", with: "" });
  }
  const second = exchange && Number(state.query.get("with"));
  if (!second) other = null;
  else if (other?.number !== second) other = await read(second);
}

// storyOf reads the writes that a request repeats and those that repeat it, whom it concerns, all actions, and what used up its rate limit.
async function storyOf(e) {
  const first = e.repeats ?? e.number;
  if (state.file) return [state.file.entries.filter((w) => (w.repeats ?? w.number) === first), null, state.file.actions, null];
  const [{ entries, actions }, { candidates }] = await Promise.all([
    get("journal", { search: `repeats:${first}` }),
    get("candidates", { text: e.subject ?? "", limit: 50 }),
  ]);
  const ids = (c) => [c.id, c.submission_id, c.assessment_id].filter(Boolean);
  const uses = usesOf(e, actions);
  if (uses) uses.programs = programsOf((await get("journal", { search: uses.search, limit: 1, grouped: true })).groups);
  return [entries, candidates.find((c) => c.candidate_email === e.subject && ids(c).some((id) => e.path.includes(id))), actions, uses];
}

// loadRow makes the row of a request part of the list, which may be older than the others.
async function loadRow(number) {
  cursor = reveal = number;
  if (more && number < rows.at(-1).number) {
    const page = await get("journal", { ...query(), after: number - 20, limit: maxRows });
    actions = page.actions.filter(isShown);
    setRows(page.entries.reverse(), true);
  }
  if (rowOf(number) !== number) toggleFold(runs.get(number).name);
}

// loadOlder adds older requests, after those that are being loaded.
async function loadOlder(limit = 10 * pageSize) {
  while (loading) await loading;
  if (!more) return;
  const before = rows.at(-1).number,
    filter = shown;
  loading = act(async () => {
    const page = await get("journal", { ...query(), before, limit });
    if (filter !== shown || rows.at(-1)?.number !== before) return; // The list was read again meanwhile.
    actions = [...page.actions.filter((a) => isShown(a) && a.after < before - 1), ...actions];
    setRows([...rows, ...page.entries.reverse()], page.more, waiting);
  });
  await loading;
  loading = null;
  draw();
}

function setRows(next, older, wait = []) {
  rows = next.slice(0, maxRows);
  more = older && rows.length < maxRows;
  waiting = wait;
  items = [];
  const nameOf = ({ at, kind, after }, undo) => `${at} ${kind} ${undo?.after ?? after}`,
    undone = new Set(actions.flatMap((a) => (a.undone ?? []).map((u) => nameOf(u, a)))),
    shownActions = actions.filter((a) => !undone.has(nameOf(a))); // Without those whose undo followed before the next request, and names them.
  let day = (today = state.clock?.now.slice(0, 10) ?? rows[0]?.at.slice(0, 10)),
    at = shownActions.length - 1;
  const addDay = (time) => {
    if (day !== time.slice(0, 10)) items.push({ day: (day = time.slice(0, 10)) });
  };
  const addActions = (number) => {
    while (shownActions[at]?.after >= number) {
      const { at: time, after } = shownActions[at],
        all = [];
      while (shownActions[at]?.after >= number && dayOf(shownActions[at].at) === dayOf(time)) all.push({ action: shownActions[at--] });
      const run = { name: `${all.at(-1).action.at} ${after}`, all };
      addDay(time);
      if (all.length > maxRun) items.push({ run });
      if (all.length <= maxRun || unfolded.has(run.name)) items.push(...all);
    }
  };
  for (const e of rows) {
    addActions(e.number);
    addDay(e.at);
    items.push(e);
  }
  if (!more) addActions(0);
  if (!items[0]?.day && items.some((e) => e.day)) items.unshift({ day: today }); // Otherwise all are of today.
  runs = runsOf(items);
  items = items.filter((e) => rowOf(e.number) === e.number);
}

// runsOf returns the runs of the items, by the number of each request in them. A run is three or more equal reads with consecutive
// numbers, such as polls. A run keeps the name under which it was unfolded when older reads join it.
function runsOf(all) {
  const groups = [];
  for (const e of all)
    if (isLike(e, groups.at(-1)?.at(-1))) groups.at(-1).push(e);
    else groups.push([e]);
  const nameOf = (reads) => reads.map((e) => "reads " + e.number).findLast((name) => unfolded.has(name)) ?? "reads " + reads.at(-1).number;
  return new Map(groups.filter((reads) => reads.length > 2).map((reads) => ({ name: nameOf(reads), all: reads })).flatMap((run) => run.all.map((e) => [e.number, run])));
}

// isLike reports whether e and the item above it are consecutive reads whose rows have the same text but for durations below a second.
const isLike = (e, above) => e.method === "GET" && e.ended && e.number + 1 === above?.number && rowMembers.every((n) => e[n] === above[n]) && e.took < 1 === above.took < 1 && ["error", "fault"].every((n) => JSON.stringify(e[n]) === JSON.stringify(above[n]));
const rowMembers = ["method", "path", "query", "status", "ended", "subject", "pending", "throttled", "key_id", "agent", "from_page"];

// rowOf returns the number of the row that shows a request: the first one of its run while the run is folded.
function rowOf(number) {
  const run = runs.get(number);
  return run && !unfolded.has(run.name) ? run.all[0].number : number;
}

const isFirst = (e) => runs.get(e.number)?.all[0] === e; // Of a run.

// toggleFold shows or hides the items of a run.
function toggleFold(name) {
  if (!unfolded.delete(name)) unfolded.add(name);
  setRows(rows, more, waiting);
  draw();
}

// isShown reports whether the list shows an action: with a search, those that concern its candidate, or are in its time window. None if the requests are alone.
const isShown = (a) => !areAlone() && (isOfWindow(a.at) || hasTerm("candidate:" + a.subject));

// entries takes new and changed entries: the changed ones where they are, the new ones as rows
// that wait.
function entries(all) {
  if (state.file) return;
  const news = new Map(all.map((e) => [e.number, e]));
  const replace = (e) => {
    const found = news.get(e.number) ?? e;
    news.delete(e.number);
    return found;
  };
  setRows(rows.map(replace), more, waiting.map(replace));
  waiting = [...waiting, ...news.values()].slice(-maxRows);
  if (all.some((e) => e.number === opened())) {
    isChanged = true;
    journal.refresh();
  }
  draw();
}

function showNew() {
  merge();
  list()?.scrollTo(0, 0);
  if (list()?.contains(document.activeElement)) focusRow(rows[0].number);
  draw();
}

// merge shows what waits.
function merge() {
  fresh = rows.length && waiting.length <= maxFresh ? rows[0].number + 1 : Infinity;
  actions = [...actions, ...waitingActions];
  waitingActions = [];
  setRows([...rows, ...waiting].sort((a, b) => b.number - a.number), more);
}

// count reads the statistics and groups of the requests that match again.
async function count() {
  if (shown === null || state.file || refused) return;
  const page = await get("journal", { ...query(), limit: 1, grouped: groups ? true : "" });
  ({ stats, newest } = page);
  groups &&= page.groups ?? groups;
}

// forget makes the next load read everything again. Until then the list keeps its rows and its scroll position.
function forget() {
  shown = null;
  exchange &&= { ...exchange, isOld: true };
}

// Navigation.

const visibleIndex = () => Math.max(0, Math.floor((list()?.scrollTop ?? 0) / rowHeight) - 8);

function scrolled() {
  const l = list();
  if (l.scrollTop + l.clientHeight > l.scrollHeight - 1500 && !loading) loadOlder();
  if (l.scrollTop === 0 || Math.abs(visibleIndex() - first) >= 4) draw();
}

// drawn scrolls to the row that was opened. The rows are measured in each new layout: at each draw that would be slow.
function drawn() {
  const l = list(),
    columns = l?.querySelector(".columns"),
    at = reveal ? items.findIndex((e) => e.number === reveal) : -1;
  if (columns && columns !== head) {
    sizes.disconnect();
    sizes.observe((head = columns));
  }
  if (at < 0 || !l?.clientHeight) return;
  reveal = 0;
  const headHeight = l.firstElementChild.offsetHeight,
    top = headHeight + at * rowHeight;
  if (top < l.scrollTop + headHeight + rowHeight || // The day covers a row.
    top + rowHeight > l.scrollTop + l.clientHeight) {
    l.scrollTop = top - l.clientHeight / 2;
  }
  draw();
}

// focusRow gives the focus to the row that shows a request.
async function focusRow(request) {
  const number = (cursor = reveal = rowOf(request));
  kept("x" + number)?.focus({ preventScroll: true }); // At once, for a key that follows.
  await draw();
  await draw(); // The row that was revealed.
  if (cursor === number && !document.activeElement.matches("input")) kept("x" + number)?.focus({ preventScroll: true }); // Unless the user types or presses another key meanwhile.
}

const inside = (all, index) => Math.max(0, Math.min(all.length - 1, index));

// move goes to another row, or to another request if one is open.
function move(columns, by, isLoaded) {
  if (!rows.length || refused) return false;
  if (columns) {
    const run = runs.get(focusedNumber());
    if (run?.all[0].number !== focusedNumber() || unfolded.has(run.name) === columns > 0) return false;
    toggleFold(run.name);
    return true;
  }
  if (isGroups()) {
    const lines = [...document.querySelectorAll(".groups [data-keep]")];
    lines[inside(lines, lines.indexOf(document.activeElement) + by)]?.focus();
    return true;
  }
  if (by === Infinity && more && !isLoaded) return loadOlder(maxRows).then(() => move(columns, by, true));
  const all = items.filter((e) => e.number),
    at = all.findIndex((e) => e.number === rowOf(opened() || cursor)), // The row of the open request may still be loading.
    next = all[at < 0 && by !== Infinity ? 0 : inside(all, at + by)].number;
  const inPane = document.querySelector(".pane")?.contains(document.activeElement);
  if (opened()) setQuery({ ...requestQuery(next), with: "" });
  if (!inPane) focusRow(next);
  return true;
}

function close() {
  const number = opened();
  setQuery({ request: "", run: "", with: "" });
  focusRow(number);
}

// focusedNumber returns the number of the request whose row has the focus, or NaN.
const focusedNumber = () => Number(document.activeElement.closest("[data-keep^=x]")?.dataset.keep.slice(1));

// compare compares the open or focused request with the request that has a given number, or else with the last success like it. Without
// a number, it closes an open comparison.
function compare(given) {
  act(async () => {
    if (other && !given) return setQuery({ with: "" });
    const e = await read(opened() || focusedNumber()),
      number = given ?? (e && (await partner(e)));
    if (!number) return say(`No other request of this route ${state.file ? "in this file " : ""}succeeded`);
    if (!(await read(number))) throw new Error(`Request #${number} is not in the journal`);
    setQuery({ ...requestQuery(e.number), with: number });
  });
}

// save saves a request, the writes that it repeats or that repeat it, and the request of an open comparison. Without a comparison, a
// failed request is saved with the one that Compare would show.
const save = (e) => act(async () => {
  const like = other?.number ?? (failed(e) && (await partner(e))),
    name = `request-${e.number}.json`;
  Object.assign(document.createElement("a"), { download: name, href: exportOf({ search: `repeats:${[e.repeats ?? e.number, ...(like ? [like] : [])]}` }, "") }).click();
  say(`Saved as ${name}${like ? `, with #${like} to compare` : ""}. The page of any sandbox can open it`);
});

const toggleGroups = () => setQuery({ view: isGroups() ? "" : "groups" }, true);

function key(name) {
  const isThere = !opened() || exchange || !lost, // Otherwise the pane says why there is no request.
    number = isThere && (opened() || focusedNumber());
  if (name === "Escape" && other) setQuery({ with: "" });
  else if (name === "Escape" && opened()) close();
  else if (name === "n") showNew();
  else if (name === "e") toggleTerm("is:failed");
  else if (name === "w") toggleTerm("is:repeated");
  else if (name === "g") {
    toggleGroups();
    state.entering = `#list [data-keep^=${isGroups() ? "g" : "x"}]`;
  }
  else if (name === "d" && number) compare();
  else if (name === "y" && number) act(async () => copyCurl(await read(number)));
  else if (name === "f" && opened() && exchange?.route && !state.file) openPopup("failing");
  else if (name === "f" && number && !state.file) act(async () => openFaults(failLink(await read(number))));
  else return false;
  return true;
}

// View of the list.

const tookKind = (e) => (e.took >= 1 ? "slowest" : e.took >= 0.1 ? "slow" : "");
const href = (number) => path + toQuery({ q: searched(), view: isGroups() ? "groups" : "", ...requestQuery(number) });

// marks returns what is odd about a request: why it failed, and that a write was repeated. A narrow list leaves out what the status and the title also say.
function marks(e) {
  const mark = (kind, text, title = "") => html`<span class=${"mark " + kind} title=${title}>${text}</span>`;
  const before = e.repeats && rows.find((r) => r.number < e.number && (r.repeats ?? r.number) === e.repeats);
  const done = doneText(e);
  const longer = (text) => html`<span class="longer">${text}</span>`;
  return [
    e.fault
      ? mark(e.done && done ? "good" : "bad", done ? html`${done}${longer(" · " + effects(e.fault)[0])}` : html`<span class="long">fault: </span>${effects(e.fault)[0]}`, faultText(e.fault))
      : e.error
        ? html`<span class=${"why " + statusKind(e)} title=${`${e.error.code}: ${e.error.message}`}>${done ? done + ": " : ""}${why(e)}</span>`
        : e.pending ? html`<span class="quiet">not evaluated yet</span>` : done && html`<span class="gone">${done}</span>`,
    e.number === other?.number && mark("compared", "compared"),
    e.undone && mark("odd", "undone"),
    e.from_page && mark("page", "by the page"),
    e.repeats
      ? mark("odd", html`${longer("again ")}after #${before?.number ?? e.repeats}${before ? longer(": " + statusText(before)) : nothing}`, before ? `Sent again after #${before.number}, ${outcome(before)}` : "Sent again")
      : e.repeated_by && mark("odd", html`${longer("sent ")}again: #${rows.findLast((r) => r.repeats === e.number)?.number ?? e.repeated_by}`),
  ].filter(Boolean);
}

function row(e, tabbable) {
  const kind = failed(e) ? statusKind(e) : "",
    odd = marks(e),
    path = e.route ? e.path.replace("/api/v1", "") : e.path, // All of one that may have the wrong base.
    tail = path.search(/\/[^/]*(\/[0-9a-f-]{36})?$/i), // An id says nothing without the segment before it.
    [second, millis] = [clockTime(e.at), e.at.slice(19, 23)];
  const word = (text) => html`<span class="gone">${text}</span>`; // The content is the row's name.
  return html`<a class=${`row ${kind} ${e.repeats || e.repeated_by ? "twice" : ""} ${e.number >= fresh ? "fresh" : ""} ${e.subject ? "named" : ""} ${odd.length ? "marked" : ""}`} draggable="false"
      href=${href(e.number)} data-keep=${"x" + e.number} aria-current=${e.number === rowOf(opened()) && !isOfEarlierRun() ? "true" : nothing}
      tabindex=${e.number === tabbable ? 0 : -1}>
    <span class=${"status " + statusKind(e)}>${statusText(e)}</span>
    <span class=${"method " + (e.method === "GET" ? "" : "write")}>${e.method}</span>
    <span class="what" title=${e.path + (e.query && "?" + e.query)}>${tail ? html`<span class=${e.route ? "path" : ""}>${shortIDs(path.slice(0, tail))}</span>` : nothing}<span>${shortIDs(path.slice(tail))}</span>${e.query ? html`<span class="query">?${queryOf(e)}</span>` : nothing}</span>
    <span class="about"><bdi class="subject" title=${e.subject ?? ""} .style=${`--least:${(e.subject ?? "").length}ch`}>${e.error?.field === "candidate_email" ? `“${e.subject}”` : address(e.subject ?? "")}</bdi><span class="marks">${odd}</span></span>
    <span class="program" title=${programOf(e)}>${productOf(programOf(e))}</span><code class="key" title=${keyName(e)}>${middle(keyName(e), 18)}</code>
    <span class=${"took " + tookKind(e)}>${word("took ")}${e.ended ? took(e.took) : "–"}</span>
    <time title=${e.at}>${word("at ")}${second}<span class="millis">${millis}</span></time>${word("number ")}<span class="no">${e.number}</span></a>`;
}

// foldButton returns a button that shows or hides the other reads of a run. The arrow keys of the row do the same.
function foldButton(e) {
  if (!isFirst(e)) return nothing;
  const { name, all } = runs.get(e.number),
    isOpen = unfolded.has(name),
    label = `×${all.length}: ${isOpen ? "hide" : "show"} the others like #${e.number}, since ${clockTime(all.at(-1).at)}`;
  return html`<button class="plain small run" tabindex="-1" title=${label} aria-label=${label} aria-expanded=${String(isOpen)} @click=${() => (toggleFold(name), focusRow(e.number))}>×${all.length}</button>`;
}

// rowText says what an action did. The row of a move of the clock has the time to which it was moved.
const rowText = (a) => actionText(a).replace(` to ${fullTime(a.at)}`, "");

// actionRow shows an action. The first one after a snapshot can be undone, with those after it. An action of a file is text alone: its
// candidates and snapshots are not those of the server.
function actionRow(a) {
  const s = !state.file && state.snapshots.find(({ actions: [x] }) => x.at === a.at && x.kind === a.kind && x.after === a.after),
    name = s && (actionsSince(s).length > 1 ? `Undo ${actionsSince(s).length} actions` : "Undo");
  return html`<span title=${actionText(a)}>${a.id && !a.undone && !state.file ? html`<a href=${candidatePath(a.id)}><bdi>${a.subject}</bdi></a> ${stepText(a)}` : a.undone ? html`${a.kind}: <s>${a.undone.map(rowText).join(", ")}</s>` : rowText(a)}</span>
    ${s ? html`<button class="plain small" @click=${() => undo(s.id, s)} title=${`${undoName(s, name)}: ${actionsSince(s).slice(0, 9).map(actionText).join(", ")}`} aria-label=${undoName(s, name) + ": " + actionText(a)}><span>${name}${s.writes ? html` (${plural(s.writes, "write")}<span class="gone"> of your program</span>)` : nothing}</span></button>` : nothing}<time title=${a.at}>${clockTime(a.at)}</time>`;
}

// runRow stands for a run of actions, and shows or hides them.
function runRow({ name, all }) {
  const [{ action }] = all,
    isOpen = unfolded.has(name);
  return html`<span>${plural(all.length, "action")}, the last: ${actionText(action)}</span>
    <button class="plain small" aria-expanded=${String(isOpen)} aria-label=${`${isOpen ? "Hide" : "Show"} ${plural(all.length, "action")}`} @click=${() => toggleFold(name)}>${isOpen ? "Hide" : "Show"}</button><time title=${action.at}>${clockTime(action.at)}</time>`;
}

function listView(empty) {
  const space = (n) => `height:${n * rowHeight}px`;
  if (today !== (state.clock?.now.slice(0, 10) ?? today)) setRows(rows, more, waiting); // The clock was moved.
  first = state.isPrinting ? 0 : visibleIndex();
  const last = state.isPrinting ? 1000 : first + Math.ceil(innerHeight / rowHeight) + 16;
  const part = items.slice(first, last);
  const day = first > 0 && items.findLast((e, i) => e.day && i < first);
  if (day && part[0]?.number) part[0] = day;
  const tabbable = part.some((e) => e.number === cursor) ? cursor : part.find((e) => e.number)?.number;
  const news = waiting.length + waitingActions.length;
  return html`<section class="listing" id="list" aria-label="Requests" tabindex="-1"
      @scroll=${scrolled} @pointerleave=${draw} @focusout=${draw}>
    <div class="columns"><span class="status">Status</span><span class="method">Method</span>
      <span class="what">Request</span><span class="subject"></span><span class="marks"><span class="reason">Reason</span>${
        news ? html`<button class="new" @mousedown=${(event) => event.preventDefault() /* The focus stays where it is, and without it in the list, the list goes on moving. */} @click=${showNew}>${news} new</button>` : nothing
      }</span><span class="program">Program</span><span class="key">Key</span><span class="took" title="In real time">Took</span><span class="time">Time</span><span class="no">No.</span></div>
    ${empty}<div class="space" .style=${space(first)}></div>
    <ol aria-label="Requests, newest first">${repeat(
      part,
      (e, i) => e.number ?? e.run?.name ?? (e.day ? "day" + i : e.action.at + e.action.kind + e.action.subject), // After the undo of a move, a day comes twice.
      (e, i) => html`<li class=${runs.has(e.number) && !isFirst(e) ? "member" : e.number ? "" : e.day ? "day" : "action"} aria-setsize=${more ? -1 : items.length} aria-posinset=${first + i + 1}>${
        e.day ? dayOf(e.day) : e.run ? runRow(e.run) : e.action ? actionRow(e.action) : [row(e, tabbable), foldButton(e)]}</li>`,
    )}</ol>
    <div class="space" .style=${space(Math.max(0, items.length - last))}></div></section>`;
}

function filterBar() {
  return html`<form class="filters" role="search" aria-label="Search" @submit=${(event) => event.preventDefault()}>
    ${searchField(refused, rows)}<span class="buttons"><span class="joined">${switches(refused ? {} : stats.terms)}</span>
    <span class="tools"><span class="joined"><button type="button" class="plain" id="groups" title="Shortcut: g" aria-keyshortcuts="g" aria-pressed=${String(isGroups())} @click=${toggleGroups}>Groups</button>
        <button type="button" class="plain" id="alone" ?disabled=${isGroups()} aria-pressed=${String(areAlone())} title="What you did between the requests" @click=${() => (localStorage.setItem("rows", areAlone() ? "all" : "requests"), journal.refresh())}>Hide actions</button></span>
        <span class="joined">${state.file ? nothing : html`<a class="button plain" download="journal.json.gz" href=${exportOf({ ...query(), limit: maxRows })} @click=${() => say("Saved as journal.json.gz")}>Export</a>`}${fileButton()}</span></span></span></form>`;
}

// fileBanner says that a file is shown, and whether it has all requests of its sandbox.
const fileBanner = ({ name, newest, entries }) =>
  html`<p class="banner" role="status">From a file: <b>${name}</b>, ${newest > entries.length ? `${entries.length.toLocaleString("en")} of the ${plural(newest, "request")} that its sandbox received` : plural(entries.length, "request")}, read-only. Reloading the page closes it.
    <button class="plain small" @click=${() => showFile(null)}>Close the file</button></p>`;

// showFile shows an exported journal in place of the server's, or the server's again.
function showFile(file) {
  state.file = file;
  forget();
  const saved = Number(/^request-(\d+)/.exec(file?.name)?.[1]), // See save.
    others = file?.entries.filter((e) => e.number !== saved);
  visit(path, file?.entries.length && file.entries.length < 10 ? { ...requestQuery(saved || file.entries[0].number), with: saved && others.length === 1 ? others[0].number : "" } : {});
}

const isExport = (value) => Array.isArray(value?.entries) && value.entries.every((e) => e.number && e.at && e.method && e.path);

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  openFile(event.dataTransfer);
});

// openFile shows the first of some files.
function openFile({ files: [file] }) {
  if (!file) return;
  act(async () => {
    const unzipped = new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).text();
    const value = fromJSON(await unzipped.catch(() => file.text()).catch(() => "")); // Also one that is not compressed.
    if (!isExport(value)) throw new Error(`${file.name} is not an exported journal`);
    showFile({ actions: [], ...value, name: file.name });
  });
}

const fileButton = () => html`<label class="button plain">Open file<input type="file" class="gone" accept=".json,.gz"
  @change=${({ target }) => openFile(target)}></label>`;

// sparkline shows the requests in buckets of equal time, with those that failed, refused ones above the others. The longest idle times are shortened.
// Dragging over the bars chooses a time window, and so do the arrows, with Shift for several bars, and Enter.
function sparkline() {
  const { buckets, length } = stats.buckets?.length ? stats : state.all, // Of all requests if none matches.
    begin = buckets[0].at,
    endOf = (i) => buckets[i + 1]?.at ?? new Date(Date.parse(buckets[i].at) + (length ?? 1) * 1000).toISOString(),
    end = endOf(buckets.length - 1),
    [width, height] = [600, 48],
    isIdle = (i) => !!buckets[i + 1]?.idle && !buckets[i].count,
    idle = [...buckets.keys()].filter(isIdle),
    pixel = width / innerWidth, // About.
    em = parseFloat(getComputedStyle(document.body).fontSize),
    labelWidth = 7 * em,
    isLabelled = idle.length * labelWidth * pixel < width / 3, // A shortened idle time has a place for its length if there are few, or else is a thin line.
    idleWidth = (isLabelled ? labelWidth : 8) * pixel,
    step = (width - idle.length * idleWidth) / (buckets.length - idle.length),
    xs = [0],
    barWidth = Math.min(step, 10) - 1,
    highest = Math.max(...buckets.map((b) => b.count), 1),
    usual = buckets.reduce((n, b) => n + b.count, 0) / buckets.filter((b) => b.count).length,
    scaled = highest > 12 * usual ? Math.log1p : Number; // After a burst the others would be too low to see.
  if (range?.some((i) => i >= buckets.length)) range = null; // Of earlier bars.
  for (const i of buckets.keys()) xs.push(xs[i] + (isIdle(i) ? idleWidth : step));
  const bar = (kind, i, y, h) => svg`<rect class=${kind} x=${(xs[i] + xs[i + 1] - barWidth) / 2} width=${barWidth} y=${y} height=${h} rx="1"></rect>`;
  const group = (b, i) => {
    const h = b.count ? Math.max(4, (scaled(b.count) / scaled(Math.max(highest, 4))) * height) : 0,
      size = (n) => Math.max(2, (n / b.count) * h),
      part = (kind, n) => (n ? [bar(kind, i, height - size(n), size(n)), size(n) < h ? bar("gap", i, height - size(n) - 2, 2) : nothing] : nothing);
    return svg`${h ? bar("bar", i, height - h, h) : nothing}${part("bar failed", b.failed)}${part("bar broken", b.failed - b.refused)}`;
  };
  const indexAt = ({ clientX, currentTarget }) => {
    const { left, width: shownWidth } = currentTarget.getBoundingClientRect();
    return inside(buckets, xs.findLastIndex((x) => x <= ((clientX - left) / shownWidth) * width));
  };
  const choose = (next) => {
    range = next;
    draw();
  };
  const isPressed = ({ currentTarget, pointerId }) => currentTarget.hasPointerCapture(pointerId);
  const over = (event) => choose([isPressed(event) ? range[0] : indexAt(event), indexAt(event)]);
  const down = (event) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    choose([indexAt(event), indexAt(event)]);
  };
  const chosen = () => {
    const [a, b] = [Math.min(...range), Math.max(...range)],
      sum = (name) => buckets.slice(a, b + 1).reduce((n, x) => n + x[name], 0);
    return { from: buckets[a].at, to: endOf(b), count: sum("count"), failed: sum("failed") };
  };
  const take = () => {
    const { from, to, count } = chosen();
    choose(null);
    if (count) setQuery({ q: interval(from, to) }, true); // A time without requests shows nothing.
  };
  const up = (event) => isPressed(event) && take(); // Otherwise the press was elsewhere.
  const press = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[event.key],
      [start, end] = range ?? [buckets.length, buckets.length],
      full = [...buckets.keys()].filter((i) => buckets[i].count), // An empty bar leads to no request.
      at = by > 0 ? full.findIndex((i) => i > end) : full.findLastIndex((i) => i < end),
      next = at < 0 ? end : full[inside(full, at + by - Math.sign(by))];
    if (event.key === "Enter" && range) take();
    else if (by) choose([inside(buckets, event.shiftKey ? start : next), inside(buckets, next)]);
    else return;
    event.preventDefault();
  };
  const day = (at, from, to) => (dayOf(begin) === dayOf(end) ? "" : shortDay(at) + " ") + exact(at, from, to);
  const total = state.file?.entries.length ?? state.all.count;
  const all = () => (searched() && !refused && !isStale() ? `${stats.count.toLocaleString("en")} of ${plural(total, "request")}` : plural(stats.count, "request") + (newest > stats.count && !state.file ? `, the newest of ${newest.toLocaleString("en")}` : ""));
  const text = ({ from, to, count, failed }) => `${to ? `${day(from, from, to)} – ${day(to, from, to)}: ${plural(count, "request")}` : all()}, ${failed.toLocaleString("en")} failed`;
  const percent = (x) => (x / width) * 100 + "%";
  const jump = (i) => html`<i class="jump" .style=${`left:${percent(xs[i])};width:${percent(idleWidth)}`}>${isLabelled ? (buckets[i + 1].moved ? "clock +" : "idle ") + span(60 * Math.round(buckets[i + 1].idle / 60) || buckets[i + 1].idle) : nothing}</i>`;
  const sum = text(range ? chosen() : stats) + (range ? "" : `, highest bar ${highest.toLocaleString("en")}`);
  // Ticks are at round times, with places between the ends and the sum.
  const hasPlace = (i) => !isIdle(i) && xs[i] > 0.09 * width && xs[i] < 0.91 * width && Math.abs(xs[i] / width - 0.5) > (0.29 * em * sum.length) / innerWidth + 0.03,
    ticksOf = (seconds) => [...buckets.keys()].filter((i) => (Date.parse(buckets[i].at) + 3 * 86400e3) % (seconds * 1000) === 0 && hasPlace(i)), // Weeks begin on Mondays.
    thin = (all) => all.reduce((some, i) => (some.length && xs[i] - xs[some.at(-1)] < width / 12 ? some : [...some, i]), []),
    byLength = [2419200, 604800, 172800, 86400, 21600, 7200, 3600, 1800, 900, 600, 300, 120, 60, 30, 15, 10, 5, 1, 0.5, 0.1, 0.05, 0.01].map(ticksOf).filter((all) => all.length),
    ticks = byLength.findLast((all) => thin(all).length === all.length) ?? byLength.map(thin).sort((a, b) => Math.min(b.length, 4) - Math.min(a.length, 4))[0] ?? [], // The shortest regular times, or else the roundest.
    tick = (i) => html`<time class="tick" .style=${`left:${percent((xs[i] + xs[i + 1]) / 2)}`}>${dayOf(begin) === dayOf(end) ? exact(buckets[i].at, buckets[i].at, "") : buckets[i].at.includes("T00:00:00") ? shortDay(buckets[i].at) : nothing}</time>`;
  return html`<div class="over-time"><svg viewBox="0 0 ${width} 48" preserveAspectRatio="none" opacity=${stats.buckets?.length ? 1 : 0.3} tabindex="0" role="slider" aria-label="Requests over time: arrows, with Shift for several bars, and Enter choose a window"
      aria-valuemin="1" aria-valuemax=${buckets.length} aria-valuenow=${(range?.[1] ?? buckets.length - 1) + 1} aria-valuetext=${text(range ? chosen() : stats)} @keydown=${press} @blur=${() => choose(null)}
      @pointerdown=${down} @pointermove=${over} @pointerup=${up} @pointerleave=${() => choose(null)}><title>Drag, or press ← →, with Shift for several bars, and Enter, to choose a time window</title>${range ? svg`<rect class="cursor" x=${xs[Math.min(...range)]} width=${xs[Math.max(...range) + 1] - xs[Math.min(...range)]} height=${height}></rect>` : nothing}${buckets.map(group)}</svg>
    ${idle.map(jump)}<p class="axis"><time>${day(begin, begin, end)}</time>${buckets.length > 9 ? ticks.map(tick) : nothing}<span>${sum}</span><time>${day(end, begin, end)}</time></p></div>`;
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
      <li><a href="/_sandbox/console/faults">Faults</a> makes requests fail.</li></ul>
    <p>${fileButton()} shows an exported journal.</p></section>`;
}

function view() {
  if (refused && !state.file) stats = state.all; // The bars are those of all requests.
  if (!stats) return nothing;
  const number = opened(),
    isTyping = document.activeElement?.name === "q"; // The field says what is wrong.
  const mayMove = !rows.length || groups || (exchange ? waiting.some((e) => e.number === number) : !isRead(list()));
  if (waiting.length + waitingActions.length && mayMove) merge();
  const link = (n) => html`<a href=${href(n)}>#${n}</a>`;
  const [differs, compared] = other && exchange ? comparison(exchange, other, link, compare) : [];
  const shownPane = { lost: !exchange && (state.connected ? lost : "cannot be read: the sandbox does not respond."), number, writes, candidate, uses, link, close, compared, compare: () => compare(), save: () => save(exchange), words, go: (by) => move(0, by), unhide: isHidden && exchange?.number === number && ![...rows, ...waiting].some((e) => e.number === number) && clearSearch };
  const side = number ? pane(exchange, shownPane) : nothing;
  const isFiltered = searched() || state.file,
    hasList = rows.length && (!refused || isTyping); // Those of an earlier search are grey, and only while somebody types.
  if (!state.file && !state.all.count && (!searched() || !newest)) return [side, guide()];
  const found = refused ? (isTyping ? "" : refused.message) : searched() && (rows.length ? `${plural(stats.count, "request")} found` : noMatch());
  const empty = () => html`<p class="none">${refused ? html`<span class="error">${isTyping ? nothing : refused.message + "."}<br>${isTyping ? nothing : unknown()}</span>` : html`${noMatch()}${isTyping ? nothing : unknown()}`} <button @click=${clearSearch}>Clear the search</button></p>`;
  return html`<h1 class="gone">Journal ${searched()}</h1><p class="gone" role="status">${differs ?? found}</p>${state.file ? fileBanner(state.file) : nothing}${filterBar()}
    ${stats.buckets?.length || state.all.buckets?.length ? sparkline() : nothing}
    <div class=${`split ${number ? "open" : ""} ${refused || isStale() ? "stale" : ""}`}>${groups && hasList ? groupsView(groups) : listView(hasList || !isFiltered ? nothing : empty())}${side}</div>`;
}

export const journal = {
  name: "journal", title: "Journal", path, changes: ["journal"], load, view, drawn, key, move,
  enter: () => (refused ? endTyping() : rows.length > 0 && (isGroups() ? move(0, 1) : focusRow(rows[0].number))),
  entries, count, forget,
  actions(all) {
    if (!state.file) waitingActions.push(...all.filter(isShown));
    draw();
  },
  heading: () => (opened() ? `#${opened()}` : "Journal"),
};
