// Keys: one row each, with the remaining requests and the plan as fields.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, ask, copyButton, forget, form, get, post, saved } from "./core.js";
import { clockTime, dayOf, middle } from "./format.js";

let keys = null;

const load = async () => { keys = (await get("keys")).keys; };

// limit returns a field for what remains of a limit, with buttons for none and all of it.
function limit(k, name, remaining, of, set, reset) {
  const save = async (value) => { await set(value); await load(); };
  const id = `${k.id}-${name}`;
  const to = (value) => act(async () => { await save(value); forget(id); }, `${name} of ${k.token}: ${value} of ${of} remaining`);
  const label = `Remaining ${name} of ${k.token}`;
  return html`<div class="limit">${saved({ id, label, value: remaining, save })}<span>of ${of}</span>
    <button class="plain small" aria-label=${`${label}: none`} @click=${() => to(0)}>0</button><button class="plain small" aria-label=${`${label}: all`} @click=${() => to(of)}>max</button></div>
    ${reset ? html`<small>until ${clockTime(reset)}</small>` : nothing}`;
}

function row(k) {
  const quota = (name, remaining) => post("quota", { key: k.id, class: name, remaining });
  const revoke = async () => {
    if (await ask(`Revoke ${k.token}?`, "Its next request gets a 401. A reset of the sandbox restores it.", "Revoke key")) await act(() => post("keys/revoke", { token: k.id }), "The key is revoked");
  };
  const valid = k.state === "valid";
  return html`<tr class=${k.state}><th scope="row"><div><code title=${k.token ?? k.key}>${middle(k.token ?? k.key, 26)}</code>${k.token ? copyButton(k.token, "Copy " + k.token) : nothing}</div>
      ${k.name ? html`<small>${k.name}</small>` : nothing}${valid ? nothing : html`<span class="mark warn">${k.state}</span>`}${k.expires ? html`<small>expires ${dayOf(k.expires)} ${clockTime(k.expires)}</small>` : nothing}</th>
    <td data-label="Scope">${k.scope ?? "–"}</td><td data-label="Organization"><bdi title=${k.organization ?? ""}>${middle(k.organization ?? "", 20) || (k.live ? "default" : "–")}</bdi></td><td data-label="Requests" class="number">${k.requests}</td>
    <td data-label="Reads remaining">${valid ? limit(k, "reads", k.read.remaining, k.read.limit, (n) => quota("read", n), k.read.reset) : "–"}</td>
    <td data-label="Writes remaining">${valid ? limit(k, "writes", k.write.remaining, k.write.limit, (n) => quota("write", n), k.write.reset) : "–"}</td>
    <td data-label="Plan remaining">${k.plan ? limit(k, "invitations", k.plan.limit - k.plan.used, k.plan.limit, (n) => post("plan", { key: k.id, used: k.plan.limit - n })) : "–"}</td>
    <td>${valid ? html`<button class="plain danger small" aria-label=${"Revoke " + k.token} @click=${revoke}>Revoke…</button>` : nothing}</td></tr>`;
}

const fields = [
  { name: "token", label: "Key", required: true, placeholder: "sk_live_acme" },
  { name: "scope", label: "Scope", type: "select", options: ["admin", "write", "read"] },
  { name: "organization", label: "Organization", placeholder: "default" },
  { name: "expires", label: "Expires", placeholder: "never, or 2026-12-01T10:00:00Z", kind: "wide" },
];

const view = () => html`<h1 class="gone">Keys</h1>${keys ? html`<section class="panel"><table class="keys"><caption class="gone">Keys</caption>
  <thead><tr><th scope="col">Key</th><th scope="col">Scope</th><th scope="col">Organization</th><th scope="col" class="number">Requests</th><th scope="col">Reads remaining</th><th scope="col">Writes remaining</th><th scope="col">Plan remaining</th><th><span class="gone">Actions</span></th></tr></thead>
  <tbody>${repeat(keys, (k) => k.id, row)}</tbody></table></section>
  <section class="panel"><h2>Add a key</h2>${form({ id: "add-key", label: "Add a key", fields, button: "Add key", send: async (values) => { await post("keys", values); await load(); } })}</section>` : nothing}`;

export const keysPage = { name: "keys", title: "Keys", path: "/_sandbox/console/keys", changes: ["entries"], load, view };
