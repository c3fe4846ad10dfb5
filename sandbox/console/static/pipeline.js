// The pipeline: the candidates by stage, and one candidate beside them.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, change, closePopups, draw, drafts, find, form, get, isRead, kept, loadKeys, lostPane, openPopup, options, organizations, popup, post, say, setQuery, state, textSearch, titleOf, toQuery, visit } from "./core.js";
import { clockTime, effects, fullTime, middle, plural, shortDay } from "./format.js";
import { address, armed, avatar, invitedTwice, pane, personOf, resultFields, resultOf, stages, stagesAhead, stepNotice, steps, verdictKind, verdicts } from "./candidate.js";

const path = "/_sandbox/console/pipeline";

// columns are shown. Newer ones wait while somebody reads the board, but not the counts.
let assessments = null,
  columns = {},
  counts = {},
  waiting = null,
  candidate = null,
  limit = 30;
let shown = ""; // The query of the columns.
let lastAssessment = ""; // Of the last candidate that the page added.
let isNow = false; // refreshNow runs: what is loaded is shown at once.
let revealed = ""; // The candidate whose card was scrolled to, and its column.

const opened = () => state.query.get("candidate");

async function load() {
  const scope = { key: state.query.get("key") };
  const [assessment_id, text, verdict, sort] = ["assessment", "text", "verdict", "sort"].map((name) => state.query.get(name));
  const q = { ...scope, assessment_id, text, verdict, sort };
  const page = (stage) => get("candidates", { ...q, stage, limit });
  const [list, found, ...pages] = await Promise.all([
    get("assessments", scope),
    opened() ? find("candidates/" + opened()) : null,
    ...stages.map(page),
  ]);
  assessments = list.assessments;
  candidate = found;
  counts = pages[0].counts;
  waiting = Object.fromEntries(stages.map((stage, i) => [stage, pages[i].candidates]));
  const name = JSON.stringify([q, limit]);
  if (shown !== name || isNow) show();
  shown = name;
}

function show() {
  columns = waiting ?? columns;
  waiting = null;
}

// refreshNow shows the result of the user's own action at once.
async function refreshNow() {
  show(); // An event may have loaded it already.
  isNow = true;
  await pipeline.refresh();
  isNow = false;
  await draw();
}

const isFiltered = () => ["text", "verdict", "assessment"].some((n) => state.query.get(n));
const cards = () => Object.values(columns).flat();

// news returns the number of candidates that wait with a change.
function news() {
  const before = new Set(cards().map((c) => JSON.stringify(c)));
  return Object.values(waiting).flat().filter((c) => !before.has(JSON.stringify(c))).length;
}

// takes are the operations that take a candidate to a stage, after the beginning of the attempt or before it.
const takes = { opened: "invitations/ID/open", submitted: "submissions/ID/submit", evaluated: "submissions/ID/evaluate" };

// take takes a candidate to a stage. An evaluation has a form, unless the sandbox chooses the result. The focus stays
// with the candidate.
async function take(c, stage, isChosen) {
  if (stage === "evaluated" && !isChosen) {
    setQuery({ candidate: c.id }, !opened());
    await pipeline.refresh.settled();
    return document.getElementById("evaluate-ship_score")?.select();
  }
  const from = kept(c.id)?.getBoundingClientRect();
  const run = async () => {
    if (stage !== "opened" && !c.submission_id) await post(`invitations/${c.id}/begin`);
    if (takes[stage]) await post(takes[stage].replace("ID", c.id));
  };
  await act(() => change(run, stepNotice(c.id, personOf(c))));
  await refreshNow();
  const card = kept(c.id),
    to = card?.getBoundingClientRect();
  if (!from || !to || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  card.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, {}], { duration: 160, easing: "ease-out" });
}

function close() {
  const id = opened();
  setQuery({ candidate: "" });
  requestAnimationFrame(() => kept(id)?.querySelector("a").focus());
}

// move goes to the next card in a column, or to a column beside it.
function move(by, down) {
  const lists = [...document.querySelectorAll(".column ol")],
    focused = document.activeElement.closest(".card") ?? kept(opened() ?? "");
  let at = lists.findIndex((l) => l.contains(focused)),
    row = at < 0 ? 0 : [...lists[at].children].indexOf(focused) + down;
  if (at < 0) at = lists.findIndex((l) => l.children.length);
  else if (by)
    do at += by;
    while (lists[at] && !lists[at].children.length);
  const all = lists[at]?.children ?? [],
    card = all[Math.max(0, Math.min(all.length - 1, row))];
  card?.querySelector("a").focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest", inline: "nearest" });
  return true;
}

// The board.

// card shows a candidate. differing are the members that differ among the cards.
function card(c, differing) {
  const [step] = stagesAhead(c),
    name = personOf(c),
    at = c[c.stage + "_at"] ?? c.created_at,
    late = c.report_at > c.evaluated_at && c.report_at > (state.clock?.now ?? "") ? `late ${clockTime(c.report_at).slice(0, 5)}` : c.report_delay && c.stage !== "evaluated" && !c.ended ? "late" : "";
  const place = [differing.includes("assessment_id") && c.assessment, differing.includes("organization") && c.organization].filter(Boolean).join(" · ");
  return html`<li class=${"card " + (c.ended ? "ended" : "")} data-keep=${c.id} draggable="true" @dragstart=${(event) => event.dataTransfer.setData("text", c.id)}>${avatar(name, c.candidate_email)}
    <a href=${path + toQuery({ ...Object.fromEntries(state.query), candidate: c.id })} title=${name} aria-label=${name} dir="auto" draggable="false"
      aria-current=${c.id === opened() ? "true" : nothing}><bdi>${name}</bdi></a>
    <span class="mail" title=${c.candidate_email}>${address(c.candidate_email)}${place ? html`<br><bdi title=${place}>${place}</bdi>` : nothing}</span>
    <span class="badges">${c.invitations > 1 ? html`<b class="odd">${invitedTwice(c)}</b> ` : nothing}${armed(c).length ? html`<b class="warn">fault: ${effects(armed(c)[0].fault)[0]}</b> ` : nothing}${late ? html`<b class="warn" title=${c.report_at ? fullTime(c.report_at) : nothing}>${late}</b> ` : nothing}${c.confidence === "low" ? html`<b class="warn">low confidence</b>` : c.low_confidence?.length ? html`<b class="warn">low confidence: ${c.low_confidence.join(", ").replace("_", " ")}</b>` : nothing}</span>
    <span class="when" title=${fullTime(at)}>${state.clock?.now.startsWith(at.slice(0, 10)) ? clockTime(at).slice(0, 5) : shortDay(at)}</span>
    ${c.ended
        ? html`<span class="mark">${c.ended}</span>`
        : c.ship_score !== null
          ? html`<span class="score"><b>${c.ship_score}</b> <span class=${verdictKind(c.verdict)}>${(c.verdict ?? "").replace("_", " ")}</span>${c.integrity_status === "flagged" ? html` <b class="bad" title="Integrity: flagged">⚑<span class="gone">flagged</span></b>` : nothing}</span>`
          : step
            ? html`<button class="plain small" data-first aria-label=${`${steps[step]}: ${name}`} @click=${() => take(c, step)}>${steps[step]}${step === "evaluated" ? "…" : ""}</button>`
            : html`<span class="mark">${c.report_at ? "no score" : "no report"}</span>`}</li>`;
}

function boardView() {
  const more = () => {
    limit = Math.min(limit * 4, 1000);
    pipeline.refresh();
  };
  const differing = ["organization", "assessment_id"].filter((name) => new Set(cards().map((c) => c[name])).size > 1);
  const drop = (stage) => (event) => {
    const c = cards().find(({ id }) => id === event.dataTransfer.getData("text"));
    if (c && stagesAhead(c).includes(stage)) take(c, stage, true);
    else if (c && stage !== c.stage) say(`${personOf(c)} is ${c.ended || c.stage}: undo takes steps back`);
  };
  const column = (stage) => html`<section class="column" aria-label=${stage} @drop=${drop(stage)}>
    <h2>${stage} <span class="count">${counts[stage]?.toLocaleString("en")}</span></h2>
    <ol>${repeat(columns[stage], (c) => c.id, (c) => card(c, differing))}</ol>
    ${counts[stage] > columns[stage].length && columns[stage].length >= limit ? html`<button class="plain small" @click=${more}>${(counts[stage] - columns[stage].length).toLocaleString("en")} more</button>` : nothing}</section>`;
  return html`<div class="board" @pointerleave=${draw} @focusout=${draw}>${stages.map(column)}</div>`;
}

const orders = [["oldest", "Oldest invitation first"], ["name", "By name"], ["score", "Highest score first"]];

// nameOf names an assessment, with its organization unless that is the default one.
const nameOf = (a) => a.name + (a.organization && !state.query.get("key") ? " · " + a.organization : "");

function toolbar() {
  const all = organizations(),
    fresh = waiting && news();
  const names = assessments.map((a) => [a.assessment_id, middle(nameOf(a), 60) + (a.status === "active" ? "" : ` (${a.status})`)]);
  const keys = all.map((k) => [k.id, middle(titleOf(k.organization), 40)]);
  const select = (name, label, first, all) => html`<select id=${name} aria-label=${label}
    @change=${(e) => setQuery({ ...(name === "key" && { assessment: "" }), [name]: e.target.value })}>${options([["", first], ...all], state.query.get(name) ?? "")}</select>`;
  return html`<div class="filters" role="search">${textSearch("Search names and addresses")}<span class="buttons">${all.length > 1 ? select("key", "Organization", "All organizations", keys) : nothing}
    ${select("assessment", "Assessment", "All assessments", names)}
    ${select("verdict", "Verdict", "Any verdict", [...verdicts, ["flagged", "⚑ flagged"]])}
    ${select("sort", "Order", "Newest step first", orders)}
    <button class="plain" id="upcoming" title="What happens in the next 40 days" @click=${() => document.getElementById("advance").focus()}>Upcoming</button>${popup("inviting", "Invite candidate", inviteForm(), "primary")} ${popup("adding", "Add result", inviteForm(true))}
    ${fresh ? html`<button class="new" @click=${refreshNow}>${plural(fresh, "change")}</button>` : nothing}</span></div>`;
}

// inviteForm invites a candidate to an assessment, which it adds if there is none of the name: the notice says so
// and can undo a typing error. With a result the form adds a candidate who has taken all steps. Without an address it makes one of the name.
function inviteForm(withResult = false) {
  const active = assessments.filter((a) => a.status === "active"),
    id = withResult ? "result" : "invite";
  lastAssessment ||= cards().sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.assessment_id ?? ""; // That of the newest candidate at first.
  const selected = [state.query.get("assessment"), lastAssessment].map((id) => active.find((a) => a.assessment_id === id)).find(Boolean) ?? active[0];
  const send = async ({ assessment, name, email: given, ...result }) => {
    const email = given ?? (await freeAddress(name));
    const known = active.find((a) => nameOf(a) === assessment) ?? active.find((a) => a.name === assessment);
    let made;
    await change(
      async (snapshot) => {
        const assessment_id = known?.assessment_id ?? (await add(assessment));
        lastAssessment = assessment_id;
        const sent = withResult ? post("results", { assessment_id, name, email, ...resultOf(result) }) : post("invitations", { assessment_id, name, email });
        made = await sent.catch(async (error) => {
          if (!known) await post(`snapshots/${snapshot}/restore`); // Removes the assessment that was added.
          await refreshNow();
          if (withResult && !document.querySelector("#adding:popover-open")) openPopup("adding"); // The form was in the empty view, which was replaced meanwhile.
          throw error;
        });
      },
      (step) => html`${stepNotice(made.invitation_id ?? made.submission_id, name ?? email)(step)}${known ? nothing : html` · new assessment “<bdi>${assessment}</bdi>”`}`,
    );
    closePopups();
    act(async () => { // Not awaited: the form is empty now, and the next candidate may be typed.
      await loadKeys(); // With the number of invitations used.
      await refreshNow();
    });
  };
  const isNew = drafts[id + "-assessment"] && !active.some((a) => [nameOf(a), a.name].includes(drafts[id + "-assessment"].trim())); // Said before it is made.
  const text = (name, label, placeholder, more) => ({ name, label, placeholder, required: true, ...more });
  const fields = [
    text("assessment", isNew ? "New assessment" : "Assessment", "Backend engineer", { list: "assessment-names", value: selected && nameOf(selected) }),
    text("name", "Name", withResult ? "optional" : "Ada Lovelace", { required: !withResult }),
    text("email", "E-mail address", "auto: " + addressOf(drafts[id + "-name"]), { required: false }),
    ...(withResult ? resultFields("result") : []),
  ];
  const label = withResult ? "Add result" : "Invite candidate";
  const above = withResult ? nothing : html`<datalist id="assessment-names">${active.map((a) => html`<option value=${nameOf(a)}></option>`)}</datalist>`;
  return [html`<h2>${label}</h2>`, above, form({ id, label, fields, button: withResult ? "Add" : "Invite", send })];
}

// addressOf makes an address of a name. The n-th candidate of a name has a number in it.
function addressOf(name = "", n = 1) {
  const ascii = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[łøđßæœ]/g, (l) => ({ ł: "l", ø: "o", đ: "d", ß: "ss", æ: "ae", œ: "oe" })[l]).slice(0, 40).replace(/[^a-z0-9]+/g, ".").replace(/^\.|\.$/g, "");
  return `${ascii || "candidate"}${n > 1 ? "-" + n : ""}@candidates.test`;
}

// freeAddress returns the first address of a name that no candidate has.
async function freeAddress(name, n = 1) {
  const { candidates } = await get("candidates", { text: addressOf(name, n), limit: 1 });
  return candidates.length ? freeAddress(name, n + 1) : addressOf(name, n);
}

async function add(name) {
  const refused = (error) => Promise.reject(Object.assign(error, { field: error.field && "assessment" }));
  return (await post("assessments", { name, key: state.query.get("key") ?? "" }).catch(refused)).assessment_id;
}

// drawn scrolls to the card that was opened, also when it is in another column now.
function drawn() {
  const card = opened() === candidate?.id && kept(opened()),
    place = card ? opened() + card.closest(".column").ariaLabel : opened();
  if (place !== revealed && card) card.scrollIntoView({ block: "nearest", inline: "nearest" });
  revealed = place;
}

const empty = () => html`<section class="panel guide"><h1>No candidates yet</h1>
  <p>Invite a candidate to an assessment. Then take the candidate's steps here.</p>${inviteForm()}
  <p class="line">Or add a candidate who has taken all steps: ${popup("adding", "Add result", inviteForm(true))}</p></section>`;

function view() {
  if (!assessments) return nothing;
  if (waiting && !isRead(document.querySelector(".board"))) show();
  if (!assessments.length && !state.query.get("assessment") && !state.query.get("text")) return empty();
  const side = candidate
    ? pane(candidate, { close, take, refresh: refreshNow, ready: candidate.id === opened() })
    : opened()
      ? lostPane("Candidate", state.connected ? "The live data has no such candidate: a reset or an undo removed it." : "Not loaded: the sandbox does not respond.", close)
      : nothing;
  const found = Object.values(counts).some((n) => n) || !isFiltered();
  const clear = () => visit(path, { key: state.query.get("key"), candidate: opened() }, false);
  return html`<h1 class="gone">Pipeline</h1><p class="gone" role="status">${isFiltered() ? `${plural(Object.values(counts).reduce((a, b) => a + b, 0), "candidate")} found` : ""}</p>${toolbar()}
    <div class=${"split " + (opened() ? "open" : "")}>${
      found ? boardView() : html`<p class="panel none">No candidate matches. <button @click=${clear}>Clear the search</button></p>`
    }${side}</div>`;
}

function key(name) {
  if (name === "Escape" && opened()) close();
  else if (name === "n") refreshNow();
  else if (name === "a") openPopup("adding");
  else if (name === "i") {
    openPopup("inviting");
    document.querySelector(".guide #invite-assessment")?.focus(); // Of the empty view, which has no button.
  }
  else return false;
  return true;
}

export const pipeline = {
  name: "pipeline", title: "Pipeline", path, changes: ["assessments", "keys", "clock"], load, view, drawn, key, move,
  candidates: () => pipeline.refresh(),
  enter: () => move(0, 0),
  forget: () => (shown = ""), // The next load is shown at once.
  heading: () => candidate?.candidate_name || "Pipeline",
};
