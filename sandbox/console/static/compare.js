// Two requests side by side, as one text with the lines in which they differ.
import { html, nothing } from "./lit/lit-html.js";
import { get, state } from "./core.js";
import { productOf, programOf, statusText } from "./request.js";
import { searchFile } from "./search.js";
import { cutText, fullTime, plural, pretty, shortIDs, took } from "./format.js";

// partner returns the number of the request to compare with. For a write that was sent again it is the other write. Otherwise it is
// the last success of the same route and key before the request, or the first one after it, preferably with the same path and query,
// then with the same parameters, then with the same path. If there is none, the
// key may differ. Of several such requests, those with an evaluated report come first.
export async function partner(e) {
  if (e.repeats || e.repeated_by) return e.repeats ?? e.repeated_by;
  const ofRoute = `status:2xx -is:failed route:"${e.method} ${e.route || e.path}"`,
    ofKey = `${ofRoute} key:${e.key_id || "none"}`;
  for (const search of [`${ofKey} "${e.path}?"`, ofKey, ofRoute]) {
    const [before, after] = state.file
      ? [(x) => x.number < e.number, (x) => x.number > e.number].map((isThere) => searchFile(search)[0].filter(isThere))
      : await Promise.all(["before", "after"].map(async (name) => (await get("journal", { search, [name]: e.number })).entries));
    const found = [...before.reverse(), ...after].sort((a, b) => !!a.pending - !!b.pending);
    const namesOf = (x) => [...new URLSearchParams(x.query).keys()].sort().join();
    if (found.length) return (found.find((x) => x.query === e.query) ?? found.find((x) => namesOf(x) === namesOf(e)) ?? found[0]).number;
  }
}

const varying = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|req_[0-9a-f]+|signature=[\w%-]+|\d{4}-\d\d-\d\dT[\d:.]+Z|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT|\b\d{10}\b/g;
const comparable = (line, i) => (i ? line.replace(varying, "…") : line); // The first line names the resource.

const responseOf = (e) => e.response ?? e.withheld?.response;
const briefBody = /^\(a body of \d+ lines\)$/; // As linesOf writes it.

// linesOf returns the lines of a request and those of its response, without the headers that differ each time or are those of a browser. Of a response
// there is the status alone unless both are kept. The body of a success is one line if the other response is none, and so is a long body that is not JSON.
function linesOf(e, isAlike, areKept) {
  const headers = (all) =>
    Object.entries(all ?? {})
      .filter(([n]) => !/^(Date|Content-Length|X-Request-Id|X-Ratelimit-Remaining|Connection|Sec-.*|Origin|Referer|X-Sandbox-Page|Accept.*|User-Agent|Priority|Cache-Control|Pragma)$/.test(n))
      .sort()
      .map(([n, v]) => `${n}: ${v.join(", ")}`);
  const body = (text) => (text ? pretty(text, e.response_cut).split("\n").slice(0, 600) : []);
  const response = [...body(responseOf(e)), ...(e.response_cut ? ["(cut here)"] : [])];
  const brief = response[0]?.length > 2000 ? `(a body of ${e.response_size} bytes)` : !isAlike && e.status < 300 && response.length > 1 && `(a body of ${response.length} lines)`;
  const query = [...new URLSearchParams(e.query)].map(([n, v]) => `  ${n}=${v}`);
  return [
    [`${e.method} ${e.path}`, ...query, ...headers(e.headers), ...body(e.body)],
    [`${e.status ?? "no response"}`, ...(areKept ? [...headers(e.response_headers), ...(brief ? [brief] : response)] : [])],
  ];
}

// differences returns the lines of two texts: " " for equal ones, "~" for those that differ in ids and times
// only, "-" and "+" for those of one text.
function differences(a, b) {
  const [x, y] = [a.map(comparable), b.map(comparable)];
  const length = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--)
      length[i][j] = x[i] === y[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  }
  const lines = [];
  for (let i = 0, j = 0; i < x.length || j < y.length; ) {
    if (i < x.length && j < y.length && x[i] === y[j]) lines.push(a[i++] === b[j++] ? [" ", b[j - 1]] : ["~", a[i - 1] + "\n" + b[j - 1]]);
    else if (j >= y.length || (i < x.length && length[i + 1][j] >= length[i][j + 1])) lines.push(["-", a[i++]]);
    else lines.push(["+", b[j++]]);
  }
  return lines;
}

// folded puts equal lines that are not next to a difference, except the first, into one that can be opened.
function folded(lines) {
  const isNear = (i) => !i || lines.slice(Math.max(0, i - 2), i + 3).some(([kind]) => "-+".includes(kind)),
    all = [];
  lines.forEach((line, i) => {
    if (isNear(i)) all.push(line);
    else if (isNear(i - 1)) all.push(["…", [line]]);
    else all.at(-1)[1].push(line);
  });
  return all.map(([kind, some]) => (kind === "…" && some.length === 1 ? some[0] : [kind, some])); // One takes no less room when it is folded.
}

const words = { "-": "only in the first: ", "+": "only in the second: " };

// comparison returns how many lines of a request differ from another one, in words, and shows them, with those of the older one first. compare
// takes the number of yet another one, or closes the comparison.
export function comparison(e, other, link, compare) {
  const whole = (r) => r.withheld?.status ?? r.status, // Also of a response that was lost.
    isAlike = whole(e) === whole(other) || (whole(e) < 300 && whole(other) < 300),
    gone = [other, e].filter((r) => r.status && !r.response_headers),
    [first, second] = [other, e].sort((x, y) => x.number - y.number),
    [a, b] = [first, second].map((r) => linesOf(r, isAlike, !gone.length)),
    parts = [0, 1].map((i) => differences(a[i], b[i])),
    [sent, got] = parts.map((lines) => lines.filter(([kind]) => "-+".includes(kind)).length),
    linesText = (n) => (n ? `${plural(n, "line")} differ${n > 1 ? "" : "s"}` : "the same"),
    text = sent + got ? `Request: ${linesText(sent)}. Response: ${isAlike || a[1][0] === b[1][0] ? linesText(got) : `${a[1][0]} → ${b[1][0]}`}` : parts.flat().some(([kind]) => kind === "~") ? "Only ids and times differ" : "No line differs";
  const side = other.status >= 300 || !other.status || cutText(other.fault) ? "the other request" : `success${other.key_id === e.key_id ? "" : " of another key"} ${other.number < e.number ? "before" : "after"} it`;
  const about = (r) => html`${link(r.number)} ${r === e ? "this request" : side}: <b>${statusText(r)}</b> ${fullTime(r.at)}, ${took(r.took)}${programOf(e) === programOf(other) ? "" : ", " + productOf(programOf(r))}`;
  const fold = (all) => html`<li class="diff fold"><details><summary>${plural(all.length, "line")}, equal${all.some(([kind]) => kind === "~") ? " but for ids and times" : ""}</summary><ol>${all.map(line)}</ol></details></li>`,
    openable = (kind, text) => html`<details><summary>${text}</summary>${pretty(responseOf(kind === "-" ? first : second))}</details>`,
    line = ([kind, text]) => kind === "…" ? fold(text) : html`<li class=${"diff " + ({ "-": "less", "+": "more", " ": "", "~": "same" })[kind]}><span
    aria-hidden="true">${kind === "~" ? " " : kind}</span>${words[kind] ? html`<span class="gone">${words[kind]}</span>` : nothing}<code>${briefBody.test(text) ? openable(kind, text) : "-+~".includes(kind) ? text : shortIDs(text)}</code></li>`;
  return [text, html`<section aria-label="Comparison"><h3>${text}</h3><p class="line"><button class="plain small" @click=${() => compare()}>Close</button>
      <label class="quiet">Compare with # <input class="number" type="number" min="1" .value=${String(other.number)} @keydown=${({ key, target }) => key === "Enter" && compare(Number(target.value) || other.number)}></label></p>
    <p class="less">− ${about(first)}</p><p class="more">+ ${about(second)}</p>
    ${gone.length ? html`<p class="quiet">Without headers and bodies of the responses: that of ${gone.map((r, i) => [i ? " and " : "", link(r.number)])} is no longer kept.</p>` : nothing}
    <ol class="differences">${folded([...parts[0], [" ", ""], ...parts[1]]).map(line)}</ol></section>`];
}
