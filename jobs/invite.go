package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Invite has candidates invited once the caller's transaction is committed, and
// not at all when it is rolled back. Each is a row of hiring_jobs, one for an
// address in an assessment: who is there already, by whichever call, is left as
// it is, but for those that were cancelled, who are tried anew as they are given
// now. It returns how many were added.
//
// Nothing is sent to the service by it; the workers of [SendInvitations] do that.
func Invite[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization, assessmentID string, candidates ...hiring.NewInvitation) (added int, err error) {
	if organization == "" || assessmentID == "" {
		return 0, &hiring.ParamError{Param: "organization, assessmentID", Problem: "must not be empty"}
	}
	t := tableOf(client, client.Driver().UnwrapExecutor(tx))
	for _, c := range candidates {
		isNew, err := t.queue(ctx, organization, assessmentID, c)
		if err != nil {
			return 0, err
		}
		if isNew {
			added++
		}
	}
	if added == 0 {
		return 0, nil
	}
	inserted, err := client.InsertTx(ctx, tx, InviteArgs{Organization: organization}, nil)
	if err != nil {
		return added, err
	}
	return added, t.due(ctx, inserted.Job.ID)
}

// invitation is the detail of an invitation's row.
type invitation struct {
	Email        string         `json:"email"`
	Name         string         `json:"name"`
	Extra        map[string]any `json:"extra,omitempty"`
	InvitationID string         `json:"invitation_id,omitempty"`
	Problem      string         `json:"problem,omitempty"`
}

// queue adds a row, and tells whether there was none that counts.
func (t table) queue(ctx context.Context, organization, assessmentID string, c hiring.NewInvitation) (isNew bool, err error) {
	address := strings.ToLower(strings.TrimSpace(c.Email))
	if address == "" {
		return false, &hiring.ParamError{Param: "Email", Problem: "must not be empty"}
	}
	detail, err := json.Marshal(invitation{Email: c.Email, Name: c.Name, Extra: c.Extra})
	if err != nil {
		return false, fmt.Errorf("jobs: Invite: %w", err)
	}
	var version int64
	return t.row(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail)
		VALUES ($1, $2, $3, 'queued', $4)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET status = 'queued', detail = excluded.detail, version = hiring_jobs.version + 1, updated_at = CURRENT_TIMESTAMP
		WHERE hiring_jobs.status = 'cancelled'
		RETURNING version`,
		[]any{organization, assessmentID, address, string(detail)}, &version)
}

// queued is one candidate who waits.
type queued struct {
	assessmentID, address string
	invitation
}

// next finds the first that waits behind another one, in the order of the key.
func (t table) next(ctx context.Context, organization string, after queued) (q queued, found bool, err error) {
	var detail string
	found, err = t.row(ctx, `SELECT assessment_id, address, detail FROM hiring_jobs
		WHERE organization = $1 AND status = 'queued' AND (assessment_id > $2 OR assessment_id = $2 AND address > $3)
		ORDER BY assessment_id, address LIMIT 1`,
		[]any{organization, after.assessmentID, after.address}, &q.assessmentID, &q.address, &detail)
	if found {
		err = json.Unmarshal([]byte(detail), &q.invitation)
	}
	return q, found, err
}

// settle records what became of one.
func (t table) settle(ctx context.Context, organization string, q queued, status Status) error {
	detail, err := json.Marshal(q.invitation)
	if err != nil {
		return err
	}
	return t.Exec(ctx, strings.ReplaceAll(`UPDATE hiring_jobs
		SET status = $4, detail = $5, version = version + 1, updated_at = CURRENT_TIMESTAMP
		WHERE organization = $1 AND assessment_id = $2 AND address = $3`, "hiring_jobs", t.name),
		organization, q.assessmentID, q.address, string(status), string(detail))
}
