// Texts for people. Nothing here returns HTML: values become text nodes.

export const clockTime = (at) => at.slice(11, 19);
export const candidatePath = (id) => "/_sandbox/console/pipeline?candidate=" + id;

const date = new Intl.DateTimeFormat("en-GB", {
  timeZone: "UTC",
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});
const days = new Map(); // Formatting a date takes longer than drawing a row.

export function dayOf(at) {
  const day = at.slice(0, 10);
  if (!days.has(day)) days.set(day, date.format(new Date(day)));
  return days.get(day);
}

// shortDay returns the day and the month of a time, such as 28 Nov.
export const shortDay = (at) => dayOf(at).slice(5, -5);

export const fullTime = (at) => `${dayOf(at)} ${clockTime(at)} UTC`;

// took formats real seconds in ms or s.
export function took(seconds) {
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 1) return Math.round(seconds * 1e3) + " ms";
  return seconds.toFixed(1) + " s";
}

const units = [
  ["d", 86400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

// span formats seconds in their two largest units.
export function span(seconds) {
  const parts = [];
  let rest = Math.round(seconds);
  if (rest === 0 && seconds > 0) return took(seconds);
  for (const [name, size] of units) {
    if (rest >= size && parts.length < 2) parts.push(`${Math.floor(rest / size)} ${name}`);
    rest %= size;
  }
  return parts.join(" ") || "0 s";
}

// target parses how far or to what time the clock is to move: 90, 1h30m, 2d, 2026-12-01
// or 2026-12-01 10:00.
export function target(text) {
  const time = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?Z?$/.exec(text.trim());
  if (time) return { to: `${time[1]}T${time[2] ?? "00:00"}${time[3] ?? ":00"}.000Z` };
  const sizes = { "": 1, s: 1, m: 60, min: 60, h: 3600, d: 86400, w: 604800 };
  let seconds = 0;
  const add = (_, n, unit) => {
    seconds += n * sizes[unit];
    return "";
  };
  const rest = text.trim().replace(/(\d+(?:\.\d+)?)\s*(min|[smhdw]|)\s*/g, add);
  return rest === "" && seconds > 0 ? { seconds } : null;
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

export const plural = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;

// faultKind names what a fault does in a word or two.
export function faultKind(f) {
  const status = f.status || f.code || (f.retry_after ? 429 : 0);
  if (f.body || f.content_type) return `${f.status || 200} of a proxy`;
  if (f.reset) return "reset";
  if (f.cut_after) return "cut";
  if (status) return status + (f.after ? " after the work" : "");
  return f.delay ? `${span(f.delay)} late` : "response lost";
}

// faultText describes a fault in words, such as "502 for GET /account".
export function faultText(f) {
  const parts = [];
  const add = (set, text) => {
    if (set) parts.push(text);
  };
  add(f.status, String(f.status));
  add(f.code, f.code);
  add(!f.status && !f.code && f.retry_after, "429");
  add(f.body || f.content_type, "response from an intermediary");
  add(f.reset, "connection reset");
  add(f.cut_after, `cut after ${Math.max(f.cut_after, 0)} bytes`);
  add(f.retry_after, `Retry-After ${span(f.retry_after)}`);
  add(f.delay, `delayed by ${span(f.delay)}`);
  add(f.after, parts.length ? "after the work is done" : "response lost");
  const route = !f.route || f.route === "*" ? "every request" : f.route;
  return `${parts.join(", ")} for ${route}${f.key ? " of " + f.key : ""}${f.candidate ? " about " + f.candidate : ""}${f.skip ? `, after ${f.skip} that pass` : ""}`;
}

// fromJSON returns the value of a JSON text, or undefined for any other text.
export function fromJSON(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// pretty indents JSON, and returns any other text unchanged.
export function pretty(text) {
  const value = fromJSON(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

// highlight returns an element with a text. In JSON, names, strings, numbers and literals each
// have a class, and the ids of candidates, whose names are given by id, are links.
export function highlight(text, candidates = {}) {
  const whole = document.createElement("span");
  let end = 0;
  for (const match of /^[[{]/.test(text) ? text.matchAll(token) : []) {
    const [found, colon] = match,
      part = document.createElement("span");
    part.className = "json-" + (colon ? "key" : found[0] === '"' ? "text" : /[-\d]/.test(found[0]) ? "number" : "word");
    part.textContent = colon ? found.slice(0, -colon.length) : found;
    const id = found.slice(1, -1);
    if (candidates[id] !== undefined) {
      const link = Object.assign(document.createElement("a"), { href: candidatePath(id), title: candidates[id] });
      link.textContent = found;
      part.replaceChildren(link);
    }
    whole.append(text.slice(end, match.index), part, colon ?? "");
    end = match.index + found.length;
  }
  whole.append(text.slice(end));
  return whole;
}
