// The pipeline: the candidates by stage, and one candidate beside them.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, ask, chooseRow, copyButton, draw, find, form, get, options, parseField, post, setQuery, state, toQuery, typed } from "./core.js";
import { body, clockTime, cut, dayOf, middle, plural, pretty, shortIDs, span } from "./format.js";

const path = "/_sandbox/console/pipeline";
const stages = ["sent", "opened", "started", "submitted", "evaluated"];
const words = { sent: "Invited", opened: "Opened the invitation", started: "Began", submitted: "Submitted", evaluated: "Evaluated" };
const steps = { open: "Open", begin: "Begin", submit: "Submit", evaluate: "Evaluate" };

let organizations = null, assessments = [], challenges = [], columns = {}, counts = {}, candidate = null, shown = 30;
let grade = {};

// scope is the organization that is shown; without it, all are.
const scope = () => ({ organization: state.query.get("organization") });

async function load() {
  const q = { ...scope(), assessment_id: state.query.get("assessment"), text: state.query.get("text") }, id = state.query.get("candidate");
  const page = (stage) => get("candidates", { ...q, stage, limit: shown });
  const [all, list, menu, found, ...pages] = await Promise.all([get("organizations"), get("assessments", scope()), get("challenges", { organization: scope().organization ?? "" }), id ? find("candidates/" + id) : null, ...stages.map(page)]);
  organizations = all.organizations;
  assessments = list.assessments;
  challenges = menu.challenges;
  candidate = found;
  counts = { ...Object.fromEntries(stages.map((stage) => [stage, 0])), ...pages[0].counts };
  stages.forEach((stage, i) => { columns[stage] = pages[i].candidates; });
}

const link = (changes) => path + toQuery({ ...Object.fromEntries(state.query), ...changes });
const titleOf = (o) => o.title + (o.name && o.name !== o.title ? ` (${o.name})` : "");
const nextStep = (c) => Object.keys(steps).find((s) => c.steps.includes(s));
const ended = (c) => (c.revoked ? "revoked" : c.stage === "sent" || c.stage === "opened" ? (c.expired ? "expired" : c.closed ? "closed" : "") : "");
const lastTime = (c) => c[c.stage + "_at"] ?? c.created_at;

// take takes a candidate's next step. The focus stays with the candidate.
async function take(c, step) {
  if (step === "evaluate") return openGrading(c);
  await act(() => post(`invitations/${c.invitation_id}/${step}`));
  await pipeline.refresh();
}

async function openGrading(c) {
  setQuery({ candidate: c.invitation_id }, !state.query.get("candidate"));
  await pipeline.refresh();
  document.getElementById("evaluate-ship_score")?.select();
}

function close() {
  const id = state.query.get("candidate");
  setQuery({ candidate: "" });
  requestAnimationFrame(() => document.querySelector(`[data-keep="${CSS.escape(id)}"] a`)?.focus());
}

// The board.

function card(c) {
  const step = nextStep(c), end = ended(c), name = c.name || c.email;
  return html`<li class=${"card " + (end ? "ended" : "")} data-keep=${c.invitation_id}><a href=${link({ candidate: c.invitation_id })} title=${name} aria-label=${name} aria-current=${c.invitation_id === candidate?.invitation_id ? "true" : nothing}>${cut(name)}</a>
    <span class="mail" title=${c.email}>${cut(c.email)}</span><span class="when" title=${lastTime(c)}>${dayOf(lastTime(c)).slice(5, -5)} ${clockTime(lastTime(c)).slice(0, 5)}</span>
    ${end ? html`<span class="mark">${end}</span>` : c.ship_score !== null ? html`<b class="score">${c.ship_score}</b>` : step ? html`<button class="plain small" data-first aria-label=${`${steps[step]}: ${name}`} @click=${() => take(c, step)}>${steps[step]}</button>` : nothing}</li>`;
}

function board() {
  return html`<div class="board">${stages.map((stage) => html`<section class="column" aria-label=${words[stage]}><h2 title=${words[stage]}>${stage} <span class="count">${counts[stage]}</span></h2>
    <ol>${repeat(columns[stage], (c) => c.invitation_id, card)}</ol>
    ${counts[stage] > columns[stage].length && columns[stage].length >= shown ? html`<button class="plain small" @click=${() => { shown = Math.min(shown * 4, 1000); pipeline.refresh(); }}>${counts[stage] - columns[stage].length} more</button>` : nothing}</section>`)}</div>`;
}

function toolbar() {
  const assessment = state.query.get("assessment") ?? "", at = assessments.find((a) => a.assessment_id === assessment), organization = scope().organization;
  const shownPlans = organizations.filter((o) => organization === null ? o.name === "" : o.name === organization);
  const closeIt = async () => {
    if (await ask(`Close ${at.name}?`, "Nobody can begin it afterwards. This cannot be undone.", "Close assessment")) act(() => post(`assessments/${assessment}/close`), "The assessment is closed");
  };
  return html`<div class="filters" role="search"><input type="search" name="text" placeholder="Search names and addresses" aria-label="Search names and addresses" .value=${state.query.get("text") ?? ""} @input=${typed}>
    ${organizations.length > 1 ? html`<select aria-label="Organization" @change=${(event) => setQuery({ organization: event.target.value === "*" ? null : event.target.value.slice(1), assessment: "" })}>${options([["*", "All organizations"], ...organizations.map((o) => ["=" + o.name, middle(titleOf(o), 40)])], organization === null ? "*" : "=" + organization)}</select>` : nothing}
    <select id="assessment" aria-label="Assessment" @change=${(event) => setQuery({ assessment: event.target.value })}>${options([["", "All assessments"], ...assessments.map((a) => [a.assessment_id, `${middle(a.name, 40)}${a.status === "active" ? "" : ` (${a.status})`}`])], assessment)}</select>
    ${at?.status === "active" ? html`<button class="plain" id="close-assessment" @click=${closeIt}>Close…</button>` : nothing}
    ${drop("Add assessment", form({ id: "add-assessment", label: "Add assessment", fields: assessmentFields(), button: "Add assessment", send: addAssessment }))}
    ${assessments.length ? drop("Invite candidate", form({ id: "invite", label: "Invite candidate", fields: inviteFields(assessment), button: "Invite", send: invite })) : nothing}
    <button class="plain" @click=${seed}>Add 20 samples</button>
    <span class="tools">${shownPlans.map((o) => (o.plan ? html`<span class="quiet">${o.plan.used} of ${o.plan.limit} invitations used</span>` : nothing))}</span></div>`;
}

const drop = (name, content) => html`<details class="drop"><summary class="button plain">${name}</summary><div class="panel">${content}</div></details>`;
const assessmentFields = () => [{ name: "name", label: "Name", required: true, placeholder: "Backend engineer" }, { name: "challenge_id", label: "Challenge", type: "select", options: challenges.map((c) => [c.challenge_id, c.name]) }];
const personFields = [{ name: "name", label: "Candidate", placeholder: "Ada Lovelace", required: true }, { name: "email", label: "Address", placeholder: "ada@candidates.test", required: true }];
const inviteFields = (assessment) => [{ name: "assessment_id", label: "Assessment", type: "select", options: assessments.filter((a) => a.status === "active").map((a) => [a.assessment_id, middle(a.name, 40)]), value: assessment }, ...personFields];

async function addAssessment(values) {
  const { assessment_id: id } = await post("assessments", { ...values, organization: scope().organization ?? "" });
  document.querySelector("details.drop[open]")?.removeAttribute("open");
  setQuery({ assessment: id });
  await pipeline.refresh();
}

async function invite(values) {
  await post("invitations", values);
  document.querySelector("details.drop[open]")?.removeAttribute("open");
  await pipeline.refresh();
}

const seed = () => act(async () => {
  await post("seed", { count: 20, organization: scope().organization ?? "", ...(state.query.get("assessment") ? { assessment_id: state.query.get("assessment") } : {}) });
  await pipeline.refresh();
}, "20 sample candidates are added");

async function begin({ assessment, ...person }) {
  const { assessment_id: id } = await post("assessments", { name: assessment, organization: scope().organization ?? "" }).catch((error) => { error.field &&= "assessment"; throw error; });
  await invite({ assessment_id: id, ...person });
}

const empty = () => html`<section class="panel guide"><h1>No candidates yet</h1><p>Create an assessment and invite a candidate. Then take the candidate's steps here.</p>
  ${form({ id: "begin", label: "First candidate", fields: [{ name: "assessment", label: "Assessment", required: true, placeholder: "Backend engineer" }, ...personFields], button: "Create and invite", send: begin })}
  <p>Or <button class="plain" @click=${seed}>Add 20 sample candidates</button></p></section>`;

// One candidate.

function pane(c) {
  const step = nextStep(c), end = ended(c), can = (name) => c.steps.includes(name);
  const revoke = async () => {
    if (await ask("Revoke the invitation?", `${c.name || c.email} can no longer begin. This cannot be undone.`, "Revoke invitation")) act(() => post(`invitations/${c.invitation_id}/revoke`), "The invitation is revoked");
  };
  return html`<section class="pane candidate" aria-label="Candidate"><div class="title"><h2><bdi title=${c.name}>${middle(c.name || c.email, 120)}</bdi></h2><span class="paging"><button class="plain small" aria-label="Close (Esc)" @click=${close}>✕</button></span></div>
    <p class="meta"><b>${c.stage}</b>${end ? html`<span class="mark">${end}</span>` : nothing}<bdi title=${c.email}>${middle(c.email, 60)}</bdi><bdi title=${c.assessment}>${middle(c.assessment, 60)}</bdi></p>
    <p class="meta">${id("Invitation", c.invitation_id)}${c.submission_id ? id("Submission", c.submission_id) : nothing}</p>
    <p class="line">${step && step !== "evaluate" ? html`<button id="next" @click=${() => take(c, step)}>${steps[step]}</button>` : nothing}${can("resend") ? html`<button class="plain" @click=${() => act(() => post(`invitations/${c.invitation_id}/resend`), "The invitation is sent again")}>Resend</button>` : nothing}${can("revoke") ? html`<button class="plain danger" id="revoke" @click=${revoke}>Revoke…</button>` : nothing}</p>
    ${can("evaluate") ? grading(c) : nothing}${c.report?.evaluated ? report(c.report) : nothing}
    <section aria-label="Steps"><h3>Steps</h3>${timeline(c)}</section>${log(c)}</section>`;
}

const id = (name, value) => html`<span>${name} <code title=${value}>${shortIDs(value)}</code>${copyButton(value, `Copy the id of the ${name.toLowerCase()}`)}</span>`;

function timeline(c) {
  const done = stages.filter((s) => c[s + "_at"]).map((s) => ({ at: c[s + "_at"], text: words[s] })).sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const all = [...done, ...c.upcoming.map((e) => ({ at: e.at, text: e.kind === "expires" ? "Invitation expires" : words[e.kind] ?? e.kind, later: true }))];
  return html`<ol class="timeline">${all.map((s, i) => {
    const before = all[i - 1], sameDay = before && dayOf(before.at) === dayOf(s.at);
    return html`<li class=${s.later ? "later" : ""}><span>${s.text}</span> <time title=${s.at}>${sameDay ? "" : dayOf(s.at) + " "}${clockTime(s.at)}</time>${before ? html` <small>+${span((Date.parse(s.at) - Date.parse(before.at)) / 1000)}</small>` : nothing}</li>`;
  })}</ol>`;
}

const pillars = { correctness: ["Correctness", -3], craft: ["Craft", -1], ai_fluency: ["AI fluency", 1], rigor: ["Rigor", 3] };

// grading is the form of a result. The pillars follow the score until they are changed.
function grading(c) {
  if (grade.id !== c.invitation_id) grade = { id: c.invitation_id, ship_score: 82 };
  const score = Number(grade.ship_score), follow = (by) => Math.max(0, Math.min(100, score + by));
  const type = (name) => (event) => { grade[name] = event.target.value; draw(); };
  const number = (name, label, value, hint) => ({ name, label, type: "number", kind: "short", value, input: type(name), hint });
  const select = (name, label, all) => ({ name, label, type: "select", options: [["", "by the score"], ...all], more: true });
  const fields = [
    number("ship_score", "Ship score", grade.ship_score), ...Object.entries(pillars).map(([name, [label, by]]) => number(name, label, grade[name] ?? (grade.ship_score === "" ? "" : follow(by)))),
    select("verdict", "Verdict", ["strong_yes", "yes", "no", "strong_no"]), select("confidence", "Confidence", ["low", "medium", "high"]), select("integrity_status", "Integrity", ["clear", "flagged"]),
    ...Object.entries(pillars).map(([name, [label]]) => ({ name: "low_" + name, label: label + ": low confidence", type: "checkbox", more: true })),
    { name: "summary", label: "Summary", type: "textarea", more: true, placeholder: "a sentence with the score" }, { name: "extra", label: "Further members", hint: "a JSON object", type: "textarea", more: true, placeholder: '{"percentile": 91.5}' },
  ];
  const send = async (values) => {
    const result = { pillars: {}, low_confidence: [] };
    for (const [name, value] of Object.entries(values)) if (!pillars[name] && !name.startsWith("low_")) result[name] = value;
    for (const name of Object.keys(pillars)) {
      result.pillars[name] = values[name] ?? null; // An empty field: not enough data.
      if (values["low_" + name]) result.low_confidence.push(name);
    }
    if (values.extra) result.extra = parseField("extra", values.extra);
    await post(`submissions/${c.submission_id}/evaluate`, result);
    await pipeline.refresh();
  };
  return html`<section aria-label="Evaluate"><h3>Evaluate <small>an empty pillar: not enough data</small></h3>${form({ id: "evaluate", label: "Evaluate", fields, button: "Evaluate", send, keep: true, kind: "inline" })}</section>`;
}

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function report(r) {
  const lists = [["Strengths", r.strengths], ["Flags", r.flags], ["To ask in an interview", r.interview_questions], ["Out of scope", r.scope_exclusions]].filter(([, items]) => Array.isArray(items) && items.length);
  return html`<section class="report" aria-label="Report"><h3>Report</h3><p class="verdict"><b>${r.ship_score ?? "–"}</b> <span>${r.verdict_label}</span> <small>confidence ${r.confidence}, integrity ${r.integrity_status}${r.pipeline_rank ? `, rank ${r.pipeline_rank.rank} of ${r.pipeline_rank.total}` : ""}${r.percentile ? `, percentile ${r.percentile}` : ""}</small></p>
    <p>${r.summary}</p><ul class="pillars">${(r.pillars ?? []).map((p) => html`<li><span>${p.label}</span> ${p.score !== null && !p.low_confidence ? html`<b>${p.score}</b><meter min="0" max="100" value=${p.score} aria-label=${p.label}></meter>` : html`<small>not enough data</small>`}</li>`)}</ul>
    ${lists.map(([name, items]) => html`<h4>${name}</h4><ul>${items.map((i) => html`<li>${text(i)}</li>`)}</ul>`)}<details><summary>As JSON</summary><pre class="body" tabindex="0">${body(pretty(JSON.stringify(r)))}</pre></details></section>`;
}

function log(c) {
  if (!c.submission_id) return nothing;
  const send = async ({ kind, payload }) => {
    await post(`submissions/${c.submission_id}/events`, { kind, payloads: [parseField("payload", payload)] });
    await pipeline.refresh();
  };
  return html`<section aria-label="Log"><h3>Log <small>${plural(c.event_count, "event")}${c.event_count > c.events.length ? `, the newest ${c.events.length}` : ""}</small></h3>
    <ol class="log">${c.events.map((e) => html`<li><span class="no">${e.seq}</span> <code>${e.kind}</code> ${e.payload ? html`<span class="quiet">${text(e.payload).slice(0, 160)}</span>` : nothing}</li>`)}</ol>
    ${c.steps.includes("events") ? html`<details><summary>Add an event</summary>${form({ id: "add-event", label: "Add an event", fields: [{ name: "kind", label: "Kind", value: "ai_prompt", required: true }, { name: "payload", label: "Payload", type: "textarea", value: '{"text":"Why is it slow?"}', required: true }], button: "Add event", send })}</details>` : nothing}</section>`;
}

function view() {
  if (!organizations) return nothing;
  const filtered = state.query.get("assessment") || state.query.get("text");
  if (!assessments.length && !filtered) return empty();
  return html`<h1 class="gone">Pipeline</h1>${toolbar()}<div class=${"split " + (candidate ? "open" : "")}>${board()}${candidate ? pane(candidate) : nothing}</div>`;
}

function key(name) {
  if (name === "j" || name === "k") chooseRow(".card a", name === "j" ? 1 : -1);
  else if (name === "Escape" && candidate) close();
  else return false;
  return true;
}

export const pipeline = { name: "pipeline", title: "Pipeline", path, changes: [], load, view, key, heading: () => candidate?.name || "Pipeline" };
