#!/usr/bin/env bash
# The whole flow with nothing but curl (and sed, to pick ids out of responses).
# Before it: hiring-sandbox, and HIRING_BASE_URL as it printed it.
set -euo pipefail
api=$HIRING_BASE_URL/api/v1 control=$HIRING_BASE_URL/_sandbox
key='Authorization: Bearer sk_live_sandbox' json='Content-Type: application/json'
id() { sed -E 's/.*"data":\[?\{"id":"([^"]+)".*/\1/'; }

# An assessment of the first challenge in the library, and an invitation to it.
challenge=$(curl -fsS -H "$key" "$api/challenges?page_size=1" | id)
assessment=$(curl -fsS -H "$key" -H "$json" "$api/assessments" \
  -d "{\"challenge_id\":\"$challenge\",\"name\":\"Backend engineer\"}" | id)
invitation=$(curl -fsS -H "$key" -H "$json" "$api/assessments/$assessment/invitations" \
  -d '{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}' | id)

# The candidate's part, an hour's work and the grading.
curl -fsS -X POST "$control/invitations/$invitation/open"
curl -fsS -X POST "$control/invitations/$invitation/begin"
submission=$(curl -fsS -H "$key" "$api/submissions?assessment_id=$assessment" | id)
curl -fsS -H "$json" "$control/clock" -d '{"seconds":3600}'
curl -fsS -X POST "$control/submissions/$submission/submit"
curl -fsS -H "$json" "$control/submissions/$submission/evaluate" -d '{"ship_score":82,"pillars":{"craft":90}}'

# Something goes wrong once: 503 with Retry-After, which a client has to wait for. Only here curl runs without -f, which
# makes it fail on every status from 400 on.
curl -fsS -H "$json" "$control/faults" -d '{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}'
curl -sS -o /dev/null -w '%{http_code}\n' -H "$key" "$api/submissions/$submission/report"

# The requests so far, and the report.
curl -fsS "$control/journal" -o /dev/null -w '%{http_code}\n'
curl -fsS -H "$key" "$api/submissions/$submission/report"
