// Package jobs watches for results and invites candidates from any number of
// processes, as jobs of [River] in the user's own database: PostgreSQL for many
// machines, SQLite for one.
//
//	config := &river.Config{}
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
// When a loop is not enough any more is in docs/jobs.md of the repository, and what
// to set and to watch in production in this module's README.
//
// [Migrate] makes the tables, [Watch] has results delivered, [Invite] with
// [SendInvitations] invites candidates, and [Webhook] posts results to a URL.
// All else is River's: starting and stopping, retries, timeouts, its log, its
// metrics and its page for operators.
//
// # Exactly once, in effect
//
// A result goes through two transactions. The first keeps the state of the watch,
// inserts a delivery for each submission that the round found, and ends the round;
// so a process that dies before its end repeats the round from the same state,
// and one that dies after it leaves the deliveries behind. The second holds what
// the handler writes, and ends the delivery. Of a handler that was interrupted
// nothing is there, and of one that came to its end everything, once: a worker
// that was taken for dead and comes back cannot commit.
//
// What repeats after a crash is what is no part of these transactions: the
// requests of a round, [Results].Send, and whatever else a handler does outside of
// its transaction.
//
// An invitation is a request that no transaction can take back. It is sent with
// [hiring.InvitationService.SendAll] and a checkpoint in the table hiring_jobs, so a
// process may be killed at any moment: an address whose request may have been sent
// is looked up before anything is sent to it again.
//
// A process that is killed holds up its jobs until River takes them for stuck:
// river.Config.RescueStuckJobsAfter, which [Watch] sets to 15 s more than the
// timeout of jobs when it is zero, and up to half a minute more.
//
// # Candidates' data
//
// A delivery holds the submission until River deletes it: by default a day after
// it was completed, a week after it was discarded. The table hiring_jobs holds
// the names and addresses of those who are invited, until the user deletes them.
// Neither is ever logged by this package, and River's page should be for those
// who may see candidates' data.
//
// [River]: https://riverqueue.com
package jobs
