// Package jobs watches for results and invites candidates in any number of processes. It
// runs as jobs of [River] in the user's own database: PostgreSQL for many processes,
// SQLite for one. The guide [Jobs] shows a complete program.
//
// [Migrate] creates the tables. [Watch] delivers results to a handler. [Invite] queues
// invitations, and [SendInvitations] sends them. [Webhook] posts results to a URL. [Run] runs the
// workers.
//
// A result takes two steps:
//
//   - The poll inserts a delivery for each submission that it found, a hundred in a
//     transaction. The last transaction saves the state of the watch and completes the poll.
//     A poll that is repeated inserts no delivery twice.
//   - The transaction of the delivery commits what the handler wrote, and completes the
//     delivery. A worker whose job River has given to another worker cannot commit.
//
// What is not part of these transactions may be repeated after a crash: the requests of a
// poll, [Results].Send, and anything a handler does without its transaction.
//
// No transaction can undo an invitation. The row of its address says before each request
// that the request may be sent, so a process may be killed at any moment: a later run
// looks the invitation up before it sends to that address again.
//
// River gives the jobs of a killed process to others: deliveries about six minutes and
// invitations about seven minutes after they began.
//
// A delivery holds the submission until River deletes the job: by default a day after it
// was completed and a week after it was discarded. The table hiring_jobs holds the names
// and addresses of invited candidates until the user deletes the rows. This package logs
// no names and no addresses. River logs the errors of jobs at the level INFO. River's web
// page shows jobs, so it needs a login.
//
// [Jobs]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/jobs.md
// [River]: https://riverqueue.com
package jobs
