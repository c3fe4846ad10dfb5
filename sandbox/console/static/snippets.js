// A request as commands and programs to copy. A key that the sandbox accepts is part of them:
// it is no secret. Any other key comes from the environment.
import { fromJSON } from "./format.js";

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// literal returns a string of Go and of Python without bytes that either may not have.
const literal = (text) =>
  JSON.stringify(text.toWellFormed()).replace(/[\u007f-\u{10ffff}]/gu, (c) => {
    const code = c.codePointAt(0);
    return code > 0xffff ? "\\U" + code.toString(16).padStart(8, "0") : "\\u" + code.toString(16).padStart(4, "0");
  });

const target = (e) => e.path + (e.query && "?" + e.query);
const typeOf = (e) => e.headers?.["Content-Type"]?.[0] ?? "";

// longestCopied is the longest body that fits into a command line.
const longestCopied = 64 << 10;

// snippets returns the names and texts of a request's copies.
export function snippets(e, base, token) {
  if (e.body?.length > longestCopied) return [];
  const go = goProgram(e, base, token);
  return [["curl", curl(e, base, token)], ...(go ? [["Go", go]] : []), ["Python", python(e, base, token)]];
}

export function curl(e, base, token) {
  const lines = [
    `curl -g --path-as-is -sS ${e.method === "HEAD" ? "-I" : "-i -X " + quote(e.method)} ${quote(base + target(e))}`,
  ];
  if (e.key)
    lines.push(token ? "-H " + quote("Authorization: Bearer " + token) : '-H "Authorization: Bearer $HIRING_API_KEY"');
  if (typeOf(e)) lines.push("-H " + quote("Content-Type: " + typeOf(e)));
  if (e.body) lines.push("--data-raw " + quote(e.body));
  return lines.join(" \\\n  ");
}

// python returns a program that needs no package.
function python(e, base, token) {
  const bearer = token ? literal("Bearer " + token) : '"Bearer " + os.environ["HIRING_API_KEY"]';
  const headers = [
    ...(e.key ? [`"Authorization": ${bearer}`] : []),
    ...(typeOf(e) ? [`"Content-Type": ${literal(typeOf(e))}`] : []),
  ];
  return [
    ...(e.key && !token ? ["import os"] : []),
    "import urllib.error",
    "import urllib.request",
    "",
    `request = urllib.request.Request(${literal(base + target(e))}, method=${literal(e.method)})`,
    ...headers.map((h) => `request.add_header(${h.replace('": ', '", ')})`),
    ...(e.body ? [`request.data = ${literal(e.body)}.encode()`] : []),
    "try:",
    "    response = urllib.request.urlopen(request)",
    "except urllib.error.HTTPError as error:",
    "    response = error",
    "print(response.status, response.read().decode())",
    "",
  ].join("\n");
}

// calls are the client's methods whose inputs are an id, by route, with the texts around it.
const calls = {
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

const invitationFields = { candidate_email: "Email", candidate_name: "Name" };

// typedCall returns a call of the client's own method, if the request has no other inputs than
// that method.
function typedCall(e) {
  const route = `${e.method} ${e.route}`, id = literal(idIn(e)), input = fromJSON(e.body);
  if (e.query) return "";
  if (calls[route]) return `result, err := client.${calls[route].join(id)}`;
  if (route !== "POST /assessments/{id}/invitations" || !input || typeof input !== "object") return "";
  const members = Object.entries(input);
  if (members.some(([name, value]) => !invitationFields[name] || typeof value !== "string")) return "";
  const fields = members.map(([name, value]) => `${invitationFields[name]}: ${literal(value)}`).join(", ");
  return `result, err := client.Invitations.Send(ctx, ${id}, hiring.NewInvitation{${fields}})`;
}

// goProgram returns a Go program that calls the client.
function goProgram(e, base, token) {
  if (!e.route || !e.path.startsWith("/api/v1/")) return "";
  const imports = ["context", "fmt", "log", ...(token ? [] : ["os"])];
  let call = typedCall(e);
  if (!call) {
    let query = "nil", body = "nil";
    if (e.query) {
      imports.push("net/url");
      const names = Map.groupBy(new URLSearchParams(e.query), ([name]) => name);
      const values = ([name, pairs]) => `${literal(name)}: {${pairs.map(([, value]) => literal(value)).join(", ")}}`;
      query = `url.Values{${[...names].map(values).join(", ")}}`;
    }
    if (e.body) {
      imports.push("encoding/json");
      body = `json.RawMessage(${literal(e.body)})`;
    }
    const path = literal(e.path.slice("/api/v1".length)), method = literal(e.method === "HEAD" ? "GET" : e.method);
    call = `var result any\n\t_, err = client.Do(ctx, ${method}, ${path}, ${query}, ${body}, &result)`;
  }
  const key = token ? literal(token) : 'os.Getenv("HIRING_API_KEY")',
    check = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}";
  return [
    "package main",
    "",
    "import (",
    ...imports.sort().map((name) => `\t"${name}"`),
    "",
    '\thiring "github.com/hiring-assessment/hiring-go"',
    ")",
    "",
    "func main() {",
    "\tctx := context.Background()",
    `\tclient, err := hiring.New(${literal(base)}, ${key})`,
    check,
    "\t" + call,
    check,
    '\tfmt.Printf("%+v\\n", result)',
    "}",
    "",
  ].join("\n");
}

// idIn returns the id in the path of a request.
function idIn(e) {
  const at = e.route.split("/").indexOf("{id}"), part = e.path.slice("/api/v1".length).split("/")[at] ?? "";
  try {
    return decodeURIComponent(part);
  } catch { return part;
  }
}
