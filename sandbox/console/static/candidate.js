// The pane of one candidate.
import { html, nothing, svg } from "./lit/lit-html.js";
import { act, change, choice, closePopups, copyButton, drafts, form, linkTo, post, state } from "./core.js";
import { buttonFaults } from "./faults.js";
import { candidatePath, clockTime, dayOf, effects, fullTime, middle, plural, shortIDs, span, stepText } from "./format.js";

export const stages = ["sent", "opened", "started", "submitted", "evaluated"];

// steps are the names of the steps to the stages.
export const steps = { opened: "Mark opened", started: "Start", submitted: "Submit", evaluated: "Evaluate" };

// stagesAhead returns the stages that a candidate can reach, the next one first.
export const stagesAhead = (c) => (c.ended ? [] : stages.slice(stages.indexOf(c.stage) + 1));

// armed returns the faults that wait for requests about a candidate.
export const armed = (c) => state.faults.filter((f) => f.waiting && f.fault.candidate?.toLowerCase() === c.candidate_email.toLowerCase());

// invitedTwice says that the address has several invitations to the assessment.
export const invitedTwice = (c) => c.invitations > 1 ? `invited ${c.invitations === 2 ? "twice" : `${c.invitations} times`}` : "";

// lists shows the candidate's steps, and folded the log of the attempt.
function lists(c) {
  const entry = (e) => html`<li><time title=${new Date(e.ts_ms).toISOString()}>${clockTime(new Date(e.ts_ms).toISOString())}</time> <b>${e.kind}</b>
    <code>${middle(JSON.stringify(e.payload), 160)}</code></li>`;
  return html`<section aria-label="Steps"><h3>Steps</h3>${timeline(c)}
      <p class="line"><a href=${linkTo("", { q: "candidate:" + c.candidate_email })}>Requests about this candidate</a> <a id="candidate-mails" href=${linkTo("mails", { mail: c.id })}>E-mails</a></p></section>
    ${c.events?.length ? html`<details id="candidate-log"><summary>${plural(c.events.length, "event")}</summary><ol class="log">${c.events.toReversed().map(entry)}</ol></details>` : nothing}`;
}

// personOf returns the name of a candidate, or else the address.
export const personOf = (c) => c.candidate_name || c.candidate_email;

// address shows an e-mail address, whose host a narrow place leaves out.
export const address = (email) => email.split("@").map((part, i) => (i ? html`<span class="host">@${part}</span>` : part));

// avatar returns the initials of a person, in a colour that depends on the address.
export function avatar(name, email) {
  const names = name.match(/[^\s@]+/g) ?? [name],
    hue = [...email].reduce((sum, c) => sum + 37 * c.codePointAt(0), 0) % 360;
  return html`<span class="avatar" .style=${`--hue:${hue}`} aria-hidden="true">${[...new Set([names[0], names.at(-1)])].map((n) => [...n][0].toUpperCase())}</span>`;
}

// stepNotice returns a function that returns the notice of a candidate's step.
export const stepNotice = (id, name) => (step) => html`<a href=${candidatePath(id)}><bdi>${name}</bdi></a> ${stepText(step)}`;

// run posts an action about a candidate, and shows what the server did.
async function run(c, actions, path, body) {
  await change(() => post(path, body), stepNotice(c.id, personOf(c)));
  await actions.refresh();
}

// tests make the next report of the candidate fail or late, and say which faults wait. No report follows an invitation that has ended.
function tests(c, actions) {
  const report = { route: "GET /submissions/{id}/report", candidate: c.candidate_email };
  const button = ([name, fault]) => html`<button class="plain small" @click=${() =>
    act(() => change(() => post("faults", { ...report, ...fault }), `The next read of the report: ${effects(fault).join(", ")}`))}>${name}</button>`;
  const setDelay = (seconds) => run(c, actions, `candidates/${c.id}/delay`, { seconds }),
    late = (seconds) => act(() => setDelay(Number(seconds)));
  const otherDelay = () => form({ id: "lateness", subject: c.id, label: "Late by", fields: [{ name: "seconds", label: "Or by", placeholder: "90s or 2h30m", required: true }], button: "Make it late", send: async ({ seconds }) => (await setDelay(seconds), closePopups()) });
  const waiting = armed(c),
    isUnready = c.stage === "evaluated" && !c.report?.evaluated;
  const delay = c.report_delay < 0 || (isUnready && !c.report_at) ? "The report is never ready." : isUnready ? html`The report is not ready yet. It will be on <time>${fullTime(c.report_at)}</time>.` : `Report ready ${span(c.report_delay ?? 0)} after the evaluation.`;
  const remove = () => act(() => change(() => Promise.all(waiting.map((f) => post("faults/clear", { id: f.id }))), "The faults are removed"));
  const next = () => html`<p class="line" role="group" aria-label="Next read of the report">Next read of the report: <span class="joined">${Object.entries(buttonFaults).map(button)}</span> ${choice("late", "Delay the report", [["60", "by 1 min"], ["300", "by 5 min"], ["3600", "by 1 h"], ["-1", "never ready"]], late, otherDelay())}</p>`;
  return html`${c.ended ? nothing : next()}
    ${waiting.length ? html`<p class="note warn" id="armed">Next read: ${waiting.map((f) => effects(f.fault).join(", ")).join("; then: ")}
      <button class="plain small" @click=${remove}>Remove</button></p>` : nothing}
    ${!c.ended && (c.report_delay || isUnready) ? html`<p class="note warn" id="delayed">${delay}
      <button class="plain small" @click=${() => late(0)}>${isUnready ? "Make it ready now" : "Back to on time"}</button></p>` : nothing}`;
}

// pane shows a candidate.
export function pane(c, actions) {
  const [next, ...later] = stagesAhead(c);
  const revoke = () => act(() => run(c, actions, `invitations/${c.id}/revoke`));
  return html`<section class="pane candidate" aria-label=${"Candidate " + personOf(c)} aria-describedby="headline" tabindex="-1"
      data-ready=${actions.ready ? "" : nothing}>
    <div class="head"><div class="title">${avatar(personOf(c), c.candidate_email)}<h2 class="headline" id="headline"><bdi title=${c.candidate_name}>${middle(personOf(c), 120)}</bdi></h2>
      <button class="plain small" aria-label="Close (Esc)" @click=${actions.close}>✕</button></div>
    <p class="meta"><b>${c.stage}</b>${c.ended ? html`<span class="mark">${c.ended}</span>` : nothing}
      ${c.invitations > 1 ? html`<a class="mark odd" href=${linkTo("pipeline", { text: c.candidate_email })}>${invitedTwice(c)}</a>` : nothing}<bdi title=${c.candidate_email}>${middle(c.candidate_email, 60)}</bdi><bdi title=${c.assessment}>${middle(c.assessment, 60)}</bdi></p>
    <p class="line">${next && next !== "evaluated" ? html`<button id="next" @click=${() => actions.take(c, next)}>${steps[next]}</button>` : nothing}
      ${later.length ? choice("later", "Take to", later.map((stage) => [stage, stage]), (stage) => actions.take(c, stage, true)) : nothing}
      ${c.steps.includes("revoke") ? html`<button class="plain danger" id="revoke" @click=${revoke}>Revoke</button>` : nothing}
    </p>${tests(c, actions)}</div>
    <p class="meta">${id("Invitation", c.id)}${id("Submission", c.submission_id)}</p>
    ${c.stage === "submitted" ? grading(c, actions) : nothing}${c.report?.evaluated ? report(c.report, "Report") : c.coming ? report(c.coming, `Report, ready on ${fullTime(c.report_at)}`) : nothing}
    ${c.stage === "evaluated" ? html`<details><summary>Evaluate again</summary><p class="quiet">Replaces the result. What is left empty is chosen anew.</p>${grading(c, actions)}</details>` : nothing}
    ${lists(c)}</section>`;
}

const id = (name, value) => value && html`<span>${name} <code title=${value}>${shortIDs(value)}</code>
  ${copyButton(value, `Copy the id of the ${name.toLowerCase()}`)}</span>`;

function timeline(c) {
  const done = [...stages, "revoked"].filter((s) => c[s + "_at"]).map((s) => ({ at: c[s + "_at"], text: s }));
  const isOpen = !c.submission_id && !c.ended;
  const isLate = c.report_at && Date.parse(c.report_at) > Date.parse(c.evaluated_at);
  const all = [
    ...done.sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    ...(isOpen || c.ended === "expired" ? [{ at: c.expires_at, text: isOpen ? "invitation expires" : "invitation expired", later: isOpen }] : []),
    ...(isLate ? [{ at: c.report_at, text: "report ready", later: !c.report?.evaluated }] : []),
  ];
  const line = (s, i) => {
    const before = all[i - 1],
      day = before && dayOf(before.at) === dayOf(s.at) ? "" : dayOf(s.at) + " ";
    const since = before && s.at > before.at && html` <small>+${span((Date.parse(s.at) - Date.parse(before.at)) / 1000)}</small>`;
    return html`<li class=${s.later ? "later" : ""}><span>${s.text}</span>
      <time title=${s.at}>${day}${clockTime(s.at)}</time>${since || nothing}</li>`;
  };
  return html`<ol class="timeline">${all.map(line)}</ol>`;
}

const pillars = { correctness: "Correctness", craft: "Craft", ai_fluency: "AI Fluency", rigor: "Rigor" };
const number = (name, label, placeholder = "auto") => ({ name, label, number: true, kind: "short", placeholder });
const select = (name, label, first, all) => ({ name, label, type: "select", options: [["", first], ...all] });

// verdictKind returns the class of a verdict's colour.
export const verdictKind = (verdict) => (/yes/.test(verdict) ? "good" : /no/.test(verdict) ? "bad" : "");

export const verdicts = ["strong_yes", "yes", "no", "strong_no"].map((v) => [v, v.replace("_", " ")]);

// resultFields returns the fields of a result in a form. The sandbox chooses what is left empty, but no pillar if one is given.
export function resultFields(form) {
  const empty = Object.keys(pillars).some((name) => drafts[form + "-" + name]) ? "no score" : "auto";
  return [
    number("ship_score", "Ship score"),
    ...Object.entries(pillars).map(([name, label]) => number(name, label, empty)),
    { name: "low_confidence", label: "Low confidence", type: "checks", options: Object.entries(pillars) },
    select("verdict", "Verdict", "by the score", verdicts),
    select("integrity_status", "Integrity", "clear", ["flagged"]),
    { ...select("confidence", "Confidence", "by the pillars", ["low", "medium", "high"]), more: true },
    { name: "report_delay", label: "Report ready after", placeholder: "at once, or 5m", more: true },
    { name: "summary", label: "Summary", kind: "wide", more: true, placeholder: "a sentence with the score" },
  ];
}

// resultOf returns the result that the values of the fields mean.
export function resultOf(values) {
  const result = { pillars: {} };
  for (const [name, value] of Object.entries(values)) (pillars[name] ? result.pillars : result)[name] = value;
  return result;
}

function grading(c, actions) {
  const send = (values) => run(c, actions, `submissions/${c.submission_id}/evaluate`, resultOf(values));
  return html`<section aria-label="Evaluate"><h3>Evaluate</h3>
    ${form({ id: "evaluate", label: "Evaluate", button: "Evaluate", fields: resultFields(c.id + "evaluate"), send, subject: c.id, keep: resultFields("").map((f) => f.name), kind: "inline" })}
  </section>`;
}

function report(r, title) {
  const lists = Object.entries(r).filter(([name, items]) => name !== "pillars" && Array.isArray(items) && items.length);
  const fact = (text, kind) => text && html`<span class=${"mark " + (kind || "")}>${text}</span>`,
    place = r.pipeline_rank && `rank ${r.pipeline_rank.rank} of ${r.pipeline_rank.total}`;
  const meter = (p) => html`<b>${p.score}</b><meter min="0" max="100" value=${p.score} aria-label=${p.label}></meter>`;
  const pillar = (p) => html`<li><span>${p.label}</span> ${p.score === null ? html`<small>no score: not enough data</small>` : meter(p)}
    ${p.low_confidence && p.score !== null ? html`<b class="warn">low confidence</b>` : nothing}</li>`;
  return html`<section class="report" aria-label="Report"><h3>${title}</h3>
    <div class=${"verdict " + verdictKind(r.verdict)}><svg viewBox="0 0 36 36" aria-hidden="true"><circle cx="18" cy="18" r="16"></circle>${r.ship_score ? svg`<circle cx="18" cy="18" r="16" pathLength="100" stroke-dasharray=${`${r.ship_score} 100`}></circle>` : nothing}</svg><b>${r.ship_score ?? "–"}</b>
      <div><p><strong>${r.verdict_label}</strong>${fact(`confidence ${r.confidence}`, r.confidence === "low" && "warn")}${fact(`integrity ${r.integrity_status}`, r.integrity_status === "flagged" && "bad")}${fact(place)}${fact(r.percentile && `percentile ${r.percentile}`)}</p>
    <p>${r.summary}</p></div></div><ul class="pillars">${(r.pillars ?? []).map(pillar)}</ul>
    ${lists.map(([name, items]) => html`<h4>${name[0].toUpperCase() + name.slice(1).replaceAll("_", " ")}</h4><ul>${items.map((i) => html`<li>${typeof i === "string" ? i : JSON.stringify(i)}</li>`)}</ul>`)}</section>`;
}
