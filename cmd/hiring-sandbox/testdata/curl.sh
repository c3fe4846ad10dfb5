# The whole flow with nothing but curl (and sed, to pick ids out of responses).
# Before it: hiring-sandbox, and HIRING_BASE_URL as it printed it.
api=$HIRING_BASE_URL/api/v1 control=$HIRING_BASE_URL/_sandbox
key='Authorization: Bearer sk_live_sandbox' json='Content-Type: application/json'
id() { sed -E 's/.*"data":\[?\{"id":"([^"]+)".*/\1/'; }

# An assessment of the first challenge in the library, and an invitation to it.
challenge=$(curl -sS -H "$key" "$api/challenges?page_size=1" | id)
assessment=$(curl -sS -H "$key" -H "$json" "$api/assessments" \
  -d "{\"challenge_id\":\"$challenge\",\"name\":\"Backend engineer\"}" | id)
invitation=$(curl -sS -H "$key" -H "$json" "$api/assessments/$assessment/invitations" \
  -d '{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}' | id)

# The candidate's part, an hour's work and the grading.
curl -sS -X POST "$control/invitations/$invitation/open"
curl -sS -X POST "$control/invitations/$invitation/begin"
curl -sS -H "$json" "$control/advance" -d '{"seconds":3600}'
curl -sS -X POST "$control/invitations/$invitation/submit"
submission=$(curl -sS -H "$key" "$api/submissions?assessment_id=$assessment" | id)
curl -sS -H "$json" "$control/submissions/$submission/evaluate" -d '{"ship_score":82,"pillars":{"craft":90}}'

# Something goes wrong once: 503 with Retry-After, which a client has to wait for.
curl -sS -H "$json" "$control/faults" -d '{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}'
curl -sS -o /dev/null -w '%{http_code}\n' -H "$key" "$api/submissions/$submission/report"

# The requests so far, and the report.
curl -sS "$control/journal" -o /dev/null -w '%{http_code}\n'
curl -sS -H "$key" "$api/submissions/$submission/report"
