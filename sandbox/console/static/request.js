// The pane of one request.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, change, choice, closePopups, copy, copyButton, get, linkTo, lostPane, options, popup, post, say, setQuery, state, toQuery } from "./core.js";
import { buttonFaults } from "./faults.js";
import { actionText, aimText, candidatePath, clockTime, cutText, faultText, fromJSON, fullTime, highlight, middle, plural, pretty, shortIDs, span, took } from "./format.js";
import { curl } from "./curl.js";

const maxShown = 65536; // Characters of a body.

export const failed = (e) => e.ended && (!e.status || e.status >= 400 || !!cutText(e.fault));
const keyOf = (e) => state.keys.find((k) => k.id === e.key_id);
export const keyName = (e) => (e.key === "" ? "none" : (keyOf(e)?.token ?? e.key));
export const agentOf = (e) => e.agent ?? e.headers?.["User-Agent"]?.[0] ?? "";
// programOf names the program that sent a request.
export const programOf = (e) => (e.from_page ? "this page" : agentOf(e) || "no User-Agent");
// productOf returns the first product of a User-Agent, which names the program, and any other text unchanged.
export const productOf = (name) => (name.includes("/") ? name.split(" ")[0] : name);
export const agentTerm = (agent) => `program:${agent ? `"${agent}"` : "none"}`; // Of a search.

// wasReset reports whether a fault reset the connection before the work.
const wasReset = (e) => e.fault?.reset && !e.fault.after;
export const statusText = (e) => (e.status && cutText(e.fault) ? e.status + " cut" : (e.status ?? (!e.ended ? "…" : wasReset(e) ? "reset" : "lost")));

export function statusKind(e) {
  if (!e.ended) return "wait";
  return !e.status || e.status >= 500 || cutText(e.fault) ? "bad" : e.status >= 400 ? "warn" : "good";
}

// outcome says what the client got, as the end of "#28, ".
export const outcome = (e) =>
  (e.status ? `which got ${e.status}${cutText(e.fault) ? " and was cut" : ""}` : !e.ended ? "which has no response yet" : wasReset(e) ? "whose connection was reset" : "whose response was lost") +
  (e.fault ? " (injected fault)" : "");

// The address of a request is the same after a reset, when another request has the number.
export const requestQuery = (number) => ({ request: number, run: state.run });

// likeOf returns the members of a fault that hits the next request with the route, key and candidate of this one.
const likeOf = (e) => ({ route: e.route && `${e.method} ${e.route}`, key: state.keys.find((k) => k.id === e.key_id && k.state === "valid")?.id, candidate: e.subject?.includes("@") ? e.subject : undefined });
// failLink returns the address of the form for such a fault, and failNext a button with a menu that injects one.
export const failLink = (e) => linkTo("faults", e && likeOf(e));
const failNext = (e) => choice("failing", "Fail", Object.keys(buttonFaults).map((name) => [name, name]), (name) => act(() => change(() => post("faults", { ...likeOf(e), ...buttonFaults[name] }))), html`<p class="quiet">Once, ${aimText(likeOf(e))}.</p><a id="fail-next" href=${failLink(e)}>Other faults…</a>`);

// exportOf returns the address of a file with the requests that a query finds, as plain JSON if zipped is empty.
export const exportOf = (query, zipped = true) => "/_sandbox/journal" + toQuery({ ...query, details: true, export: true, zipped });

export const copyCurl = (e) => act(async () => copy(curl(e, location.origin, keyOf(e)?.token)), `Request #${e.number} is copied as curl, with its key`);

const isWrite = (e) => e.method !== "GET" && e.method !== "HEAD";
const classOf = (e) => (isWrite(e) ? "writes" : "reads"); // Of a rate limit.
export const lower = (text) => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");

const refusedOf = ({ error: { field, others = [] } = {} }) => [field, ...others];

// refusal says which field was refused and why, such as "name is required". Of two fields it has both reasons.
function refusal({ error: { field, others = [], problem }, response }) {
  if (!field) return lower(problem);
  const second = others.length === 1 && fromJSON(response)?.error?.details?.fieldErrors?.[others[0]]?.[0],
    one = (name, text) => name + (text === "Required." ? " is required" : (text.startsWith("Must") ? " " : ": ") + lower(text));
  return one(field, problem) + (second ? `; ${one(others[0], second)}` : others.length ? `; also refused: ${others.join(", ")}` : "");
}

// why is the mark of a failed request in its row, such as "name: required".
export function why(e, limit = e.limit) {
  const { message, field, others, problem } = e.error;
  if (e.throttled) return "too many bad keys";
  if (e.status === 429 && limit) return `no ${classOf(e)} left`;
  if (others?.length) return `${[field, ...others].join(", ")} refused`;
  return problem ? (field ? field + ": " : "") + lower(problem).replace(/^must (be |have )?/, "") : (nameOf(e) ?? lower(message).replace("this operation ", ""));
}

// doneText says whether the work of a write was done, if its response leaves that open.
export const doneText = (e) => (e.ended && e.method !== "GET" && (!e.status || e.status >= 500) ? (e.done ? "done" : "not done") : "");

// whatOf names what a write makes or changes.
function whatOf(e, person) {
  if (e.route.endsWith("/invitations")) return html`invitation to ${person}`;
  if (e.route.endsWith("/resend")) return html`invitation sent again to ${person}`;
  if (e.route.endsWith("/revoke")) return html`invitation of ${person} revoked`;
  return html`${{ POST: "made", PATCH: "changed", DELETE: "deleted" }[e.method]} <bdi>${e.subject ?? e.path}</bdi>`;
}

const timeOf = (unix) => clockTime(new Date(unix * 1000).toISOString());

const names = { 200: "OK", 201: "created", 404: "not found", 405: "no such method here", 429: "too many requests", 500: "internal error", 502: "bad gateway", 503: "not available" };

// nameOf returns the meaning of the status. The API does not say what is wrong with a key.
const nameOf = (e) => {
  const k = keyOf(e);
  if (e.status === 401) return e.key === "" ? "no key" : !k ? "unknown key" : k.revoked <= e.at ? `the key was revoked at ${clockTime(k.revoked)}` : "the key is not valid";
  return e.status === 404 && !e.route ? "no such route" : names[e.status];
};

// meant returns the path of the API for a path without its base, or "".
function meant({ status, route, path }) {
  const fits = (r) => new RegExp(`^${r.replace(/^\w+ /, "").replace(/\{\w+\}/g, "[^/]+")}$`).test(path);
  return status === 404 && !route && state.routes.some(fits) ? "/api/v1" + path : "";
}

// gaveUp says that the client did not wait for the end of a delay, or is "".
const gaveUp = (e) => (!e.status && e.fault?.delay > e.took ? `the client gave up after ${took(e.took)}` : "");

// lossOf returns why a request that ended has no response.
const lossOf = (e) => (wasReset(e) ? "connection reset" : "the response was lost");

// headline is the answer to what happened, in one line: a status, and a message in lower case.
function headline(e, person) {
  if (!e.ended) return "In progress";
  const lost = !e.status || e.withheld,
    cut = e.status && cutText(e.fault);
  if (isWrite(e) && (lost || e.status >= 500) && e.route) {
    const test = e.key.startsWith("sk_test_") && e.done ? " (test mode stores nothing)" : "";
    return html`<span class=${e.done ? "good" : "bad"}>${e.done ? "Done" : "Not done"}</span> · ${e.done ? html`${whatOf(e, person)}${test}, but ` : nothing}${
      cut ? `the response was ${cut}` : e.status ? `the client got ${e.status}` : gaveUp(e) || lossOf(e)}`;
  }
  const reset = e.error && e.response_headers?.["X-Ratelimit-Reset"]?.[0];
  const text = cut || gaveUp(e) || (!e.status && lossOf(e)) || (e.error?.problem
    ? refusal(e)
    : e.status === 429 && reset
      ? `${why(e)} until ${timeOf(reset)}`
      : isWrite(e) && e.status < 300 && e.route
        ? whatOf(e, person)
        : e.pending ? "not evaluated yet" : (nameOf(e) ?? lower(e.error?.message ?? "")));
  return html`<span class=${statusKind(e)}>${e.status ?? "No response"}</span>${text ? html` · ${text}` : nothing}${meant(e) ? html`; did you mean <code>${meant(e)}</code>?` : nothing}${e.undone ? `, then undone at ${clockTime(e.undone)}` : ""}`;
}

// queryOf returns the query, in which refused parameters stand out.
export const queryOf = (e) =>
  e.query.slice(0, 200).split("&").map((pair, i) => html`${i ? "&" : ""}<span class=${refusedOf(e).includes(pair.split("=")[0]) ? statusKind(e) : ""}>${shortIDs(pair)}</span>`);

// pane shows a request, or why it is not there. writes are the request and the writes that repeat it. unhide clears a search that
// excludes the request, if there is one.
export function pane(e, { number, lost, writes, candidate, uses, link, close, compared, compare, save, words, go, unhide }) {
  const button = (name, label, press) => html`<button class="plain small" aria-label=${label} @click=${press}>${name}</button>`;
  const closeButton = html`<span class="tabs">${button("‹", "Newer request (k)", () => go(-1))}${button("›", "Older request (j)", () => go(1))}${button("✕", "Close (Esc)", close)}</span>`;
  if (lost) return lostPane("Request", `Request #${number} ${lost}`, close);
  if (!e) return html`<section class="pane" aria-label="Request" tabindex="-1"><div class="skeleton late" aria-hidden="true"><i></i><i></i><i></i></div></section>`;
  const person = candidate
    ? html`<a href=${candidatePath(candidate.id)}><bdi>${candidate.candidate_name}</bdi></a>`
    : html`<bdi>${e.subject ?? "the candidate"}</bdi>`;
  return html`<section class="pane" aria-label=${"Request " + e.number} aria-describedby="headline" tabindex="-1"
      data-ready=${e.number === number ? "" : nothing}>
    <div class="head"><div class="title"><h2 class="headline" id="headline">${headline(e, person)}</h2>${closeButton}</div>
    <p class="target"><span class=${"method " + (isWrite(e) ? "write" : "")}>${e.method}</span>
      <code title=${e.path}>${shortIDs(e.path)}</code>${e.query ? html`<code class="query">?${queryOf(e)}</code>` : nothing}</p>
    <p class="line"><button class="plain small lead" id="compare" title="Shortcut: d" aria-keyshortcuts="d" aria-pressed=${String(!!compared)} @click=${compare}>Compare</button>
      <span class="joined"><button class="plain small" id="copy-curl" title="Shortcut: y" aria-keyshortcuts="y" @click=${() => copyCurl(e)}>Copy curl</button>${state.file ? nothing : html`<button class="plain small" id="copy-link" title="Works on this computer while this sandbox runs" @click=${() => act(() => copy(location.href), "The link is copied. It works on this computer while this sandbox runs; Save file makes one for others")}>Copy link</button><button class="plain small" id="export" title="Saves what the page of any sandbox opens" @click=${save}>Save file</button>`}</span>
      ${state.file ? nothing : html`<span class="joined"><button class="plain small" id="again" @click=${() => sendAgain(e)}>Send again</button>${popup("editing", "Edit…", editForm(e), "plain small")}${e.route ? failNext(e) : nothing}</span>`}</p></div>
    ${unhide ? html`<p class="note">The search hides it in the list. <button class="plain small" @click=${unhide}>Clear the search</button></p>` : nothing}
    ${notes(e, candidate && person, writes, candidate?.invitations, link, uses)}
    ${compared ?? html`<dl class="meta facts">${fact("Number", "#" + e.number)}${fact("Time", html`<time>${fullTime(e.at)}${e.at.slice(19, 23)}</time>`)}${fact("Took", e.ended ? took(e.took) : "–")}
      ${fact("Key", found("key:" + keyName(e), html`<code>${keyName(e)}</code>`))}${e.from_page ? fact("Sent by", "this page") : agentOf(e) ? fact("Program", found(agentTerm(agentOf(e)), middle(agentOf(e), 80))) : nothing}${e.limit && e.status !== 401 ? fact(isWrite(e) ? "Writes remaining" : "Reads remaining", `${e.remaining} of ${e.limit}`) : nothing}
      ${e.request_id ? fact("Request id", html`<code>${e.request_id}</code>`) : nothing}</dl>`}
    ${message(e, words, "Request", e.body, e.headers, 0, e.query)}
    ${e.withheld ? message(e, words, !e.status ? "Response that was lost" : cutText(e.fault) ? `Full response, of which ${e.response_size} bytes were sent` : "Response that the fault replaced", e.withheld.response, undefined, 0) : nothing}
    ${message(e, words, "Response", e.response, e.response_headers, e.response_cut ? e.response_size : 0)}</section>`;
}

const found = (q, value) => html`<a href=${linkTo("", { q })}>${value}</a>`;
const fact = (name, value) => html`<div><dt><small>${name}</small></dt><dd>${value}</dd></div>`;

// editForm returns a form that sends a request again with another key, method, path, query, headers or body.
function editForm(e) {
  const send = (event) => {
    event.preventDefault();
    const [key_id, method, target, headers, body] = [...event.target.elements].map((field) => field.value),
      [path, query = ""] = target.split(/\?(.*)/s);
    closePopups();
    sendAgain({ ...e, key_id, key: key_id, method, path, query, body }, headers);
  };
  const keys = state.keys.map((k) => [k.id, k.token + (k.state === "valid" ? "" : ` (${k.state})`)]);
  const content = () => html`<h2>Edit and send</h2><form class="form" @submit=${send}><label class="field"><span>Key</span><select>${options([...keys, ["", "none"]], keyOf(e)?.id ?? "")}</select></label><label class="field"><span>Method</span><select>${options([...new Set(["GET", "POST", "PUT", "PATCH", "DELETE", e.method])], e.method)}</select></label>
    <label class="field whole"><span>Path and query</span><input autofocus .value=${e.path + (e.query && "?" + e.query)}></label><label class="field whole"><span>Headers besides the key's</span><textarea rows="2" .value=${headerLines(e)}></textarea></label>
    <label class="field whole"><span>Body, if the method has one</span><textarea rows="8" cols="60" .value=${pretty(e.body ?? "")}></textarea></label><button>Send</button></form>`;
  return repeat([e], () => e.number, content); // Another request has fields of its own.
}

// headerLines returns the headers that the page can send again. It omits those that the browser sets, the key, and values with characters
// beyond Latin-1, such as the … of a redacted key.
const headerLines = (e) =>
  Object.entries(e.headers ?? (e.body && { "Content-Type": ["application/json"] }) ?? {}).filter(([n, values]) => !/[^ -ÿ]/.test(values) && !/^(Authorization|Host|User-Agent|Accept-Encoding|Connection|Content-Length|Sec-.*|Origin|Referer|Cookie|X-Sandbox-Page)$/.test(n))
    .map(([n, values]) => `${n}: ${values.join(", ")}`).join("\n");

// sendAgain sends a request from the browser, with the headers of its lines, and opens the new request in comparison with the old one. Its
// row says that the page sent it. Undo takes back what a write did to the live data.
const sendAgain = (e, lines) =>
  act(async () => {
    const token = keyOf(e)?.token;
    if (e.key && !token) throw new Error("The sandbox does not know the key of this request");
    const headers = new Headers({ ...(token && { Authorization: "Bearer " + token }), "X-Sandbox-Page": "again" });
    for (const line of (lines ?? headerLines(e)).split("\n").filter((l) => l.trim())) {
      const [, name, value] = /^([\w-]+):([\t -ÿ]*)$/.exec(line) ?? [];
      if (!name) throw new Error(`“${line}” is no header. Write a name, a colon and a value in Latin-1`);
      headers.set(name, value.trim());
    }
    let sent, made;
    await change(async () => {
      sent = await fetch(e.path + (e.query && "?" + e.query), { method: e.method, headers, body: isWrite(e) ? e.body : undefined }).catch(() => null);
      const { entries } = await get("journal", { search: sent?.headers.get("X-Request-Id") ?? `method:${e.method} "${e.path}"`, limit: 10 });
      made = entries.findLast((x) => x.from_page);
    }, () => `Sent ${lines === undefined ? "again" : "edited"}${made ? " as #" + made.number : ""}: ${sent?.status ?? "no response"}`);
    if (made && Number(state.query.get("request")) === e.number) setQuery({ ...requestQuery(made.number), with: e.number }, true);
  });

// setsLimit reports whether an action, one of actions, set a rate limit of a request's key before the request, and was not undone before it.
const setsLimit = (a, e, actions) =>
  a.kind === "Remaining set to" && a.key_id === e.key_id && a.after < e.number && !actions.some((u) => u.after < e.number && u.undone?.some((x) => x.at === a.at && x.subject === a.subject));

// usesOf returns the search for the requests that used up the rate limit which refused a request, and the action that set the limit, if there
// is one. It returns null for a request that no rate limit refused. A script and the page set limits in the same way.
export function usesOf(e, actions) {
  if (e.status !== 429 || e.fault || e.throttled || !e.key || state.file) return null;
  const reset = e.response_headers?.["X-Ratelimit-Reset"]?.[0], // An hour after the window began.
    begin = reset ? new Date((reset - 3600) * 1000).toISOString().slice(0, 19) : "",
    set = actions.findLast((a) => setsLimit(a, e, actions) && a.subject.includes(classOf(e)) && a.at >= begin),
    from = set?.at.slice(0, 23) ?? begin;
  return { set, search: `key:${keyName(e)} ${isWrite(e) ? "-method:GET" : "method:GET"} -status:429,reset${from && " after:" + from} before:${new Date(Date.parse(e.at) + 1).toISOString().slice(0, 23)}` };
}

function notes(e, person, writes, invited, link, uses) {
  const note = (kind, content) => html`<p class=${"note " + kind}>${content}</p>`;
  return html`${writes.length > 1 ? note("odd", story(e, writes, invited, link)) : nothing}
    ${e.fault ? note("bad", "Injected fault: " + faultText(e.fault)) : nothing}
    ${uses ? note("", html`${uses.set ? `${actionText(uses.set)} at ${clockTime(uses.set.at)}. ` : ""}${uses.programs?.length ? `Used up by ${uses.programs.map((u) => `${productOf(u.name)} (${u.count.toLocaleString("en")})`).join(", ")}. ` : ""}<a href=${linkTo("", { q: uses.search, view: "groups" })}>Which requests?</a>`) : nothing}
    ${person && (!isWrite(e) || !e.done) ? note("", html`Candidate: ${person}`) : nothing}`;
}

// story says why a write was sent again, and what came of all of them.
function story(e, writes, invited, link) {
  const at = writes.findIndex((w) => w.number === e.number),
    before = writes[at - 1],
    next = writes[at + 1],
    done = writes.filter((w) => w.done);
  const after = (a, b) => (b.at > a.at ? span((Date.parse(b.at) - Date.parse(a.at)) / 1000) + " " : "");
  const all = writes.length === 2 ? "Both were" : `All ${writes.length} were`;
  const [view, many] = e.route.endsWith("/resend") ? ["mails", `${done.length} e-mails`] : ["pipeline", invited > 1 && `${invited} invitations`];
  const count = many ? html`: <a href=${linkTo(view, { text: e.subject })}>${many}</a> to <bdi>${e.subject}</bdi>` : nothing;
  return html`${before ? html`Sent again ${after(before, e)}after ${link(before.number)}, ${outcome(before)}. ` : nothing}
    ${next ? html`Sent again ${after(e, next)}later as ${link(next.number)}. ` : nothing}
    ${
      e.key.startsWith("sk_test_")
        ? "Test mode stores nothing."
        : done.length === writes.length
          ? html`${all} done${count}.`
          : done.length
            ? html`Only ${done.map((w, i) => [i ? " and " : "", link(w.number)])} ${done.length > 1 ? "were" : "was"} done.`
            : "None was done."
    }`;
}

// bodyOf returns the element of a body. It is made once for the words of a search.
const bodyOf = (e, name, text, words) => ((e.bodies ??= {})[name + words] ??= highlight(text, name === "Request" ? refusedOf(e) : [], words));

function message(e, words, name, text, headers, size, query) {
  const whole = pretty(text ?? "", size),
    omitted = size ? size - (text ?? "").length : Math.max(0, whole.length - maxShown);
  const pairs = (all) => html`<dl class="headers">${all.map(([n, value]) => html`<dt>${n}</dt><dd>${value}</dd>`)}</dl>`;
  const lines = Object.entries(headers ?? {})
    .sort()
    .map(([n, values]) => [n, values.join(", ") + (n === "X-Ratelimit-Reset" ? ` (${timeOf(values[0])})` : "")]);
  return html`<section aria-label=${name} class=${name === "Request" || name === "Response" ? "" : "withheld"}>
    <h3>${name}${text ? copyButton(text, "Copy the body of the " + name.toLowerCase()) : nothing}</h3>
    ${query ? pairs([...new URLSearchParams(query)]) : nothing}
    ${headers ? html`<details><summary>${plural(lines.length, "header")}</summary>${pairs(lines)}</details>` : nothing}
    ${
      text
        ? html`<pre class="body">${bodyOf(e, name, whole.slice(0, maxShown), words)}</pre>`
        : name === "Request" && !isWrite(e) ? nothing : html`<p class="quiet">${headers ? "No body." : !e.status ? "None." : "No longer kept: reads that succeed keep theirs among the newest 1,000 requests."}</p>`
    }
    ${text && name === "Response" && cutText(e.fault) ? html`<p class="bad">— cut here, ${cutText(e.fault).slice(4)} —</p>` : nothing}
    ${text && omitted > 0 ? html`<p class="quiet">${omitted} more bytes</p>` : nothing}
  </section>`;
}
