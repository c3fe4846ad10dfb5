// Keys: one row each, with the remaining requests and the plan as fields.
import { html, nothing } from "./lit/lit-html.js";
import { live } from "./lit/directives/live.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, change, copyButton, draw, form, linkTo, loadKeys, post, problem, state } from "./core.js";
import { clockTime, fullTime, middle, target } from "./format.js";

// saved returns a number that is saved when it changes. News from the server do not replace
// what is typed while it has the focus, is being saved or was refused. Enter leaves the field once the number is saved: the
// element keeps whether its last key was Enter, because the change that follows does not say it.
function saved(id, label, value, save) {
  const error = state.errors[id],
    focused = document.activeElement?.id === id;
  const saveNow = async (event) => {
    state.typed[id] = event.target.value;
    try {
      if (event.target.value === "" || event.target.value < 0) throw new Error("Type a number, 0 or more");
      await change(() => save(Number(state.typed[id])));
      if (event.target.isEntered) event.target.blur(); // The next key is a shortcut.
      await loadKeys();
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
    @keydown=${({ key, target }) => (target.isEntered = key === "Enter")} @change=${saveNow}>${problem(id, error?.message)}`;
}

// isLow reports whether few requests of a window are left.
export const isLow = ({ remaining, limit, reset }) => reset && remaining < limit / 5;

function limit(k, name, { remaining, limit, reset }, save) {
  const label = `Remaining ${name} of ${k.token}`;
  return html`<td data-label=${"Remaining " + name}><div class=${"limit " + (isLow({ remaining, limit, reset }) ? "low" : "")}>
    ${saved(`${k.id}-${name}`, label, remaining, save)}<span>of ${limit}</span><meter class=${remaining < limit ? "" : "full"} max=${limit} value=${remaining} aria-hidden="true"></meter><span>${reset ? `resets ${clockTime(reset).slice(0, 5)}` : nothing}</span></div></td>`;
}

function row(k) {
  const valid = k.state === "valid",
    name = k.token;
  const organization = middle(k.organization, 20) || (k.live ? "default" : "test data"),
    empty = html`<td></td>`;
  const quota = (name) => (remaining) => post("quota", { key: k.id, class: name, remaining });
  const plan = async (left) => left > k.plan.limit ? Promise.reject(new Error(`At most ${k.plan.limit}, the limit of the plan`)) : post("plan", { key: k.id, used: k.plan.limit - left, limit: k.plan.limit });
  const revoke = () => act(() => change(() => post("keys/revoke", { token: k.id }), `${k.token} is revoked`));
  const restore = () => act(() => change(() => post("keys/restore", { token: k.id }), `${k.token} is valid again`));
  return html`<tr class=${k.state}><th scope="row"><div><code title=${name}>${middle(name, 26)}</code>
        ${copyButton(name, "Copy " + name)}<a href=${linkTo("", { q: "key:" + name, view: "groups" })} aria-label=${"Requests of " + name}>Requests</a></div>
      ${valid ? nothing : html`<span class="mark warn">${k.state}</span>`}
      ${k.expires ? html`<small>expires ${fullTime(k.expires)}</small>` : nothing}</th>
    <td data-label="Scope">${k.scope}</td>
    <td data-label="Organization"><bdi title=${k.organization}>${organization}</bdi></td>
    ${valid ? limit(k, "reads", k.read, quota("read")) : empty}
    ${valid ? limit(k, "writes", k.write, quota("write")) : empty}
    ${valid && k.plan ? limit(k, "invitations", { ...k.plan, remaining: k.plan.limit - k.plan.used }, plan) : empty}
    <td>${valid ? html`<button class="plain danger small" aria-label=${"Revoke " + k.token} @click=${revoke}>Revoke</button>` : k.state === "revoked" ? html`<button class="plain small" aria-label=${"Restore " + k.token} @click=${restore}>Restore</button>` : nothing}</td></tr>`;
}

const fields = [
  { name: "token", label: "Token", placeholder: "sk_live_new", required: true, kind: "wide" },
  { name: "scope", label: "Scope", type: "select", options: ["admin", "write", "read"], kind: "short" },
  { name: "organization", label: "Organization", placeholder: "the default one" },
  { name: "expires", label: "Expires", placeholder: "never, or 2026-12-31" },
];

// add adds a key that is valid until a time, such as 2026-12-31 10:00.
const add = ({ expires, ...k }) => change(() => post("keys", { ...k, ...(expires && { expires: target(expires).to ?? expires }) }), `${k.token} is added`);

const heads = ["Key", "Scope", "Organization", "Remaining reads", "Remaining writes", "Remaining invitations"];

const view = () =>
  state.keys.length ? html`<h1 class="gone">Keys</h1><section class="panel"><table class="keys"><caption class="gone">Keys</caption>
  <thead><tr>${heads.map((name) => html`<th scope="col">${name}</th>`)}
    <th><span class="gone">Actions</span></th></tr></thead>
  <tbody>${repeat(state.keys, (k) => k.id, row)}</tbody></table>
  </section><section class="panel"><h2>Add a key</h2>${form({ id: "add-key", label: "Add a key", fields, button: "Add key", send: add })}</section>` : nothing;

export const keysPage = { name: "keys", title: "Keys", path: "/_sandbox/console/keys", changes: [], load: loadKeys, view };
