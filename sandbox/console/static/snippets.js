// A request as commands and programs to copy, without its key.
import { fromJSON } from "./format.js";

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";
const goQuote = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))
  .replace(/\\u(d[89ab]..)\\u(d[c-f]..)/g, (_, high, low) => String.fromCodePoint(0x10000 + ((parseInt(high, 16) & 0x3ff) << 10) + (parseInt(low, 16) & 0x3ff)))
  .replace(/\\ud[89a-f]../g, "\\ufffd");
const target = (e) => e.path + (e.query && "?" + e.query);
const header = (headers, name) => headers?.[name]?.[0] ?? "";

// longestCopied is the longest body that fits into a command line.
const longestCopied = 64 << 10;

// snippets returns the names and texts of a request's copies.
export function snippets(e, base) {
  if (e.body.length > longestCopied) return [];
  const kind = header(e.headers, "Content-Type"), go = goProgram(e, base);
  return [["curl", curl(e, base, kind)], ...(go ? [["Go", go]] : []), ["HTTP", http(e, base, kind)], ["JavaScript", javaScript(e, base, kind)]];
}

function curl(e, base, kind) {
  const lines = [`curl -g --path-as-is -sS ${e.method === "HEAD" ? "-I" : "-i -X " + quote(e.method)} ${quote(base + target(e))}`];
  if (e.key) lines.push('-H "Authorization: Bearer $HIRING_API_KEY"');
  if (kind) lines.push("-H " + quote("Content-Type: " + kind));
  if (e.body) lines.push("--data-raw " + quote(e.body));
  return lines.join(" \\\n  ");
}

function http(e, base, kind) {
  const lines = [`${e.method} ${target(e)} HTTP/1.1`, "Host: " + new URL(base).host];
  if (e.key) lines.push("Authorization: Bearer $HIRING_API_KEY");
  if (kind) lines.push("Content-Type: " + kind);
  return [...lines, "", e.body].join("\n");
}

function javaScript(e, base, kind) {
  const headers = [...(e.key ? ["    Authorization: `Bearer ${process.env.HIRING_API_KEY}`,"] : []), ...(kind ? [`    "Content-Type": ${JSON.stringify(kind)},`] : [])];
  return [`const response = await fetch(${JSON.stringify(base + target(e))}, {`, `  method: ${JSON.stringify(e.method)},`,
    ...(headers.length ? ["  headers: {", ...headers, "  },"] : []), ...(e.body ? [`  body: ${JSON.stringify(e.body)},`] : []),
    "});", "console.log(response.status, await response.text());"].join("\n");
}

// clientCalls are the client's methods whose inputs are ids only, by route.
const clientCalls = {
  "GET /account": ["Account.Get(ctx)"],
  "GET /members": ["Members.List().Collect(ctx)"],
  "GET /challenges": ["Challenges.List().Collect(ctx)"],
  "GET /challenges/{id}": ["Challenges.Get(ctx, ", ")"],
  "GET /assessments": ["Assessments.List().Collect(ctx)"],
  "GET /assessments/{id}": ["Assessments.Get(ctx, ", ")"],
  "GET /assessments/{id}/invitations": ["Invitations.List(", ").Collect(ctx)"],
  "GET /submissions": ["Submissions.List(hiring.SubmissionFilter{}).Collect(ctx)"],
  "GET /submissions/{id}": ["Submissions.Get(ctx, ", ")"],
  "GET /submissions/{id}/report": ["Submissions.Report(ctx, ", ")"],
  "GET /submissions/{id}/events": ["Events.List(", ", hiring.EventFilter{}).Collect(ctx)"],
};

// bodyCalls are the methods whose input has one Go field for each member of the body. They
// are used if the body has no other members.
const bodyCalls = {
  "POST /assessments": ["Assessments.Create(ctx, ", "NewAssessment", { challenge_id: "ChallengeID", name: "Name" }],
  "POST /assessments/{id}/invitations": ["Invitations.Send(ctx, ", "NewInvitation", { candidate_email: "Email", candidate_name: "Name" }],
};

// goProgram returns a Go program that uses the client's own method where the request has
// no other inputs than that method, and Do otherwise.
function goProgram(e, base) {
  if (!e.route || !e.path.startsWith("/api/v1/")) return "";
  const route = `${e.method} ${e.route}`, id = goQuote(idIn(e)), imports = ["context", "fmt", "log", "os"];
  let call = "";
  if (clientCalls[route] && !e.query) {
    call = `result, err := client.${clientCalls[route].join(id)}`;
  } else if (bodyCalls[route] && !e.query) {
    const [method, type, names] = bodyCalls[route], input = fromJSON(e.body);
    if (input && typeof input === "object" && !Array.isArray(input) && Object.entries(input).every(([name, value]) => names[name] && typeof value === "string")) {
      const members = Object.entries(input).map(([name, value]) => `${names[name]}: ${goQuote(value)}`).join(", ");
      call = `result, err := client.${method}${e.route.includes("{id}") ? id + ", " : ""}hiring.${type}{${members}})`;
    }
  }
  if (!call) {
    let query = "nil", body = "nil";
    if (e.query) {
      imports.push("net/url");
      const names = new Map();
      for (const [name, value] of new URLSearchParams(e.query)) names.set(name, [...(names.get(name) ?? []), value]);
      query = `url.Values{${[...names].map(([name, values]) => `${goQuote(name)}: {${values.map(goQuote).join(", ")}}`).join(", ")}}`;
    }
    if (e.body) {
      imports.push("encoding/json");
      body = `json.RawMessage(${goQuote(e.body)})`;
    }
    const rest = `client.Do(ctx, ${goQuote(e.method === "HEAD" ? "GET" : e.method)}, ${goQuote(e.path.slice("/api/v1".length))}, ${query}, ${body}, `;
    call = e.status === 204 ? `result, err := ${rest}nil)` : `var result any\n\t_, err = ${rest}&result)`;
  }
  return ["package main", "", "import (", ...imports.sort().map((name) => `\t"${name}"`), "", '\thiring "github.com/hiring-assessment/hiring-go"', ")", "",
    "func main() {", "\tctx := context.Background()", `\tclient, err := hiring.New(${goQuote(base)}, os.Getenv("HIRING_API_KEY"))`,
    "\tif err != nil {", "\t\tlog.Fatal(err)", "\t}", "\t" + call, "\tif err != nil {", "\t\tlog.Fatal(err)", "\t}", '\tfmt.Printf("%+v\\n", result)', "}", ""].join("\n");
}

// idIn returns the id in the path of a request.
function idIn(e) {
  const at = e.route.split("/").indexOf("{id}");
  try {
    return at < 0 ? "" : decodeURIComponent(e.path.slice("/api/v1".length).split("/")[at] ?? "");
  } catch {
    return "";
  }
}
