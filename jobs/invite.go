package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Invite queues invitations in the caller's transaction, and returns the number of
// added rows. The workers of [SendInvitations] send the invitations after the commit.
// Invite itself sends no request.
//
// hiring_jobs has one row for each address in an assessment. Addresses are compared as
// in [hiring.InvitationService.Ensure]. If the row exists,
// Invite leaves it unchanged. Exception: a cancelled invitation is queued again with
// the given name and extra members.
//
// Input that [hiring.InvitationService.Send] refuses is a [hiring.ParamError] with the
// number of the candidate. So is an organization or an assessment id that is not UTF-8
// without NUL. Invite then inserts nothing, and the transaction stays usable.
func Invite[TTx any](
	ctx context.Context, client *river.Client[TTx], tx TTx, organization, assessmentID string,
	candidates ...hiring.NewInvitation,
) (added int, err error) {
	if err := errors.Join(checkText("organization", organization), checkText("assessmentID", assessmentID)); err != nil {
		return 0, err
	}
	for i, c := range candidates {
		if err := checkInvitation(assessmentID, c); err != nil { //nolint:contextcheck // sends nothing
			return 0, fmt.Errorf("jobs: Invite: candidate %d: %w", i+1, err)
		}
	}
	t := tableOf(client, client.Driver().UnwrapExecutor(tx))
	for _, c := range candidates {
		queued, err := t.queueInvitation(ctx, organization, assessmentID, c)
		if err != nil {
			return 0, err
		}
		if queued {
			added++
		}
	}
	if added == 0 {
		return 0, nil
	}
	_, err = client.InsertTx(ctx, tx, inviteArgs{Organization: organization}, nil)
	return added, err
}

// checkInvitation returns the error with which Send refuses an input. It calls Send on a
// client whose transport sends nothing, so that there is one set of rules.
func checkInvitation(assessmentID string, c hiring.NewInvitation) error {
	_, err := checkingClient().Invitations.Send(context.Background(), assessmentID, c)
	if errors.Is(err, errNothingSent) {
		return nil
	}
	return err
}

var errNothingSent = errors.New("nothing is sent")

type sendNothing struct{}

func (sendNothing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNothingSent }

var checkingClient = sync.OnceValue(func() *hiring.Client {
	client, err := hiring.New("https://checks.invalid", "sk_test_checks", hiring.WithHTTPClient(&http.Client{Transport: sendNothing{}}),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	if err != nil { // Cannot happen: the arguments are constant.
		panic(err)
	}
	return client
})

// invitation is the detail of an invitation's row.
type invitation struct {
	Email        string         `json:"email"`
	Name         string         `json:"name"`
	Extra        map[string]any `json:"extra,omitempty"`
	InvitationID string         `json:"invitation_id,omitempty"`
	Problem      string         `json:"problem,omitempty"`
}

// comparableAddress returns the same text for all spellings of an address that package
// hiring does not tell apart: it ignores case, surrounding white space and zero-width
// characters.
func comparableAddress(email string) string {
	visible := func(c rune) rune {
		if c >= '\u200b' && c <= '\u200d' || c == '\u2060' || c == '\ufeff' {
			return -1
		}
		return c
	}
	return strings.ToLower(strings.TrimSpace(strings.Map(visible, email)))
}

// queueInvitation inserts a row, or queues a cancelled one again. It reports whether
// it changed anything.
func (t table) queueInvitation(ctx context.Context, organization, assessmentID string, c hiring.NewInvitation) (bool, error) {
	address := comparableAddress(c.Email)
	detail, err := json.Marshal(invitation{Email: c.Email, Name: c.Name, Extra: c.Extra})
	if err != nil {
		return false, fmt.Errorf("jobs: Invite: %w", err)
	}
	var version int64
	return t.scanRow(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail)
		VALUES ($1, $2, $3, 'queued', $4)
		ON CONFLICT (organization, assessment_id, address) DO UPDATE
		SET status = 'queued', detail = excluded.detail, version = hiring_jobs.version + 1, updated_at = CURRENT_TIMESTAMP
		WHERE hiring_jobs.status = 'cancelled'
		RETURNING version`,
		[]any{organization, assessmentID, address, string(detail)}, &version)
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
	err = t.QueryRow(ctx, "SELECT CAST("+t.epochSQL(t.now())+" AS double precision) - "+seconds(attemptTimeout+settleTime)).Scan(&at)
	return at, err
}

// untilNext returns how long no invitation of an organization may be sent. It reports
// whether there is one without a result.
func (t table) untilNext(ctx context.Context, organization string) (wait time.Duration, found bool, err error) {
	var left float64
	found, err = t.scanRow(ctx, "SELECT CAST(CASE WHEN status = 'queued' THEN 0 ELSE "+t.epochSQL("updated_at")+" - "+t.epochSQL(t.now())+" + "+seconds(attemptTimeout+settleTime)+
		" END AS double precision) AS remaining FROM hiring_jobs WHERE organization = $1 AND "+pendingSQL+" ORDER BY remaining LIMIT 1", []any{organization}, &left)
	return time.Duration(max(left, 0) * float64(time.Second)), found, err
}

// next returns the first invitation after another one, by assessment and address, that may
// be sent.
func (r *invitationRun) next(ctx context.Context, after queuedInvitation) (q queuedInvitation, found bool, err error) {
	var detail string
	found, err = r.scanRow(ctx, `SELECT assessment_id, address, detail, version, CAST(updated_at AS text) FROM hiring_jobs
		WHERE organization = $1 AND `+pendingSQL+` AND (status = 'queued' OR `+r.epochSQL("updated_at")+` < CAST($2 AS double precision))
			AND (assessment_id > $3 OR assessment_id = $3 AND address > $4)
		ORDER BY assessment_id, address LIMIT 1`,
		[]any{r.organization, r.settled, after.assessmentID, after.address}, &q.assessmentID, &q.address, &detail, &q.version, &q.since)
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
