// Faults: a form, and the faults that wait or have fired.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, change, form, linkTo, post, shortTime, state } from "./core.js";
import { aimText, effects, faultText, plural } from "./format.js";

// buttonFaults are the faults that a pane injects, by the names of their buttons.
export const buttonFaults = { 500: { status: 500 }, 503: { status: 503, retry_after: 1 }, Cut: { cut_after: 20 }, "No response": { after: true } };

// presets are the faults of the form.
const presets = {
  "500 Internal error": { status: 500 }, "503 with Retry-After": { status: 503, retry_after: "2s" },
  "429 Rate limited": { retry_after: "5s" }, "409 Conflict": { status: 409 },
  "Delayed by 3 s": { delay: "3s" }, "Connection reset before the work": { reset: true },
  "Response lost after the work": { after: true }, "Cut after 20 bytes": { cut_after: 20 },
  "502 from an intermediary": { status: 502, body: "<html><h1>Bad gateway</h1></html>", content_type: "text/html" },
};

function fields() {
  const keys = state.keys.filter((k) => k.state === "valid").map((k) => [k.id, k.token]);
  const routes = [["", "Every request"], "GET *", "POST *", "PATCH *", "DELETE *", ...state.routes];
  return [
    { name: "preset", label: "Fault", type: "radios", options: Object.keys(presets), value: "500 Internal error" },
    { name: "times", label: "Times", type: "select", options: [["1", "once"], ["3", "3 times"], ["-1", "always"]], value: "1", kind: "short" },
    { name: "route", label: "Route", type: "select", options: routes, value: state.query.get("route"), kind: "wide" },
    { name: "key", label: "Key", type: "select", options: [["", "Any key"], ...keys], value: state.query.get("key") ?? "" },
    { name: "candidate", label: "Candidate's address", placeholder: "any", value: state.query.get("candidate") },
    { name: "skip", label: "Requests that pass first", number: true, placeholder: "0", more: true },
    { name: "status", label: "Status", number: true, more: true },
    { name: "retry_after", label: "Retry-After", placeholder: "30s", more: true },
    { name: "delay", label: "Delay", placeholder: "3s", more: true },
  ];
}

// send injects a usual fault. Other fields that are given replace its own.
const send = ({ preset, times, ...fault }) => change(() => post("faults", { ...presets[preset], ...fault, times: Number(times) }));

const removeAll = () => act(() => change(() => post("faults/clear"), "All faults are removed"));

function table(faults, caption) {
  const remove = (f) => act(() => change(() => post("faults/clear", { id: f.id }), "The fault is removed"));
  const again = (f) => act(() => change(() => post("faults", f.fault)));
  const row = (f) => html`<tr class=${f.waiting ? "waiting" : "done"}><td data-label="Fault"><small>${f.id} ·</small> <b>${effects(f.fault).join(", ")}</b> ${aimText(f.fault)}</td>
    <td data-label="Remaining">${!f.waiting ? "none" : f.times_left < 0 ? "always" : `${f.times_left} left`}</td>
    <td data-label="Fired" class="number">${f.fired ? html`<a href=${linkTo("", { q: "fault:" + f.id })}>${plural(f.fired, "time")}</a> <small>${shortTime(f.last)}</small>` : "never"}</td>
    <td>${f.waiting ? html`<button class="plain danger small" aria-label=${"Remove: " + faultText(f.fault)} @click=${() => remove(f)}>Remove</button>` : html`<button class="plain small" aria-label=${"Inject again: " + faultText(f.fault)} @click=${() => again(f)}>Inject again</button>`}</td></tr>`;
  return html`<table class="faults"><caption class="gone">${caption}</caption>
    <thead><tr><th scope="col">Fault</th><th scope="col">Remaining</th>
      <th scope="col" class="number">Fired</th><th><span class="gone">Actions</span></th></tr></thead>
    <tbody>${repeat(faults, (f) => f.id, row)}</tbody></table>`;
}

function view() {
  const waiting = state.faults.filter((f) => f.waiting),
    ended = state.faults.filter((f) => !f.waiting);
  const injection = form({ id: "inject", label: "Inject a fault", fields: fields(), button: "Inject fault", send, subject: String(state.query), keep: ["preset", "times", "route", "key"] });
  return html`<h1 class="gone">Faults</h1><section class="panel"><div class="title"><h2>Active</h2>
        ${waiting.length ? html`<button class="plain danger" id="remove-all" @click=${removeAll}>Remove all</button>` : nothing}</div>
      ${waiting.length ? table(waiting, "Active faults") : html`<p class="quiet">No fault is active. Each request gets its usual response.</p>`}</section>
    <section class="panel injection"><h2>Inject a fault</h2>${injection}</section>
    ${ended.length ? html`<section class="panel"><details id="ended" open><summary>${plural(ended.length, "ended fault")}</summary>${table(ended, "Ended faults")}</details></section>` : nothing}`;
}

export const faults = { name: "faults", title: "Faults", path: "/_sandbox/console/faults", changes: [], load: async () => {}, view };
