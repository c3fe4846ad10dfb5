// Texts for people. Nothing here returns HTML: values become text nodes.

export const clockTime = (at) => at.slice(11, 19);
export const candidatePath = (id) => "/_sandbox/console/pipeline?candidate=" + id;

const date = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", weekday: "short", day: "numeric", month: "short", year: "numeric" });
const days = new Map(); // Formatting a date takes longer than drawing a row.

export function dayOf(at) {
  const day = at.slice(0, 10);
  if (!days.has(day)) days.set(day, date.format(new Date(day)));
  return days.get(day);
}

// shortDay returns the day and the month of a time, such as 28 Nov.
export const shortDay = (at) => dayOf(at).slice(5, -5);

export const fullTime = (at) => `${dayOf(at)} ${clockTime(at)}`;

// took formats real seconds in ms or s.
export function took(seconds) {
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 0.9995) return Math.round(seconds * 1e3) + " ms";
  return seconds.toFixed(1) + " s";
}

// exact returns the time of day, with milliseconds if the ends of a window have some.
export const exact = (at, from, to) => at.slice(11, /\.(?!000)/.test(from + to) ? 23 : 19);

const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

// span formats seconds in their two largest units.
export function span(seconds) {
  const parts = [];
  let rest = Math.round(seconds);
  if (seconds > 0 && seconds < 10 && seconds % 1) return took(seconds);
  for (const [name, size] of units) {
    if (rest >= size && parts.length < 2) parts.push(`${Math.floor(rest / size)} ${name}`);
    rest %= size;
  }
  return parts.join(" ") || "0 s";
}

// target returns how far or to what time the clock is to move: 90, 1h30m, +2d, 2026-12-01 or 2026-12-01 10:00, in UTC, or 17:15 for
// the next such time after now.
export function target(text, now) {
  const [, day, time = "00"] = /^(?:(\d{4}-\d\d-\d\d)(?:[T ]|$))?(\d?\d[\d:]*)?Z?$/.exec(text.trim()) ?? [],
    at = (date) => `${date}T${time.replace(/^\d:/, "0$&").padEnd(8, ":00")}Z`;
  if (day) return { to: at(day) };
  if (!now || !time.includes(":")) return { seconds: text.trim().replace("+", "") };
  const today = at(now.slice(0, 10)),
    tomorrow = at(new Date(Date.parse(now) + 86400e3).toISOString().slice(0, 10));
  return { to: today > now ? today : tomorrow };
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})/gi;

// shortIDs shortens ids to their ends, in which the sandbox's ids differ.
export const shortIDs = (text) => text.replace(uuid, "…$1");

// middle cuts a text in its middle, so that texts with equal beginnings stay different.
export function middle(text, limit) {
  const letters = [...text];
  if (letters.length <= limit) return text;
  const half = Math.floor((limit - 1) / 2);
  return letters.slice(0, limit - 1 - half).join("") + "…" + letters.slice(-half).join("");
}

export const plural = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

// cutText says where a fault cuts the response, if it does.
export const cutText = (f) => f?.cut_after && `cut after ${Math.max(f.cut_after, 0)} bytes`;

// effects returns what a fault does, in words.
export function effects(f) {
  const body = middle((f.body ?? "").replace(/<[^>]*>/g, " ").trim(), 40);
  const all = [
    f.status && String(f.status),
    f.code,
    f.retry_after && !f.status && !f.code && "429",
    (f.body || f.content_type) && "response from an intermediary" + (body && ` “${body}”`),
    f.reset && "connection reset",
    cutText(f),
    f.retry_after && `Retry-After ${span(f.retry_after)}`,
    f.delay && `delayed by ${span(f.delay)}`,
  ].filter(Boolean);
  return f.after ? [...all, all.length ? "after the work is done" : "response lost"] : all;
}

// faultText describes a fault, as in "502 for GET /account".
export const faultText = (f) => `${effects(f).join(", ")} ${aimText(f)}`;

// aimText describes the requests that a fault hits, as in "for GET /account".
export const aimText = (f) =>
  `for ${!f.route || f.route === "*" ? "every request" : f.route}${f.key ? " of " + (tokens[f.key] ?? f.key) : ""}${f.candidate ? " about " + f.candidate : ""}${f.skip ? `, after ${f.skip} that pass` : ""}`;

// inSpans returns a kind of action with the seconds at its end in larger units.
const inSpans = (kind) => kind.replace(/\d+ s$/, (seconds) => span(parseInt(seconds)));

// stepText names a step of a candidate, and the result of an evaluation.
export function stepText({ kind, grade: g }) {
  if (kind !== "evaluated") return inSpans(kind);
  return g ? `evaluated: ${[g.ship_score ?? "no score", g.verdict?.replace("_", " ")].filter(Boolean).join(", ")}` : "evaluated, report late";
}

// tokens are those of the keys that the server has or had, by their ids.
export const tokens = {};

// subjectOf returns the subject of an action, with the whole key at its end.
export const subjectOf = (a) => (tokens[a.key_id] ? a.subject.replace(/\S+$/, tokens[a.key_id]) : (a.subject ?? ""));

// actionText says what the tester did. A step names the candidate.
export const actionText = (a) =>
  a.undone ? `${a.kind}: ${a.undone.map(actionText).join(", ")}` : a.id ? `${a.subject} ${stepText(a)}` : `${a.kind} ${a.kind === "Clock moved" ? `by ${span(a.subject)} to ${fullTime(a.at)}` : subjectOf(a)}${a.fault ? ": " + faultText(a.fault) : a.events ? ": " + plural(a.events, "event") : ""}`;

// fromJSON returns the value of a JSON text, or undefined for any other text.
export function fromJSON(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// pretty indents JSON, also a part that does not parse because its end is missing, and returns any other text unchanged.
export function pretty(text, isPart) {
  const value = fromJSON(text);
  return value !== undefined ? JSON.stringify(value, null, 2) : isPart && /^\s*[[{]/.test(text) ? indented(text) : text;
}

// indented indents a text by its brackets. Strings stay as they are.
function indented(text) {
  let depth = 0;
  const line = (by) => "\n" + "  ".repeat((depth = Math.max(0, depth + by)));
  return text.trimStart().replace(/"(?:[^"\\]|\\.)*"?|\s*([[{]\s*[\]}]|[[{\]},:])\s*/g, (found, mark) => {
    if (!mark || mark.length > 1) return mark ?? found;
    if (mark === ":") return ": ";
    return /[\]}]/.test(mark) ? line(-1) + mark : mark + line(mark === "," ? 0 : 1);
  });
}

const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

// marked returns the parts of a text, of which those that are words, in any case, are marked.
function marked(text, words) {
  if (!words.length) return [text];
  const any = new RegExp(`(${words.map((w) => w.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|")})`, "i");
  return text.split(any).map((part, i) => (i % 2 ? Object.assign(document.createElement("mark"), { textContent: part }) : part));
}

// highlight returns an element with a text. In JSON, names, strings, numbers and literals each
// have a class, and so have the fields that were refused, with their values. The words of a search are marked.
export function highlight(text, fields, words) {
  const whole = document.createElement("span");
  let end = 0,
    isRefused = false;
  for (const match of /^[[{]/.test(text) ? text.matchAll(token) : []) {
    const [found, colon] = match,
      part = document.createElement("span");
    part.className = "json-" + (colon ? "key" : found[0] === '"' ? "text" : /[-\d]/.test(found[0]) ? "number" : "word");
    if (colon) isRefused = fields.some((f) => found.startsWith(`"${f}"`));
    part.classList.toggle("refused", isRefused);
    part.append(...marked(colon ? found.slice(0, -colon.length) : found, words));
    whole.append(text.slice(end, match.index), part, colon ?? "");
    end = match.index + found.length;
  }
  whole.append(...marked(text.slice(end), words));
  return whole;
}
