# A test of a program in Python: python3 example.py
import json
import os
import urllib.error
import urllib.request

base = os.environ["HIRING_BASE_URL"]


def call(method, path, body=None, key=None):
    request = urllib.request.Request(base + path, method=method, headers={"Accept": "application/json"})
    if key:
        request.add_header("Authorization", "Bearer " + key)
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request) as response:
            text = response.read()
            return response.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def control(path, body=None):
    status, result = call("POST", "/_sandbox/" + path, body)
    if status >= 300:
        raise RuntimeError(f"{path}: {status} {result}")
    return result


control("reset")
assessment = control("assessments", {"name": "Backend engineer"})["assessment_id"]
submission = control("results", {
    "assessment_id": assessment, "email": "ada@candidates.test", "ship_score": 82, "pillars": {"craft": 90, "rigor": None},
})["submission_id"]
control("faults", {"route": "GET /submissions/{id}/report", "status": 503, "retry_after": 1})

report = "/api/v1/submissions/" + submission + "/report"
print(call("GET", report, key="sk_live_sandbox")[0])
data = call("GET", report, key="sk_live_sandbox")[1]["data"]
print(data["ship_score"], next(p["score"] for p in data["pillars"] if p["id"] == "rigor"))
print(call("GET", "/_sandbox/mails")[1]["mails"][0]["email"])
