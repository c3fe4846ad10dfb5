// A request as a command to copy. A key that the sandbox accepts is part of it: it is no secret. Any other key
// comes from the environment.
const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

// longestCopied is the longest body that fits into a command line.
const longestCopied = 64 << 10;


export function curl(e, base, token) {
  if (e.body?.length > longestCopied) throw new Error("The body is too long for a command");
  const lines = [
    `curl -g --path-as-is -sS ${e.method === "HEAD" ? "-I" : "-i -X " + quote(e.method)} ${quote(base + e.path + (e.query && "?" + e.query))}`,
  ];
  if (e.key)
    lines.push(token ? "-H " + quote("Authorization: Bearer " + token) : '-H "Authorization: Bearer $HIRING_API_KEY"');
  for (const type of e.headers?.["Content-Type"] ?? []) lines.push("-H " + quote("Content-Type: " + type));
  if (e.body) lines.push("--data-raw " + quote(e.body));
  return lines.join(" \\\n  ");
}
