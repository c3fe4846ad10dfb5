// The groups of the requests that a search finds: one line for those that are alike.
import { html, nothing, svg } from "./lit/lit-html.js";
import { linkTo, state } from "./core.js";
import { clockTime, effects, middle, plural, shortDay } from "./format.js";
import { keyName, statusKind, statusText, why } from "./request.js";

const quoted = (text) => (/[\s{]/.test(text) ? `"${text}"` : text);

// line draws the numbers of requests over time.
function line(counts) {
  const highest = Math.max(...counts);
  return html`<svg class="trend" viewBox="0 0 ${counts.length - 1 || 1} 20" preserveAspectRatio="none" aria-hidden="true">${svg`<polyline
    points=${counts.map((n, i) => `${i},${19 - (18 * n) / highest}`).join(" ")}></polyline>`}</svg>`;
}

export function groupsView(groups) {
  const today = state.clock?.now.slice(0, 10);
  const search = ({ error = {}, ...g }) =>
    [
      `status:${g.status || "none"}`, `method:${g.method}`, `route:${quoted(`${g.method} ${g.route || g.path}`)}`, `key:${keyName(g)}`,
      g.fault ? `fault:${[...new Set(g.fault_ids)]}` : "-is:fault", error.code && `code:${error.code}`, error.field && `field:${error.field}`,
      error.problem && `"${error.problem}"`, ...(state.query.get("q") ?? "").match(/-?(after|before):\S+/g) ?? [],
    ];
  const reason = (g) => (g.fault ? html`<span class="mark bad">fault: ${effects(g.fault).join(", ")}</span>` : g.error ? why(g, true) : nothing);
  const total = groups.reduce((sum, g) => sum + g.count, 0),
    share = (g) => (g.count < total / 100 ? "<1" : Math.round((100 * g.count) / total)) + " %";
  const row = (g, i) => html`<tr><td class=${"status " + statusKind(g)}>${statusText(g)}</td>
    <th scope="row"><a href=${linkTo("", { q: search(g).filter(Boolean).join(" ") })} data-keep=${"g" + i}><b class="method">${g.method}</b> <code>${g.route || g.path}</code></a></th>
    <td class=${"why " + statusKind(g)} title=${g.error?.code ?? ""}>${reason(g)}</td><td><code title=${keyName(g)}>${middle(keyName(g), 22)}</code></td>
    <td class="number"><b>${g.count.toLocaleString("en")}</b> <small>${share(g)}</small></td><td>${line(g.times)}</td>
    <td class="number"><time title=${g.at}>${g.at.startsWith(today) ? "" : shortDay(g.at) + " "}${clockTime(g.at)}</time></td></tr>`;
  return html`<section class="listing groups" id="list" aria-label="Groups" tabindex="-1"><table>
    <caption class="gone">${plural(groups.length, "group")} of requests that are alike, the largest first</caption>
    <thead><tr><th>Status</th><th>Request</th><th>Reason</th><th>Key</th><th class="number">Requests, share</th><th>Over time</th><th class="number">Last</th></tr></thead>
    <tbody>${groups.map(row)}</tbody></table></section>`;
}
