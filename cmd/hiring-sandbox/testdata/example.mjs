// A test of a program in Node: node example.mjs
const base = process.env.HIRING_BASE_URL;

async function call(method, path, body, key) {
  const headers = { Accept: "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, ...(text && JSON.parse(text)) };
}
async function control(path, body) {
  const result = await call("POST", "/_sandbox/" + path, body);
  if (result.status >= 300) throw new Error(`${path}: ${JSON.stringify(result)}`);
  return result;
}

await control("reset");
const { assessment_id } = await control("assessments", { name: "Backend engineer" });
const { submission_id } = await control("results", {
  assessment_id, email: "ada@candidates.test", ship_score: 82, pillars: { craft: 90, rigor: null },
});
await control("faults", { route: "GET /submissions/{id}/report", status: 503, retry_after: 1 });

const report = () => call("GET", `/api/v1/submissions/${submission_id}/report`, undefined, "sk_live_sandbox");
console.log((await report()).status);
const { data } = await report();
console.log(data.ship_score, data.pillars.find((p) => p.id === "rigor").score);
const { mails } = await call("GET", "/_sandbox/mails");
console.log(mails[0].email);
