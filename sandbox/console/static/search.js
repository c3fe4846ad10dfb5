// The language of the search, in which the server filters: its completion, and its terms as switches.
import { html, nothing } from "./lit/lit-html.js";
import { draw, setQuery, state, typed, typedText } from "./core.js";
import { agentOf, doneText, failed, keyName, productOf, statusText, why } from "./request.js";

const times = () => ["5m", "1h", ...(state.clock ? [state.clock.now.slice(0, 16)] : [])];

// values are what can follow each name.
const values = {
  __proto__: null,
  status: (rows) => ["4xx", "5xx", "2xx", "none", "lost", "reset", "cut", ...of(rows, (e) => e.status && String(e.status)).sort()],
  route: () => ["none", ...new Set(state.routes.map((r) => r.split(" ")[1]))],
  method: () => ["GET", "POST", "PATCH", "DELETE"], is: () => ["failed", "repeated", "fault"],
  key: () => [...state.keys.map((k) => k.token), "none"],
  program: (rows) => ["none", ...of(rows, (e) => productOf(agentOf(e)))],
  candidate: (rows) => of(rows, (e) => e.subject?.includes("@") && e.subject),
  field: () => ["page_size", "cursor", "status", "since", "name", "candidate_name", "candidate_email"],
  code: () => state.codes, took: () => [">100ms", ">1s", "<10ms"],
  after: times, before: times,
  fault: () => state.faults.map((f) => String(f.id)), repeats: (rows) => of(rows, (e) => e.repeats && String(e.repeats)),
};

// names are the names of the search.
const names = Object.keys(values);

// examples are terms with what they find.
export const examples = [
  ['"Ada Lovelace"', "a text of the request or the response, also not done, no reads left, no key, unknown key"], ["#33", "its number"],
  ["status:4xx,503", "one of several, also none, lost, reset, cut"], ["-route:/report", "not of this part of a route; none: no such route"], ["method:POST", ""], ["key:none", "a whole key, or none"],
  ["program:hiring-go", "a part of the User-Agent, or none"], ["candidate:ada", "an address, or a part before its @"], ["field:page_size", "a refused field"], ["code:NOT_FOUND", "of the error"],
  ["is:failed", "also repeated, fault"], ["fault:3", "what a fault hit"], ["repeats:33", "a write and its repeats"], ["took:>1s", "or less: took:<50ms"],
  ["after:17:15 before:17:20", "on every day, or 2026-12-31T10:00, or 5m: ago"],
];

// of returns the different values in the rows.
const of = (rows, value) => [...new Set(rows.map(value))].filter(Boolean);

// lists are the names that have several values, with commas.
const lists = ["status", "code", "key", "fault", "repeats"];

const isPart = (part, text) => text.toLowerCase().includes(part.toLowerCase());

const secondsOf = (text) => parseFloat(text.replace(/[<>]/, "")) * { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }[/[a-z]*$/.exec(text)[0]];

// inFile are the names that also work in a file, which the page searches. Each reports whether an entry has a value.
const inFile = {
  __proto__: null,
  status: (e, v) => [String(e.status ?? "none"), String(e.status)[0] + "xx", ...String(statusText(e)).split(" ")].includes(v),
  is: (e, v) => (v === "failed" && failed(e)) || (v === "repeated" && !!(e.repeats || e.repeated_by)) || (v === "fault" && !!e.fault),
  method: (e, v) => e.method === v.toUpperCase(),
  candidate: (e, v) => (v.includes("@") ? e.subject?.toLowerCase() === v.toLowerCase() : /@/.test(e.subject) && isPart(v, e.subject.split("@")[0])),
  route: (e, v) => (v === "none" ? !e.route : v.includes(" ") ? v === `${e.method} ${e.route || e.path}` : isPart(v, `${e.method} ${e.route || e.path}`)),
  program: (e, v) => isPart(v, agentOf(e) || "none"),
  fault: (e, v) => v === String(e.fault_id), code: (e, v) => e.error?.code?.toLowerCase() === v.toLowerCase(),
  repeats: (e, v) => [e.repeats, e.number].join().split(",").includes(v),
  field: (e, v) => [e.error?.field, ...(e.error?.others ?? [])].includes(v),
  took: (e, v) => e.took <= secondsOf(v) === v.startsWith("<"),
  key: (e, v) => e.key_id === v || isPart(v, keyName(e)),
  after: (e, v) => !isBefore(e.at, v), before: (e, v) => isBefore(e.at, v),
};

// isBefore compares a time with a time, a day, a time of each day or a duration before now.
function isBefore(at, v) {
  const limit = /^[\d.]+[a-z]+$/.test(v) ? new Date(Date.parse(state.clock?.now ?? at) - secondsOf(v) * 1000).toISOString() : v;
  return at.slice(limit.includes("-") ? 0 : 11) < limit;
}

// isOfWindow reports whether the search is a time window alone, with a time in it.
export const isOfWindow = (at) => termsOf(searched()).every(isLimit) && isInWindow(at);

// isInWindow reports whether a time is in the time window of the search, whatever else is searched for.
const isInWindow = (at) => termsOf(searched()).filter(isLimit).every((t) => isBefore(at, t.replace(/^\w+:/, "")) === t.startsWith("before"));
const isLimit = (term) => /^(after|before):./.test(term);

// unescaped returns a text without the escapes of JSON in the bodies of a file, where their backslashes are doubled.
const unescaped = (text) => text.replace(/\\\\u([0-9a-f]{4})/gi, (_, unit) => String.fromCharCode(parseInt(unit, 16)));

// searchFile returns the entries of the file that match a search, and why it is refused.
export function searchFile(search) {
  const terms = termsOf(search).map((t) => /^(-?)(?:([a-z]+):)?"?(.*?)"?$/.exec(t)),
    strange = terms.find(([, , name, value]) => (/after|before/.test(name) && !value.includes(":")) || (name === "took" && isNaN(secondsOf(value))));
  if (strange) return [[], new Error(`${strange[2]}:${strange[3]} does not work in a file`)];
  const valuesOf = (name, value) => (lists.includes(name) ? value.split(",") : [value]);
  const has = (e, name, value) => (inFile[name] ? valuesOf(name, value).some((v) => inFile[name](e, v)) : value.replace("#", "") === String(e.number) || isPart(name ? `${name}:${value}` : value, `${e.path}?${e.query} ${statusText(e)} ${e.error ? why(e) : ""} ${doneText(e)} ${unescaped(JSON.stringify({ ...e, done: undefined }))}`));
  return [state.file.entries.filter((e) => terms.every(([, minus, name, value]) => has(e, name, value) === !minus))];
}

export const searched = () => state.query.get("q") ?? "";

// toServer leaves out a name that has no value yet.
export const toServer = () => searched().replace(/(^|\s)-?[a-z]+:>?$/, "");

export const termsOf = (search) => search.match(/-?(?:[a-z]+:)?(?:"[^"]*"|\S+)/g) ?? [];

// plainWords returns what the search has without a name, as the texts that are searched for.
export const plainWords = (search) => termsOf(search).filter((t) => t[0] !== "-" && !values[/^[a-z]+(?=:)/.exec(t)]).map((t) => t.replace(/^[:…"]+|"$/g, "")).filter(Boolean);

export const hasTerm = (term) => termsOf(searched()).includes(term);

const without = (...gone) =>
  termsOf(searched())
    .filter((t) => !gone.some((g) => t === g || (g.endsWith(":") && t.startsWith(g))))
    .join(" ");

export const toggleTerm = (term) => setQuery({ q: hasTerm(term) ? without(term) : [searched(), term].join(" ").trim() }, true);

export const clearSearch = () => setQuery({ q: "" }, true);

// interval returns the search with a time window. Its times leave out zero seconds and milliseconds.
export const interval = (from, to) => `${without("after:", "before:")} after:${brief(from)} before:${brief(to)}`.trim();
const brief = (at) => at.slice(0, 23).replace(/(:00)?\.000$/, "");

// unknown says which names in the search mean nothing there, such as those with a typing error.
export function unknown() {
  const wrong = [...new Set(searched().match(/(?<=^|\s|-)[a-z]+(?=:[^/\s])/g))].filter((name) => !values[name]);
  if (!wrong.length) return "";
  const near = names.find((name) => name.startsWith(wrong[0].slice(0, 2)));
  return html` <b>${wrong.join(" and ")}</b> ${wrong.length > 1 ? "are not names" : "is not a name"} of the search${near ? html`: did you mean <b>${near}</b>?` : "."} The names are ${names.join(", ")}.`;
}

// completions returns what the last word of a search can become, nothing if that word is complete or the search ends with a space. rows have some of the values.
function completions(search, rows) {
  const [, minus, name, value] = /(-?)(?:([a-z]+):)?(\S*)$/.exec(search);
  const fits = (all, part) => all.filter((v) => v.toLowerCase().includes(part.toLowerCase())).slice(0, 12);
  if (/\S\s+$/.test(search)) return []; // They would cover the bars and rows.
  if (!name && /^[1-5]\d\d$/.test(value)) return [`${minus}status:${value}`];
  const people = value ? values.candidate(rows).filter((c) => isPart(value, c.split("@")[0])).slice(0, 3) : [];
  if (!name) return [...fits(names, value).map((n) => n + ":"), ...people.map((c) => "candidate:" + c)].map((term) => minus + term);
  const given = lists.includes(name) ? value.split(",") : [value],
    last = given.pop(), // Of a list, of which the rest stays.
    all = values[name]?.(rows) ?? [];
  return all.includes(last) ? [] : fits(all.filter((v) => !given.includes(v)), last).map((v) => `${minus}${name}:${[...given, v]}`);
}

let active = "", // The completion that the arrows chose.
  pause = 0; // The timer of the end of the typing.

// type searches for what is typed. Until a pause, no error is shown.
function type(event) {
  clearTimeout(pause);
  pause = setTimeout(endTyping, 1000);
  typed(event);
}

export function endTyping() {
  clearTimeout(pause);
  pause = 0;
  draw();
}

// searchField returns the field with its completions below it.
export function searchField(error, rows) {
  const isTyping = pause && document.activeElement?.name === "q",
    text = typedText("q"),
    wordsOf = (search) => (state.file ? [] : completions(search, rows)),
    words = wordsOf(text);
  const take = (word) => {
    active = "";
    const field = document.querySelector("input[name=q]"),
      search = field.value.replace(/\S*$/, word + (word.endsWith(":") ? "" : " "));
    field.value = search;
    setQuery({ q: search });
    field.focus();
  };
  const begin = ({ target }) => {
    active = "";
    if (target.value && !target.value.endsWith(" ")) target.value += " "; // For the next term.
    draw();
  };
  const press = (event) => {
    const { key, shiftKey, target } = event,
      fitting = wordsOf(target.value),
      at = fitting.indexOf(active),
      by = { ArrowDown: 1, ArrowUp: -1 }[key],
      chosen = key === "Enter" ? fitting[at] : key === "Tab" && !shiftKey && /\S$/.test(target.value) && fitting[Math.max(at, 0)];
    if (!chosen && !(by && fitting.length)) return;
    event.preventDefault();
    event.stopPropagation(); // Otherwise these keys go to the results.
    if (chosen) return take(chosen);
    active = fitting[Math.max(at + by, 0)] ?? active;
    draw();
  };
  const word = (w, i) => html`<button type="button" class="plain small" role="option" id=${"word-" + i} aria-selected=${String(w === active)} tabindex="-1" @click=${() => take(w)}>${w}</button>`;
  return html`<div class="search"><input type="search" name="q" autocomplete="off" spellcheck="false" .value=${text}
      placeholder=${state.file ? "Search the file: words, status:4xx, -route:/report" : "Search: words, status:4xx, -route:/report, took:>1s"}
      aria-label="Search requests" role="combobox" aria-controls="words" aria-expanded=${String(!!words.length && document.activeElement?.name === "q")} aria-activedescendant=${words.includes(active) ? "word-" + words.indexOf(active) : nothing}
      aria-describedby="search-help" aria-invalid=${error && !isTyping ? "true" : nothing} @input=${type} @focus=${begin} @blur=${draw} @keydown=${press}>${searched() || text ? html`<button type="button" class="plain small" id="clear-search" aria-label="Clear the search" @click=${clearSearch}>✕</button>` : nothing}
    <div class="suggest" id="search-help">${error && !isTyping ? html`<p class="error" role="alert">${error.message}</p>` : nothing}${unknown() && html`<p class="error">${unknown()}</p>`}
      ${words.length ? html`<div role="listbox" id="words" aria-label="Suggestions">${words.map(word)}</div>` : nothing}
      <p class="quiet">Words, #33, name:value; minus excludes, comma means or.${words.length ? " Tab takes the first suggestion." : ""}</p></div></div>`;
}

const usualTerms = { "is:failed": ["Failed", "e"], "is:repeated": ["Repeated", "w"], "status:none": ["No response"], "is:fault": ["Faults"] };

// countTerms returns how many of some entries of a file each of them finds.
export const countTerms = (entries) => Object.fromEntries(Object.keys(usualTerms).map((t) => [t, entries.filter((e) => inFile[t.split(":")[0]](e, t.split(":")[1])).length]));

// switches returns buttons for the usual terms, with the numbers of those that match.
export const switches = (counts) =>
  Object.entries(usualTerms).map(([term, [name, key]]) => html`<button type="button" class="plain" aria-pressed=${String(hasTerm(term))}
    title=${key ? "Shortcut: " + key : nothing} aria-keyshortcuts=${key ?? nothing} @click=${() => toggleTerm(term)}><span>${name} <span class="count">${counts[term]?.toLocaleString("en")}</span></span></button>`);
