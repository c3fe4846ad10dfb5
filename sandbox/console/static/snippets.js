// A request as commands and programs to copy. A key that the sandbox accepts is part of them:
// it is no secret. Any other key comes from the environment.
const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// literal returns a string of Python in ASCII.
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
  return [
    ["curl", curl(e, base, token)],
    ["Python", python(e, base, token)],
  ];
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
