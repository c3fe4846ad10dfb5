// The pane of one request.
import { html, nothing } from "./lit/lit-html.js";
import { copyButton, draw, form, say, state } from "./core.js";
import { clockTime, dayOf, faultText, highlight, plural, pretty, shortIDs, took } from "./format.js";
import { faultFields, inject } from "./faults.js";
import { snippets } from "./snippets.js";

const maxShown = 65536; // Characters of a body.
let language = "curl";
const bodies = new Map(); // Elements of the bodies of the request that is shown.

export const failed = (e) => e.ended && (!e.status || e.status >= 400);
export const keyOf = (e) => state.keys.find((k) => k.id === e.key_id);
export const keyName = (e) => (e.key === "" ? "none" : (keyOf(e)?.token ?? e.key));

export function statusKind(e) {
  if (!e.ended) return "wait";
  return !e.status || e.status >= 500 ? "bad" : e.status >= 400 ? "warn" : "";
}

// pane shows a request, or that it is lost. actions are those of the list.
export function pane(e, actions) {
  if (actions.lost) {
    return html`<section class="pane" aria-label="Request" tabindex="-1">
      <p>The journal no longer has request #${actions.number}.</p>
      <button class="plain" @click=${actions.close}>Close</button></section>`;
  }
  if (!e) return html`<section class="pane" aria-label="Request" tabindex="-1"></section>`;
  return html`<section class="pane" aria-label=${"Request " + e.number} tabindex="-1"
      data-ready=${e.number === actions.number ? "" : nothing}>
    <div class="title"><h2><span class=${"method " + (e.method === "GET" ? "" : "write")}>${e.method}</span>
        <span class="path" title=${e.path}>${shortIDs(e.path)}</span></h2>
      <button class="plain small" aria-label="Close (Esc)" @click=${actions.close}>✕</button></div>
    <p class="meta"><b class=${"status " + statusKind(e)}>${e.status ?? (e.ended ? "No response" : "In progress")}</b>
      <span>#${e.number}</span><time title=${e.at}>${dayOf(e.at)} ${clockTime(e.at)}</time>
      <span>${e.ended ? took(e.took) : "–"}</span><code>${keyName(e)}</code>
      ${e.limit ? html`<span>${e.remaining} of ${e.limit} remaining</span>` : nothing}
      ${e.request_id ? html`<code>${e.request_id}</code>` : nothing}</p>
    ${notes(e, actions.link)}
    ${message(e, "Response", e.response, e.response_headers, e.response_cut ? e.response_size : 0)}
    ${message(e, "Request", e.body, e.headers, 0, e.query)}${e.route ? failNext(e) : nothing}${copies(e)}</section>`;
}

function notes(e, link) {
  const note = (kind, content) => html`<p class=${"note " + kind}>${content}</p>`;
  return html`${e.error ? note(statusKind(e), html`<b>${e.error.code}</b> ${e.error.message}`) : nothing}
    ${e.fault ? note("bad", "Injected fault: " + faultText(e.fault)) : nothing}
    ${e.throttled ? note("warn", "Throttled, because of failed authentications from the same address.") : nothing}
    ${e.repeats ? note("odd", html`This write was sent twice: first as ${link(e.repeats)}.`) : nothing}
    ${e.repeated_by ? note("odd", html`This write was sent again as ${link(e.repeated_by)}.`) : nothing}`;
}

// bodyOf returns the element of a body. It is made once.
function bodyOf(e, name, text) {
  const id = `${e.number} ${name} ${e.ended}`;
  if (!bodies.has(id)) {
    if (bodies.size > 8) bodies.clear();
    bodies.set(id, highlight(text));
  }
  return bodies.get(id);
}

function message(e, name, text, headers, size, query) {
  const whole = pretty(text ?? ""),
    omitted = size ? size - (text ?? "").length : Math.max(0, whole.length - maxShown);
  const pairs = (all) =>
    html`<dl class="headers">${all.map(([n, value]) => html`<dt>${n}</dt><dd>${value}</dd>`)}</dl>`;
  const lines = Object.entries(headers ?? {})
    .sort()
    .map(([n, values]) => [n, values.join(", ")]);
  return html`<section aria-label=${name}>
    <h3>${name}${text ? copyButton(text, "Copy the body of the " + name.toLowerCase()) : nothing}</h3>
    ${query ? pairs([...new URLSearchParams(query)]) : nothing}
    ${
      text
        ? html`<pre class="body" tabindex="0">${bodyOf(e, name, whole.slice(0, maxShown))}</pre>`
        : html`<p class="quiet">${headers ? "No body." : !e.status ? "None." : "No longer kept."}</p>`
    }
    ${text && omitted > 0 ? html`<p class="quiet">${omitted} more bytes</p>` : nothing}
    ${headers ? html`<details><summary>${plural(lines.length, "header")}</summary>${pairs(lines)}</details>` : nothing}
  </section>`;
}

// failNext offers to fail the next requests of the route.
function failNext(e) {
  const route = `${e.method} ${e.route}`;
  const fail = async (values) => {
    await inject({ ...values, route });
    say(`${values.preset} waits for ${route}`);
  };
  const label = "Fail the next of this route",
    fields = faultFields;
  return form({ id: "fail-next", label, fields, button: label, send: fail, keep: true, kind: "inline" });
}

function copies(e) {
  const all = snippets(e, location.origin, keyOf(e)?.token);
  const [name, text] = all.find(([n]) => n === language) ?? all[0] ?? [];
  const choose = (n) => {
    language = n;
    draw();
  };
  const tab = ([n]) =>
    html`<button class="plain small" aria-pressed=${String(n === name)} @click=${() => choose(n)}>${n}</button>`;
  return html`<section aria-label="Copy"><h3>Copy as</h3>
    ${
      text
        ? html`<div class="tabs">${all.map(tab)}${copyButton(text, "Copy as " + name)}</div>
          <pre id="copied" tabindex="0">${text}</pre>`
        : html`<p class="quiet">The body is too long to be copied.</p>`
    }</section>`;
}
