package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// InviteOptions are the options of [Invite].
type InviteOptions struct {
	// KeepCancelled leaves cancelled invitations as they are, for an import that is run
	// again and again: the API would reject most of them again.
	KeepCancelled bool
}

// Invite queues invitations in the caller's transaction, and returns the number of
// added rows. The workers of [SendInvitations] send the invitations after the commit.
// Invite itself sends no request. The client may be one without workers. Invite cannot check
// the name of the organization: invitations of one that no process lists are [InvitationsStuck].
//
// A run that waits to be retried only because an assessment does not exist starts again after the commit.
//
// hiring_jobs has one row for each [hiring.AddressKey] in an assessment. If the row exists,
// Invite leaves it unchanged. Exception: a cancelled invitation is queued again with
// the given name and extra members.
//
// Input that [hiring.NewInvitation.Validate] refuses is a [hiring.ParamError] with the
// number of the candidate. So is an organization or an assessment id that is not UTF-8
// without NUL. Invite then inserts nothing, and the transaction stays usable.
func Invite[TTx any](
	ctx context.Context, client *river.Client[TTx], tx TTx, organization, assessmentID string,
	candidates []hiring.NewInvitation, options InviteOptions,
) (added int, err error) {
	if err := errors.Join(checkText("organization", organization), checkID(assessmentID)); err != nil {
		return 0, err
	}
	for i, c := range candidates {
		if err := c.Validate(); err != nil {
			return 0, fmt.Errorf("jobs: Invite: candidate %d: %w", i+1, err)
		}
	}
	t := callerTable(client, tx)
	for _, c := range candidates {
		queued, err := t.queueInvitation(ctx, organization, assessmentID, c, options)
		if err != nil {
			return 0, err
		}
		if queued {
			added++
		}
	}
	run, err := client.InsertTx(ctx, tx, inviteArgs{Organization: organization}, nil)
	if err == nil && added > 0 && lacksAssessment(run.Job) {
		_, err = client.JobRetryTx(ctx, tx, run.Job.ID)
	}
	return added, err
}

// lacksAssessment reports whether River retries a run because an assessment does not exist. Invitations to other assessments do not wait for that retry.
func lacksAssessment(run *rivertype.JobRow) bool {
	n := len(run.Errors)
	return run.State == rivertype.JobStateRetryable && n > 0 && strings.Contains(run.Errors[n-1].Error, lacksAssessmentText)
}

// checkID returns a ParamError for the id of an assessment that a request would refuse.
func checkID(assessmentID string) error {
	if assessmentID == "." || assessmentID == ".." {
		return &hiring.ParamError{Param: "assessmentID", Problem: "must be an id"}
	}
	return checkText("assessmentID", assessmentID)
}

// invitation is the detail of an invitation's row.
type invitation struct {
	Email        string         `json:"email"`
	Name         string         `json:"name"`
	Extra        map[string]any `json:"extra,omitempty"`
	InvitationID string         `json:"invitation_id,omitempty"`
	Problem      string         `json:"problem,omitempty"`
}

// queueInvitation inserts a row, or queues a cancelled one again. It reports whether
// it changed anything.
func (t table) queueInvitation(ctx context.Context, organization, assessmentID string, c hiring.NewInvitation, options InviteOptions) (bool, error) {
	address := hiring.AddressKey(c.Email)
	detail, err := json.Marshal(invitation{Email: c.Email, Name: c.Name, Extra: c.Extra})
	if err != nil {
		return false, fmt.Errorf("jobs: Invite: %w", err)
	}
	var version int64
	return t.scanRow(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail)
		VALUES ($1, $2, $3, 'queued', $4)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET status = 'queued', detail = excluded.detail, version = hiring_jobs.version + 1, updated_at = CURRENT_TIMESTAMP
		WHERE hiring_jobs.status = 'cancelled' AND NOT $5
		RETURNING version`,
		[]any{organization, assessmentID, address, string(detail), options.KeepCancelled}, &version)
}

// queuedInvitation is a row with the status queued or sending.
type queuedInvitation struct {
	invitation

	assessmentID, address string
	version               int64
	since                 string // Its updated_at.
}

// pendingSQL is the condition for rows of invitations without a result.
const pendingSQL = "status IN ('queued', 'sending')"

// settledBefore returns the time, in seconds since 1970, before which a request must have been
// recorded so that a listing that begins now shows its invitation.
func (t table) settledBefore(ctx context.Context) (at float64, err error) {
	err = t.queryRow(ctx, "SELECT "+t.epochSQL(t.now())+" - "+seconds(attemptTimeout+settleTime)).Scan(&at)
	return at, err
}

// untilNext returns how long no invitation of an organization may be sent. It reports
// whether there is one without a result.
func (t table) untilNext(ctx context.Context, organization string) (wait time.Duration, found bool, err error) {
	var left float64
	found, err = t.scanRow(ctx, "SELECT CASE WHEN status = 'queued' THEN 0 ELSE "+t.epochSQL("updated_at")+" - "+t.epochSQL(t.now())+" + "+seconds(attemptTimeout+settleTime)+
		" END AS remaining FROM hiring_jobs WHERE organization = $1 AND "+pendingSQL+" ORDER BY remaining LIMIT 1", []any{organization}, &left)
	return time.Duration(max(left, 0) * float64(time.Second)), found, err
}

// next returns the first invitation after an address of an assessment, or after the whole assessment if
// the address is nil, that may be sent.
func (r *invitationRun) next(ctx context.Context, assessmentID string, address *string) (q queuedInvitation, found bool, err error) {
	var detail string
	found, err = r.scanRow(ctx, `SELECT assessment_id, address, detail, version, CAST(updated_at AS text) FROM hiring_jobs
		WHERE organization = $1 AND `+pendingSQL+` AND (status = 'queued' OR `+r.epochSQL("updated_at")+` < $2)
			AND (assessment_id > $3 OR assessment_id = $3 AND address > $4)
		ORDER BY assessment_id, address LIMIT 1`,
		[]any{r.organization, r.settled, assessmentID, address}, &q.assessmentID, &q.address, &detail, &q.version, &q.since)
	if found {
		err = json.Unmarshal([]byte(detail), &q.invitation)
	}
	return q, found, err
}

// update stores the current invitation with a status. It returns errOvertaken when another
// run has changed the row. One that is queued again keeps its time, which alerts compare.
func (r *invitationRun) update(ctx context.Context, status Status) error {
	detail, err := json.Marshal(r.current.invitation)
	if err != nil {
		return err
	}
	at, args := r.now(), []any{r.organization, r.current.assessmentID, r.current.address, string(status), string(detail), r.current.version}
	if status == StatusQueued {
		at, args = "$7", append(args, r.current.since)
	}
	updated, err := r.scanRow(ctx, `UPDATE hiring_jobs
		SET status = $4, detail = $5, version = version + 1, updated_at = `+at+`
		WHERE organization = $1 AND assessment_id = $2 AND address = $3 AND version = $6 RETURNING version`, args, &r.current.version)
	if err == nil && !updated {
		err = errOvertaken
	}
	return err
}
