package jobs_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// endTx commits or rolls back a transaction of either driver.
func endTx(ctx context.Context, tx any, commit bool) error {
	switch tx := tx.(type) {
	case pgx.Tx:
		if commit {
			return tx.Commit(ctx)
		}
		return tx.Rollback(ctx)
	case *sql.Tx:
		if commit {
			return tx.Commit()
		}
		return tx.Rollback()
	}
	return errors.New("unknown transaction")
}

func TestHandlerThatEndsTheTransactionIsCancelled(t *testing.T) {
	t.Parallel()
	onBothStores(t, handlerThatEndsTheTransactionIsCancelled[pgx.Tx], handlerThatEndsTheTransactionIsCancelled[*sql.Tx])
}

// handlerThatEndsTheTransactionIsCancelled has handlers that commit and return nil, commit
// and return an error, and roll back.
func handlerThatEndsTheTransactionIsCancelled[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	ids := api.addEvaluated(t, 4)
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	s.watch(t, config, jobs.Results[TTx]{
		Organizations: api.organizations(),
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			if err := s.insertResult(ctx, tx, d); err != nil {
				return err
			}
			switch d.Submission.ID {
			case ids[0]:
				return endTx(ctx, tx, true)
			case ids[1]:
				return errors.Join(endTx(ctx, tx, true), errors.New("failed"))
			case ids[2]:
				return endTx(ctx, tx, false)
			}
			return nil
		},
	})
	eventually(t, s.countIs(t, 3, "river_job WHERE kind = 'hiring_delivery' AND state = 'cancelled' AND CAST(errors AS text) LIKE '%do not commit or roll back%'"))
	eventually(t, s.deliveredIs(t, 1))
	s.requireStoredOnce(t, 3)
	require.Equal(t, 3, strings.Count(log.String(), `cause="handler ended the transaction" submission_id=`))
}

// TestTextOfAPanicIsNotStoredSQLite panics with candidate data in a string and in an error, and with
// a runtime error.
func TestTextOfAPanicIsNotStoredSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	ids := api.addEvaluated(t, 3)
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	s.watch(t, config, jobs.Results[*sql.Tx]{
		Organizations: api.organizations(), Retry: attempts(1),
		Handle: func(_ context.Context, _ *sql.Tx, d jobs.Delivery) error {
			switch slices.Index(ids, d.Submission.ID) {
			case 0:
				panic("cannot store " + d.Submission.Candidate.Email)
			case 1:
				panic(fmt.Errorf("cannot store %s", d.Submission.Candidate.Email))
			}
			return errors.New(ids[len(d.ID)])
		},
	})
	eventually(t, s.countIs(t, 3, "river_job WHERE kind = 'hiring_delivery' AND state = 'discarded'"))
	stored := ""
	for _, id := range ids {
		stored += queryValue[string](t, s.db, "SELECT json(errors) FROM river_job WHERE kind = 'hiring_delivery' AND args->>'submission_id' = $1", id)
	}
	require.Contains(t, stored, "panic: a value of type string")
	require.Contains(t, stored, "panic: a value of type *")
	require.Contains(t, stored, "index out of range")
	require.Contains(t, stored, "defects_test.go", "the stack is stored")
	require.Len(t, regexp.MustCompile(`cause=panic origin=defects_test.go:\d+`).FindAllString(log.String(), -1), 3)
	for _, text := range []string{stored, log.String()} {
		require.NotContains(t, text, "cannot store")
		require.NotContains(t, text, "@example.com")
	}
}

type ownError struct{}

func (*ownError) Error() string { return "ada@example.com" }

func TestFailedDeliveriesAndPollsAreNamedInTheLogSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	id := api.addEvaluated(t, 1)[0]
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	refused := newAPI(t)
	refused.RevokeKey(sandbox.LiveKey)
	began := time.Now()
	client, _ := s.watch(t, config, jobs.Results[*sql.Tx]{
		Organizations: append(api.organizations(), jobs.Organization{Name: "refused", Client: refused.client}), Retry: jobs.RetryPolicy{First: time.Hour, End: time.Hour},
		Handle: func(_ context.Context, _ *sql.Tx, d jobs.Delivery) error {
			return fmt.Errorf("cannot store: %w", &os.PathError{Op: "open", Path: d.Submission.Candidate.Email + strings.Repeat(" and more", 1<<20), Err: new(ownError)})
		},
	})
	poll := regexp.MustCompile(`level=WARN msg="jobs: failed, will be retried" organization=refused kind=hiring_poll job_id=\d+ attempt=1 cause="status 401" next_attempt=(\S+)`)
	eventually(t, func() bool { return poll.MatchString(log.String()) })
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND state = 'retryable' AND attempt = 1"))
	next, err := time.Parse(time.RFC3339, poll.FindStringSubmatch(log.String())[1])
	require.NoError(t, err)
	require.Greater(t, next.Sub(began), 59*time.Second, "after a 401 the next poll comes a minute later")
	named := regexp.MustCompile(`level=WARN msg="jobs: failed, will be retried" organization=acme kind=hiring_delivery job_id=(\d+) attempt=1 cause=other origin=\*jobs_test.ownError submission_id=` + id + ` next_attempt=(\S+)`)
	eventually(t, func() bool { return named.MatchString(log.String()) })
	found := named.FindStringSubmatch(log.String())
	next, err = time.Parse(time.RFC3339, found[2])
	require.NoError(t, err)
	jobID, err := strconv.ParseInt(found[1], 10, 64)
	require.NoError(t, err)
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_delivery' AND state = 'retryable'"))
	job, err := client.JobGet(t.Context(), jobID)
	require.NoError(t, err)
	require.Less(t, len(job.Errors[0].Error), 9<<10)
	require.WithinRange(t, job.ScheduledAt, next, next.Add(time.Since(began)+time.Second), "the next attempt is the one in the log")
	_, err = client.JobRetry(t.Context(), jobID)
	require.NoError(t, err)
	eventually(t, func() bool { return strings.Contains(log.String(), "jobs: failed for the last time") })
	require.NotContains(t, log.String(), "@example.com")
}

// TestUnreadableSubmissionIsReportedSQLite has one submission that cannot be decoded beside others, until the API is repaired and Deliver is called.
func TestUnreadableSubmissionIsReportedSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	id := api.addEvaluated(t, 3)[1]
	o, r := api.recordedOrganization()
	var repaired atomic.Bool
	created := regexp.MustCompile(`("id":"` + id + `".*?"candidate":)\{[^}]*\}`)
	o.Client = api.clientChangingBodies(t, func(body []byte) []byte {
		if repaired.Load() {
			return body
		}
		return created.ReplaceAll(body, []byte(`$1"not an object"`))
	})
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	client, _ := s.watch(t, config, jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult, Telemetry: r.telemetry()})
	eventually(t, s.deliveredIs(t, 2))
	eventually(t, func() bool { return r.event("delivered") == 2 }, "deliveries are reported after their commit")
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesUnreadable) == 1 })
	require.False(t, r.since(jobs.DeliveriesUnreadable).IsZero())
	eventually(t, func() bool { return r.eventOf(jobs.KindPoll, jobs.EventUnreadable) == 1 }, "it is reported after the commit")
	require.Contains(t, log.String(), "a submission cannot be decoded")
	require.NotContains(t, log.String(), id)
	found := "(" + alertQuery(t, "submissions that cannot be decoded") + ") AS found"
	require.Equal(t, 1, s.count(t, found+" WHERE submission = $1 AND detail LIKE '%candidate%'", id))

	repaired.Store(true)
	polls := s.polls(t)
	eventually(t, func() bool { return s.polls(t) > polls+1 })
	require.Equal(t, 2, s.count(t, "results"), "polls do not repeat it")
	s.deliver(t, client, "acme", id)
	eventually(t, s.countIs(t, 1, "results WHERE submission_id = $1", id))
	eventually(t, func() bool { return r.deliveries(jobs.DeliveriesUnreadable) == 0 })
}

// TestPollThatIsCancelledSavesItsStateSQLite stops the client after the first page of a listing of two.
func TestPollThatIsCancelledSavesItsStateSQLite(t *testing.T) {
	t.Parallel()
	s, api := newSQLite(t), newAPI(t)
	api.addEvaluated(t, 120)
	o := api.organization("acme")
	second := make(chan struct{})
	var listings atomic.Int64
	o.Client = clientVia(t, func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/submissions") && listings.Add(1) == 2 {
			close(second)
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return api.Transport().RoundTrip(r)
	})
	client, _ := s.watch(t, testConfig(), jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult})
	<-second
	require.NoError(t, client.StopAndCancel(t.Context()))
	require.True(t, s.statusIs(t, jobs.StatusWatching, 1)())
	require.Positive(t, s.count(t, "river_job WHERE kind = 'hiring_delivery'"), "what was found is not lost")
	s.watch(t, testConfig(), jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{o}, Handle: s.insertResult})
	eventually(t, s.deliveredIs(t, 120))
	s.requireStoredOnce(t, 120)
}

// TestCausesAreThoseOfTheClientsLog has the same errors in a request of the client and in a job.
func TestCausesAreThoseOfTheClientsLog(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, syscall.ECONNRESET, syscall.EPIPE,
		&net.DNSError{Err: "no such host"}, &net.DNSError{Err: "i/o timeout", IsTimeout: true}, os.ErrDeadlineExceeded, context.DeadlineExceeded, context.Canceled,
		io.EOF, io.ErrUnexpectedEOF, &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, http.ErrSchemeMismatch, errors.New("ada@example.com"),
		&net.OpError{Op: "remote error", Err: tls.AlertError(40)},
	} {
		var log logBuffer
		client, problem := hiring.New("http://sandbox.test", sandbox.LiveKey, hiring.WithInsecureHTTP(), hiring.WithLogger(log.logger()), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
			hiring.WithHTTPClient(&http.Client{Transport: roundTripperFunc(func(*http.Request) (*http.Response, error) { return nil, err })}))
		require.NoError(t, problem)
		_, problem = client.Account.Get(t.Context())
		require.Error(t, problem)
		found := regexp.MustCompile(`cause="?([a-z ]+)`).FindStringSubmatch(log.String())
		require.NotNil(t, found, log.String())
		require.Equal(t, found[1], jobs.CauseOf(err), "%#v", err)
		require.Equal(t, found[1], jobs.CauseOf(problem), "%#v", err)
	}
	hook, err := jobs.NewWebhook(newReceiver(t, http.StatusServiceUnavailable).URL, jobs.WebhookOptions{Secrets: []string{secret}, AllowPrivate: true})
	require.NoError(t, err)
	empty, err := hiring.New("https://hiring.example.com", "", hiring.WithKeySource(func(context.Context) (string, error) { return "", nil }))
	require.NoError(t, err)
	_, emptyKey := empty.Account.Get(t.Context())
	for cause, err := range map[string]error{
		"key source":          emptyKey,
		"status 401":          &hiring.Error{Status: http.StatusUnauthorized},
		"receiver status 503": hook.Send(t.Context(), jobs.Delivery{}),
		"sqlstate 23505":      fmt.Errorf("storing: %w", &pgconn.PgError{Code: "23505", Detail: "Key (email)=(ada@candidates.test) already exists."}),
	} {
		require.Equal(t, cause, jobs.CauseOf(err))
	}
}
