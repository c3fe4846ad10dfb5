// Keys: one row each, with the remaining requests and the plan as fields.
import { html, nothing } from "./lit/lit-html.js";
import { live } from "./lit/directives/live.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, ask, change, copyButton, draw, form, get, post, problem, state } from "./core.js";
import { clockTime, dayOf, middle } from "./format.js";

let loaded = false;

async function load() {
  state.keys = (await get("keys")).keys;
  loaded = true;
}

// saved returns a number that is saved when it changes. News from the server do not replace
// what is typed while it has the focus, is being saved or was refused.
function saved(id, label, value, save) {
  const error = state.errors[id],
    focused = document.activeElement?.id === id;
  const saveNow = async (event) => {
    state.typed[id] = event.target.value;
    try {
      await change(() => save(Number(state.typed[id])), label + " saved");
      await load();
      delete state.errors[id];
      delete state.typed[id];
    } catch (e) {
      state.errors[id] = e;
    }
    draw();
  };
  const shown = focused ? document.activeElement.value : (state.typed[id] ?? value);
  return html`<input class="number" id=${id} type="number" aria-label=${label} .value=${live(String(shown))}
    aria-invalid=${error ? "true" : nothing} aria-describedby=${error ? id + "-error" : nothing}
    @change=${saveNow}>${problem(id, error?.message)}`;
}

function limit(k, name, { remaining, limit, reset }, save) {
  const label = `Remaining ${name} of ${k.token}`;
  return html`<td data-label=${name[0].toUpperCase() + name.slice(1)}><div class="limit">
    ${saved(`${k.id}-${name}`, label, remaining, save)}<span>of ${limit}</span></div>
    ${reset ? html`<small>until ${clockTime(reset)}</small>` : nothing}</td>`;
}

function row(k) {
  const valid = k.state === "valid",
    name = k.token;
  const organization = middle(k.organization, 20) || (k.live ? "default" : "–"),
    empty = html`<td></td>`;
  const quota = (name) => (remaining) => post("quota", { key: k.id, class: name, remaining });
  const plan = (left) => post("plan", { key: k.id, used: k.plan.limit - left, limit: k.plan.limit });
  const revoke = async () => {
    const what = "Its next request gets a 401. A reset of the sandbox restores it.";
    if (await ask(`Revoke ${k.token}?`, what, "Revoke"))
      await act(() => change(() => post("keys/revoke", { token: k.id }), "The key is revoked"));
  };
  return html`<tr class=${k.state}><th scope="row"><div><code title=${name}>${middle(name, 26)}</code>
        ${copyButton(name, "Copy " + name)}</div>
      ${valid ? nothing : html`<span class="mark warn">${k.state}</span>`}
      ${k.expires ? html`<small>expires ${dayOf(k.expires)} ${clockTime(k.expires)}</small>` : nothing}</th>
    <td data-label="Scope">${k.scope}</td>
    <td data-label="Organization"><bdi title=${k.organization}>${organization}</bdi></td>
    ${valid ? limit(k, "reads", k.read, quota("read")) : empty}
    ${valid ? limit(k, "writes", k.write, quota("write")) : empty}
    ${valid && k.plan ? limit(k, "invitations", { ...k.plan, remaining: k.plan.limit - k.plan.used }, plan) : empty}
    <td>${
      valid
        ? html`<button class="plain danger small" aria-label=${"Revoke " + k.token} @click=${revoke}>Revoke…</button>`
        : nothing
    }</td></tr>`;
}

const fields = [
  { name: "token", label: "Key", required: true, placeholder: "sk_live_acme" },
  { name: "scope", label: "Scope", type: "select", options: ["admin", "write", "read"] },
  { name: "organization", label: "Organization", placeholder: "default" },
  { name: "expires", label: "Expires", placeholder: "never, or 2026-12-01T10:00:00Z", kind: "wide" },
];

async function add(values) {
  await change(() => post("keys", values), "The key is added");
  await load();
}

const heads = ["Key", "Scope", "Organization", "Remaining reads", "Remaining writes", "Remaining invitations"];

const view = () =>
  loaded ? html`<h1 class="gone">Keys</h1><section class="panel"><table class="keys"><caption class="gone">Keys</caption>
  <thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}
    <th><span class="gone">Actions</span></th></tr></thead>
  <tbody>${repeat(state.keys, (k) => k.id, row)}</tbody></table></section>
  <section class="panel"><h2>Add a key</h2>
    ${form({ id: "add-key", label: "Add a key", fields, button: "Add key", send: add })}</section>` : nothing;

export const keysPage = { name: "keys", title: "Keys", path: "/_sandbox/console/keys", changes: [], load, view };
