// Faults: a form, the faults that wait or have fired, and the settings of the whole API.
import { html, nothing } from "./lit/lit-html.js";
import { live } from "./lit/directives/live.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, ask, form, get, options, post, saved, say, state } from "./core.js";
import { clockTime, dayOf, faultText, plural } from "./format.js";

let all = null, routes = [], codes = [], keys = [];

async function load() {
  let menu;
  [{ faults: all }, menu, state.settings, { keys }] = await Promise.all([get("faults"), get("routes"), get("settings"), get("keys")]);
  routes = menu.routes.map((r) => r.route);
  codes = Object.keys(menu.codes);
}

// presets are the usual faults. One fills the fields of the form.
const presets = {
  "500 Internal error": { code: "INTERNAL_ERROR" },
  "503 with Retry-After": { status: 503, retry_after: "2s" },
  "429 Rate limited": { retry_after: "5s" },
  "409 Conflict": { code: "CONFLICT" },
  "Slow: 3 seconds": { delay: "3s" },
  "Connection reset before the work": { reset: true },
  "Response lost after the work": { after: true },
  "Response lost, work done later": { late: "30s" },
  "Response cut after 40 bytes": { cut_after: 40 },
  "502 page of a proxy": { status: 502, body: "<html><h1>Bad gateway</h1></html>", content_type: "text/html" },
  "Own fields": {},
};

function fill(event) {
  const values = presets[event.target.value];
  for (const f of fields().filter((f) => f.preset)) {
    const input = event.target.form.elements[f.name];
    if (f.type === "checkbox") input.checked = !!values[f.name];
    else input.value = values[f.name] ?? "";
  }
  if (!Object.keys(values).length) event.target.form.querySelector("details").open = true;
}

const fields = () => [
  { name: "preset", label: "Fault", type: "select", options: Object.keys(presets), change: fill, local: true, kind: "wide" },
  { name: "route", label: "Requests", placeholder: "every request", list: "routes", kind: "wide" },
  { name: "times", label: "Times (-1: all)", type: "number", value: 1, kind: "short" },
  { name: "skip", label: "Skip first", type: "number", placeholder: "0", kind: "short" },
  { name: "key", label: "Key", type: "select", options: [["", "every key"], ...keys.filter((k) => k.state === "valid").map((k) => [k.id, k.token])] },
  ...[
    { name: "status", label: "Status", type: "number" },
    { name: "code", label: "Code", type: "select", options: [["", "what fits the status"], ...codes], value: "INTERNAL_ERROR" },
    { name: "retry_after", label: "Retry-After", placeholder: "30s" },
    { name: "delay", label: "Delay", placeholder: "3s" },
    { name: "late", label: "Late", placeholder: "1m", hint: "the response is lost" },
    { name: "cut_after", label: "Cut after bytes", type: "number" },
    { name: "content_type", label: "Content-Type", placeholder: "text/html" },
    { name: "body", label: "Body", type: "textarea" },
    { name: "after", label: "After the work is done", type: "checkbox" },
    { name: "reset", label: "Reset the connection", type: "checkbox" },
  ].map((f) => ({ ...f, more: true, preset: true })),
];

async function inject(values) {
  await post("faults", values);
  say("The fault waits for its request");
  await load();
}

const removeFault = (id) => act(() => post(`faults/${id}/remove`), "The fault is removed");

async function removeAll() {
  if (await ask("Remove all faults?", "Requests get their usual responses again.", "Remove all")) act(() => post("faults/clear"), "All faults are removed");
}

const left = (f) => (f.times_left < 0 ? "every time" : `${f.times_left} left`) + (f.skip_left ? `, after ${f.skip_left} more` : "");

function faultRow(f) {
  const waits = f.state === "waiting" || f.state === "active", keyOf = keys.find((k) => k.id === f.fault.key || k.token === f.fault.key);
  return html`<tr class=${f.state}><td data-label="Fault">${faultText({ ...f.fault, key: keyOf?.token ?? f.fault.key })}</td><td data-label="State"><span class=${f.state === "waiting" ? "mark warn" : f.state === "active" ? "mark bad" : "mark"}>${f.state}</span></td>
    <td data-label="Remaining">${waits ? left(f) : "–"}</td><td data-label="Fired" class="number">${f.fired ? plural(f.fired, "time") : "never"}</td>
    <td>${waits ? html`<button class="plain small" aria-label=${"Remove: " + faultText(f.fault)} @click=${() => removeFault(f.id)}>Remove</button>` : nothing}</td></tr>`;
}

// The settings of the whole API.

const throttle = (on) => act(async () => {
  await post("throttle", { throttled: on });
  await load();
});

async function set(values, done) {
  await act(async () => { state.settings = await post("settings", values); }, done);
}

const onOff = (name, text, on, change, extra = nothing) => html`<li><label class="switch"><input type="checkbox" role="switch" .checked=${live(on)} @change=${(event) => change(event.target.checked)}> <b>${name}</b></label> <span>${text}</span>${extra}</li>`;

function settingsView(s) {
  const number = (name, label) => html`<label class="field short"><span>${label}</span>${saved({ id: "set-" + name, label, value: s[name], save: async (value) => { state.settings = await post("settings", { [name]: value }); } })}</label>`;
  const choice = (name, label) => html`<label class="field"><span>${label}</span><select @change=${(event) => set({ [name]: event.target.value }, label + " saved")}>${options(["created", "submitted", "evaluated"], s[name])}</select></label>`;
  const reset = async () => {
    if (await ask("Reset the sandbox?", "Keys, limits, candidates, faults, the journal and the clock go back to the start, for every organization.", "Reset sandbox")) act(() => post("reset"), "The sandbox is reset");
  };
  return html`<ul class="switches">
    ${onOff("Throttle", s.throttled_until ? `throttled addresses get a 429 until ${dayOf(s.throttled_until)} ${clockTime(s.throttled_until)}` : "every address, as after 100 failed authentications", !!s.throttled_until, throttle)}
    ${onOff("Archive storage", s.archives_available ? "available" : "links are null, earlier links respond with 503", s.archives_available, (on) => set({ archives_available: on }))}
    ${onOff("Simulate schema changes", "unknown members and values, and nulls, in responses", s.drift, (on) => set({ drift: on }))}
    ${onOff("DELETE responds with 204", "instead of 200 with the resource", s.no_content, (on) => set({ no_content: on }))}</ul>
    <div class="form">${number("drift_seed", "Schema seed")}${number("read_quota", "Reads per hour")}${number("write_quota", "Writes per hour")}${number("listing_lag", "Listing lag in s")}${number("page_cap", "Page cap")}
      ${choice("since_on", "Filter since is about")}${choice("newest_by", "Newest by")}</div>
    <p><button class="plain danger" id="reset" @click=${reset}>Reset sandbox…</button></p>`;
}

function view() {
  if (!all) return nothing;
  const waiting = all.filter((f) => f.state === "waiting" || f.state === "active").length;
  return html`<h1 class="gone">Faults</h1><section class="panel"><h2>Inject a fault</h2>
    ${form({ id: "inject", label: "Inject a fault", fields: fields(), button: "Inject fault", send: inject, keep: true })}<datalist id="routes">${routes.map((r) => html`<option value=${r}></option>`)}</datalist></section>
    <section class="panel"><div class="title"><h2>Faults</h2>${waiting ? html`<button class="plain" @click=${removeAll}>Remove all…</button>` : nothing}</div>
    ${all.length ? html`<table class="faults"><caption class="gone">Faults</caption><thead><tr><th scope="col">Fault</th><th scope="col">State</th><th scope="col">Remaining</th><th scope="col" class="number">Fired</th><th><span class="gone">Actions</span></th></tr></thead>
      <tbody>${repeat(all, (f) => f.id, faultRow)}</tbody></table>` : html`<p class="quiet">No fault waits. Each request gets its usual response.</p>`}</section>
    <section class="panel"><h2>The API</h2>${state.settings ? settingsView(state.settings) : nothing}</section>`;
}

export const faults = { name: "faults", title: "Faults", path: "/_sandbox/console/faults", changes: [], load, view };
