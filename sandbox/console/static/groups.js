// The groups of the requests that a search finds: one line for those that are alike.
import { html, nothing, svg } from "./lit/lit-html.js";
import { linkTo, shortTime, state } from "./core.js";
import { searched, termsOf } from "./search.js";
import { effects, middle, plural } from "./format.js";
import { agentOf, agentTerm, failed, keyName, productOf, programOf, statusKind, statusText, why } from "./request.js";

// merged returns one group for the groups that are alike and have the same value of splitBy, failures first. It has the members of the newest group.
function merged(groups, splitBy) {
  const alike = (g) => JSON.stringify([g.status, g.ended, g.method, g.route || g.path, g.key_id, g.error, g.fault && effects(g.fault), splitBy(g)]),
    sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const merge = (all) => ({
    ...all.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0], programs: [...new Set(all.flatMap((g) => g.programs ?? programOf(g)))], count: sum(all.map((g) => g.count)),
    times: all[0].times.map((_, i) => sum(all.map((g) => g.times[i]))), fault_ids: all.flatMap((g) => g.fault_ids),
  });
  return [...Map.groupBy(groups, alike).values()].map(merge).sort((a, b) => failed(b) - failed(a) || b.count - a.count);
}

// groupsOf groups the requests of a file, as the server groups its own. buckets are the buckets of the whole file.
export function groupsOf(entries, buckets) {
  const bucketOf = (e) => Math.max(0, buckets.findLastIndex((b) => b.at <= e.at));
  return merged(entries.map((e) => ({ ...e, count: 1, times: buckets.map((b, i) => Number(i === bucketOf(e))), fault_ids: [e.fault_id] })), agentOf);
}

// bars draws the numbers of requests over time.
function bars(counts, kind) {
  const highest = Math.max(...counts);
  const bar = (n, i) => (n ? `M${i + 0.5} 20V${18 - (18 * n) / highest}` : "");
  return html`<svg class=${"trend " + kind} viewBox="0 0 ${Math.max(counts.length, 12)} 20" preserveAspectRatio="none" aria-hidden="true">${svg`<path d=${counts.map(bar).join("")}></path>`}</svg>`;
}

const shareOf = (part, whole) => `${100 * part < whole ? "<1" : Math.round((100 * part) / whole)} %`;

// programsOf returns how many of the requests in groups each program sent, most first.
export const programsOf = (groups) =>
  [...Map.groupBy(groups, agentOf)].map(([agent, all]) => ({ agent, name: programOf(all[0]), count: all.reduce((sum, g) => sum + g.count, 0) })).sort((a, b) => b.count - a.count);

// groupsView shows the groups, and how many of the requests each program sent.
export function groupsView(groups) {
  const causes = merged(groups, (g) => !failed(g) && agentOf(g)), // The programs do not split the failures of one cause.
    sent = programsOf(groups);
  const search = ({ error = {}, ...g }) =>
    [
      ...termsOf(searched()), `status:${g.status || "none"}`, `method:${g.method}`, `route:"${g.method} ${g.route || g.path}"`, `key:${keyName(g)}`, sent.length > 1 && !failed(g) && agentTerm(agentOf(g)),
      g.fault ? `fault:${[...new Set(g.fault_ids)]}` : "-is:fault", error.code && `code:${error.code}`, error.field && `field:${error.field}`,
      error.problem && `"${error.problem}"`,
    ];
  const reason = (g) => (g.fault ? html`<span class="mark bad">fault: ${effects(g.fault).join(", ")}</span>` : g.error ? why(g, true) : nothing);
  const whole = groups.reduce((sum, g) => sum + g.count, 0);
  const program = ({ agent, name, count }, i) => html`${i ? " · " : ""}<span><a href=${linkTo("", { q: `${state.query.get("q") ?? ""} ${agentTerm(agent)}`.trim(), view: "groups" })} title=${name}>${productOf(name)}</a>
    ${count.toLocaleString("en")} (${shareOf(count, whole)})</span>`;
  const row = (g, i) => html`<tr><td class=${"status " + statusKind(g)}>${statusText(g)}</td>
    <th scope="row"><a href=${linkTo("", { q: [...new Set(search(g).filter(Boolean))].join(" ") })} data-keep=${"g" + i}
      title=${[g.error?.code, keyName(g), g.at].filter(Boolean).join(" · ")}><b class="method">${g.method}</b> <code>${g.route || g.path}</code></a></th>
    <td class=${"why " + statusKind(g)}>${reason(g)}</td><td><code>${middle(keyName(g), 22)}</code>${sent.length > 1 ? html`<small title=${g.programs.join(", ")}>${[...new Set(g.programs.map(productOf))].join(", ")}</small>` : nothing}</td>
    <td class="number"><b>${g.count.toLocaleString("en")}</b> <small>${shareOf(g.count, whole)}</small></td><td>${bars(g.times, statusKind(g))}</td>
    <td class="number"><time>${shortTime(g.at)}</time></td></tr>`;
  return html`<section class="listing groups" id="list" aria-label="Groups" tabindex="-1">
    <p class="banner" id="programs">Sent by ${sent.map(program)}</p>
    <table>
    <caption class="gone">${plural(causes.length, "group")} of requests that are alike, failures first</caption>
    <thead><tr><th>Status</th><th>Request</th><th>Reason</th><th>Key, programs</th><th class="number">Requests, share</th><th>Over time</th><th class="number">Last</th></tr></thead>
    <tbody>${causes.map(row)}</tbody></table></section>`;
}
