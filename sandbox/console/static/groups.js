// The groups of the requests that a search finds: one line for those that are alike.
import { html, nothing, svg } from "./lit/lit-html.js";
import { linkTo, state } from "./core.js";
import { clockTime, middle, plural, shortDay } from "./format.js";
import { why } from "./request.js";

const kindOf = (status) => (!status || status >= 500 ? "bad" : status >= 400 ? "warn" : "good");
const quoted = (text) => (/[\s{]/.test(text) ? `"${text}"` : text);

// line draws the numbers of requests over time.
function line(counts) {
  const highest = Math.max(...counts);
  return html`<svg class="trend" viewBox="0 0 ${counts.length - 1} 20" preserveAspectRatio="none" aria-hidden="true">${svg`<polyline
    points=${counts.map((n, i) => `${i},${19 - (18 * n) / highest}`).join(" ")}></polyline>`}</svg>`;
}

export function groupsView(groups) {
  const keyOf = (g) => state.keys.find((k) => k.id === g.key_id)?.token ?? (g.key_id || "none"),
    today = state.clock?.now.slice(0, 10),
    nameOf = (g) => (g.key_id && keyOf(g) === g.key_id ? "unknown key" : keyOf(g));
  const search = (g) =>
    [
      `status:${g.status || "none"}`, `method:${g.method}`, `route:${quoted(g.method + " " + g.route)}`, `key:${keyOf(g)}`,
      g.fault ? "is:fault" : "-is:fault", g.code && `code:${g.code}`, g.field && `field:${g.field}`, ...(state.query.get("q") ?? "").match(/-?(after|before):\S+/g) ?? [],
    ];
  const row = (g, i) => html`<tr><td class=${"status " + kindOf(g.status)}>${g.status || "lost"}</td>
    <th scope="row"><a href=${linkTo("", { q: search(g).filter(Boolean).join(" ") })} data-keep=${"g" + i}><b class="method">${g.method}</b> <code>${g.route}</code></a></th>
    <td class=${"why " + kindOf(g.status)} title=${g.code ?? ""}>${g.fault ? html`<span class="mark bad">injected fault${g.code ? ": " + g.code : ""}</span>` : g.code ? why(g.status, g.method, g, true) : nothing}</td><td><code title=${nameOf(g)}>${middle(nameOf(g), 22)}</code></td>
    <td class="number"><b>${g.count}</b></td><td>${line(g.times)}</td>
    <td class="number"><time title=${g.first + " – " + g.last}>${g.last.startsWith(today) ? "" : shortDay(g.last) + " "}${clockTime(g.last)}</time></td></tr>`;
  return html`<section class="listing groups" id="list" aria-label="Groups" tabindex="-1"><table>
    <caption class="gone">${plural(groups.length, "group")} of requests that are alike, the largest first</caption>
    <thead><tr><th>Status</th><th>Request</th><th>Reason</th><th>Key</th><th class="number">Requests</th><th>Over time</th><th class="number">Last</th></tr></thead>
    <tbody>${groups.map(row)}</tbody></table></section>`;
}
