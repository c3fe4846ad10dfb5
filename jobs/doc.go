// Package jobs watches for results and invites candidates in any number of processes. It
// runs as jobs of [River] in the user's own database: PostgreSQL for many processes,
// SQLite for one. The guide [Jobs] shows a complete program.
//
// [Migrate] creates the tables. [Watch] delivers results to a handler. [Invite] queues
// invitations, and [SendInvitations] sends them. [Webhook] posts results to a URL.
//
// A result takes two transactions:
//
//   - The poll saves the state of the watch, inserts a delivery for each submission that it
//     found, and completes itself.
//   - The delivery commits what the handler wrote, and completes itself. A worker whose job
//     River has given to another worker cannot commit.
//
// What is not part of these transactions may be repeated after a crash: the requests of a
// poll, [Results].Send, and anything a handler does without its transaction.
//
// No transaction can undo an invitation. The row of its address says before each request
// that the request may be sent, so a process may be killed at any moment: a later run
// looks the invitation up before it sends to that address again.
//
// Each process announces itself in the table hiring_jobs. The jobs of a process that has
// been silent for a minute are given to others.
//
// A delivery holds the submission until River deletes the job: by default a day after it
// was completed and a week after it was discarded. The table hiring_jobs holds the names
// and addresses of invited candidates until the user deletes the rows. This package logs
// no names and no addresses. River's web page shows jobs, so it needs a login.
//
// [Jobs]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/jobs.md
// [River]: https://riverqueue.com
package jobs
