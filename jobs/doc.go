// Package jobs watches for results and invites candidates in any number of
// processes. It runs as jobs of [River] in the user's own database: PostgreSQL for
// many processes, SQLite for one.
//
//	config := &river.Config{SoftStopTimeout: 10 * time.Second}
//	err := jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{
//		Organizations: []jobs.Organization{{Name: "acme", Client: client}},
//		Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
//			_, err := tx.Exec(ctx, "INSERT INTO results (id, score) VALUES ($1, $2)", d.Submission.ID, d.Report.ShipScore)
//			return err
//		},
//	})
//	...
//	workers, err := river.NewClient(riverpgxv5.New(pool), config)
//
// [Migrate] creates the tables. [Watch] delivers results to a handler. [Invite]
// queues invitations, and [SendInvitations] sends them. [Webhook] posts results to
// a URL. River does the rest: starting and stopping, retries, timeouts, logs,
// metrics and a web page for operators.
//
// The guide docs/jobs.md of the repository says when a program needs jobs. The
// README of this module describes settings and alerts for production.
//
// # Exactly once, in effect
//
// A result takes two transactions:
//
//   - The poll saves the state of the watch, inserts a delivery for each submission
//     that it found, and completes itself. If the process dies before the commit,
//     the poll is repeated from the same state. If it dies after the commit, the
//     deliveries are in the database.
//   - The delivery commits what the handler wrote, and completes itself. An
//     interrupted handler leaves nothing. A worker whose job River has given to
//     another worker cannot commit.
//
// Whatever is not part of these transactions may be repeated after a crash: the
// requests of a poll, [Results].Send, and anything a handler does without its
// transaction. A handler must not commit its transaction.
//
// No transaction can undo an invitation. [hiring.InvitationService.SendAll] sends
// invitations with a checkpoint in the table hiring_jobs, so a process may be
// killed at any moment: SendAll looks up an address whose request may have been
// sent before it sends to that address again.
//
// The jobs of a killed process wait for river.Config.RescueStuckJobsAfter, and up to
// half a minute more. [Watch] sets it
// to 15 s more than the timeout of jobs when it is zero.
//
// # Candidate data
//
// A delivery holds the submission until River deletes the job: by default a day
// after it was completed and a week after it was discarded. The table hiring_jobs
// holds the names and addresses of invited candidates until the user deletes the
// rows. This package logs no names and no addresses. Only people who may see candidate data should
// have access to River's web page.
//
// [River]: https://riverqueue.com
package jobs
