// The pane of one candidate.
import { html, nothing } from "./lit/lit-html.js";
import { act, change, copyButton, draw, form, linkTo, post } from "./core.js";
import { clockTime, dayOf, fullTime, middle, shortIDs, span } from "./format.js";
import { mailList } from "./mails.js";

export const stages = ["sent", "opened", "started", "submitted", "evaluated"];
export const words = { sent: "Invited", opened: "Opened the invitation", started: "Began", submitted: "Submitted", evaluated: "Evaluated" };
export const steps = { open: "Open link", begin: "Begin", submit: "Submit", evaluate: "Evaluate" };

export const nextStep = (c) => (c.stage === "evaluated" ? undefined : Object.keys(steps).find((s) => c.steps.includes(s)));

// invitedTwice says that the address has several invitations to the assessment.
export const invitedTwice = (c) =>
  c.invitations > 1 ? `invited ${c.invitations === 2 ? "twice" : `${c.invitations} times`}` : "";

let tab = "steps";

// tabs shows one of the candidate's lists: the steps, the e-mails, or the log of the attempt.
function tabs(c, mails, actions) {
  const choose = (name) => () => {
    tab = name;
    draw();
  };
  const all = { steps: "Steps", mails: `Mails (${mails.length})`, log: `Log (${c.events?.length ?? 0})` };
  const button = ([name, label]) => html`<button class="plain small" id=${"tab-" + name} aria-pressed=${String(tab === name)} @click=${choose(name)}>${label}</button>`;
  const entry = (e) => html`<li><time title=${new Date(e.ts_ms).toISOString()}>${clockTime(new Date(e.ts_ms).toISOString())}</time> <b>${e.kind}</b>
    <code>${middle(JSON.stringify(e.payload), 160)}</code></li>`;
  const content = {
    steps: () => html`<section aria-label="Steps">${timeline(c)}
      <p><a href=${linkTo("", { q: "candidate:" + c.candidate_email })}>Requests about this candidate</a> ·
      <a href=${linkTo("", { q: `"${c.candidate_email}"` })}>also lists</a></p></section>`,
    mails: () => mailList(mails, actions.refresh),
    log: () => (c.events?.length ? html`<ol class="log">${c.events.toReversed().map(entry)}</ol>` : html`<p class="quiet">No attempt has begun.</p>`),
  }[tab];
  return html`<p class="tabs" role="group" aria-label="About the candidate">${Object.entries(all).map(button)}</p>${content()}`;
}

// tests make what concerns the candidate late or fail.
function tests(c, actions) {
  const fault = (f, done) => () => act(() => change(() => post("faults", { route: "GET *", candidate: c.candidate_email, ...f }), done));
  const late = () =>
    act(async () => {
      await change(() => post(`candidates/${c.id}/delay`, { seconds: 300 }), `The report is ready 5 min ${c.stage === "evaluated" ? "from now" : "after the evaluation"}`);
      await actions.refresh();
    });
  const button = (name, press, id) => html`<button class="plain small" id=${id} @click=${press}>${name}</button>`;
  return html`<span class="tests" role="group" aria-label="Tests with this candidate">${button("Report 5 min late", late, "late")}
    ${button("Fail next read", fault({ status: 503, retry_after: 1 }, "The next read of this candidate gets a 503"), "read-503")}
    ${button("Cut next read", fault({ cut_after: 20 }, "The next read of this candidate is cut"), "read-cut")}</span>`;
}

// lostPane says that the candidate of a link is not there.
export const lostPane = (close) =>
  html`<section class="pane candidate" aria-label="Candidate" tabindex="-1"><div class="title"><h2>The live data has no such candidate.</h2>
    <button class="plain small" aria-label="Close (Esc)" @click=${close}>✕</button></div><p class="quiet">A reset of the sandbox removes all candidates.</p></section>`;

// pane shows a candidate.
export function pane(c, mails, actions) {
  const step = nextStep(c),
    end = c.ended;
  const revoke = async () => {
    await act(() => change(() => post(`invitations/${c.id}/revoke`), "The invitation is revoked"));
    await actions.refresh();
  };
  return html`<section class="pane candidate" aria-label="Candidate" tabindex="-1"
      data-ready=${actions.ready ? "" : nothing}>
    <div class="head"><div class="title"><h2 class="headline"><bdi title=${c.candidate_name}>${middle(c.candidate_name || c.candidate_email, 120)}</bdi></h2>
      <button class="plain small" aria-label="Close (Esc)" @click=${actions.close}>✕</button></div>
    <p class="meta"><b>${c.stage}</b>${end ? html`<span class="mark">${end}</span>` : nothing}
      ${c.invitations > 1 ? html`<a class="mark odd" href=${linkTo("pipeline", { text: c.candidate_email })}>${invitedTwice(c)}</a>` : nothing}<bdi title=${c.candidate_email}>${middle(c.candidate_email, 60)}</bdi><bdi title=${c.assessment}>${middle(c.assessment, 60)}</bdi></p>
    <p class="line">${step && step !== "evaluate" ? html`<button id="next" @click=${() => actions.take(c, step)}>${steps[step]}</button>` : nothing}
      ${c.steps.includes("revoke") ? html`<button class="plain danger" id="revoke" @click=${revoke}>Revoke</button>` : nothing}
      ${tests(c, actions)}</p></div>
    <p class="meta">${id("Invitation", c.id)}${id("Submission", c.submission_id)}</p>
    ${c.stage === "submitted" ? grading(c, actions) : nothing}${c.report?.evaluated ? report(c.report) : nothing}
    ${c.stage === "evaluated" ? html`<details><summary>Evaluate again</summary>${grading(c, actions)}</details>` : nothing}
    ${c.stage === "evaluated" && !c.report?.evaluated ? html`<p class="note warn">The report is not ready yet.
      ${c.report_at ? html`It will be on <time>${fullTime(c.report_at)}</time>.` : nothing}</p>` : nothing}
    ${tabs(c, mails, actions)}</section>`;
}

const id = (name, value) => value && html`<span>${name} <code title=${value}>${shortIDs(value)}</code>
  ${copyButton(value, `Copy the id of the ${name.toLowerCase()}`)}</span>`;

function timeline(c) {
  const done = stages.filter((s) => c[s + "_at"]).map((s) => ({ at: c[s + "_at"], text: words[s] }));
  const isOpen = !c.submission_id && !c.ended;
  const all = [...done.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)), ...(isOpen ? [{ at: c.expires_at, text: "Invitation expires", later: true }] : [])];
  const late = c.report_delay && (c.report_delay > 0 ? `Report ready ${span(c.report_delay)} after the evaluation` : "Report never ready");
  const line = (s, i) => {
    const before = all[i - 1],
      day = before && dayOf(before.at) === dayOf(s.at) ? "" : dayOf(s.at) + " ";
    const since = before && html` <small>+${span((Date.parse(s.at) - Date.parse(before.at)) / 1000)}</small>`;
    return html`<li class=${s.later ? "later" : ""}><span>${s.text}</span>
      <time title=${s.at}>${day}${clockTime(s.at)}</time>${since ?? nothing}</li>`;
  };
  return html`<ol class="timeline">${all.map(line)}${late ? html`<li class="later">${late}</li>` : nothing}</ol>`;
}

const pillars = { correctness: "Correctness", craft: "Craft", ai_fluency: "AI fluency", rigor: "Rigor" };
const number = ([name, label]) => ({ name, label, number: true, kind: "short", placeholder: "auto" });
const select = (name, label, all) => ({ name, label, type: "select", options: [["", "by the score"], ...all], more: true });

// resultFields are the fields of a result. The sandbox chooses what is left empty.
export const resultFields = [
  number(["ship_score", "Ship score"]),
  ...Object.entries(pillars).map(number),
  select("verdict", "Verdict", ["strong_yes", "yes", "no", "strong_no"]),
  select("confidence", "Confidence", ["low", "medium", "high"]),
  select("integrity_status", "Integrity", ["clear", "flagged"]),
  { name: "report_delay", label: "Report ready after", placeholder: "at once, or 5m", more: true },
  ...Object.entries(pillars).map(([name, label]) => ({ name: "low_" + name, label: label + ": low confidence", type: "checkbox", more: true })),
  { name: "summary", label: "Summary", kind: "wide", more: true, placeholder: "a sentence with the score" },
];

// resultOf returns the result that the values of the fields mean.
export function resultOf(values) {
  const result = { pillars: {}, low_confidence: [] };
  for (const [name, value] of Object.entries(values)) {
    if (pillars[name]) result.pillars[name] = value;
    else if (name.startsWith("low_")) result.low_confidence.push(name.slice(4));
    else result[name] = value;
  }
  return result;
}

function grading(c, actions) {
  const send = async (values) => {
    await change(() => post(`submissions/${c.submission_id}/evaluate`, resultOf(values)), "Evaluated");
    await actions.refresh();
  };
  return html`<section aria-label="Evaluate"><h3>Evaluate <small>with one pillar given, an empty one has not enough data</small></h3>
    ${form({ id: "evaluate", label: "Evaluate", button: "Evaluate", fields: resultFields, send, subject: c.id, keep: true, kind: "inline" })}
  </section>`;
}

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function report(r) {
  const lists = [
    ["Strengths", r.strengths],
    ["Flags", r.flags],
    ["To ask in an interview", r.interview_questions],
    ["Out of scope", r.scope_exclusions],
  ].filter(([, items]) => Array.isArray(items) && items.length);
  const rank = r.pipeline_rank ? `, rank ${r.pipeline_rank.rank} of ${r.pipeline_rank.total}` : "";
  const percentile = r.percentile ? `, percentile ${r.percentile}` : "";
  const isSure = (p) => p.score !== null && !p.low_confidence;
  const meter = (p) => html`<b>${p.score}</b><meter min="0" max="100" value=${p.score} aria-label=${p.label}></meter>`;
  const pillar = (p) => html`<li><span>${p.label}</span> ${isSure(p) ? meter(p) : html`<small>not enough data</small>`}</li>`;
  return html`<section class="report" aria-label="Report"><h3>Report</h3>
    <p class="verdict"><b>${r.ship_score ?? "–"}</b> <span>${r.verdict_label}</span>
      <small>confidence ${r.confidence}, integrity ${r.integrity_status}${rank}${percentile}</small></p>
    <p>${r.summary}</p><ul class="pillars">${(r.pillars ?? []).map(pillar)}</ul>
    ${lists.map(([name, items]) => html`<h4>${name}</h4><ul>${items.map((i) => html`<li>${text(i)}</li>`)}</ul>`)}</section>`;
}
