// Package hiring implements a client of the Hiring Assessment API. It creates assessments,
// invites candidates and reads submissions, reports and event logs.
//
//	client, err := hiring.FromEnv()
//	...
//	account, err := client.Account.Get(ctx)
//
// Create one [Client] and share it. It is safe for concurrent use. Package sandbox
// provides a fake API server for tests and first steps. The guides begin with
// [Getting started].
//
// # Keys and environments
//
// A key belongs to one organization. Its prefix determines the environment, which
// [Client.Environment] returns. With sk_live_ an invitation sends an e-mail and consumes
// the plan's quota. With sk_test_ the data is fixed and writes persist nothing.
// [WithEnvironment] makes [New] reject keys of the other environment.
//
// A key's scope is read, write or admin, and each includes those before it. Each method's
// comment names the scope that it needs. The client sends the key only in the
// Authorization header, and the key appears in no error, log or printed value. The client
// does not follow redirects. [WithKeySource] supports rotated keys. [Deployment] describes
// how to create, rotate and protect keys.
//
// # Resources
//
// A nil pointer in a resource means null or absent. Enumerations are open: an unknown
// value decodes without an error. Unknown fields are kept in Extra. A [RawValue] is JSON
// whose shape is not documented.
//
// Resources encode to the members that the API sent, with encoding/json and json/v2: Extra is
// included, times have milliseconds, absent fields are absent and null fields are null.
// Undocumented input is normalised: missing fields encode as null or empty, and times have
// at least milliseconds. A struct of your own that embeds a resource loses its other fields
// in JSON, because it gets the resource's JSON methods: give it a field with the resource
// instead.
//
// [Pillar.ReliableScore] reports whether there is enough evidence to show a score, and
// [Report.Ready] whether grading has finished.
//
// # Errors
//
// A failed call returns an [*Error], also without a response. Each [ErrorCode] is an
// error:
//
//	if errors.Is(err, hiring.ErrNotFound) { ... }
//
// The client rejects invalid arguments before it sends anything. It returns them as a
// [*ParamError], which errors.Is matches with ErrInvalidInput.
//
// For a failed write, Error.Outcome reports whether the API processed it:
// [OutcomeNotDone], [OutcomeDone] or [OutcomeUnknown]. errors.Is matches the last with
// [ErrOutcomeUnknown]. Check whether the write happened before you repeat it.
// [Errors] describes what to do about each code.
//
// # Retries and timeouts
//
// GET, DELETE and PATCH are retried after a 429, 500, 502, 503 or 504 and after a connection
// error. GET is also retried after a timeout and after a response that was cut short. POST
// is retried only when the API certainly did not process it: after a 429, or when no
// connection was made. [RetryPolicy] sets the number of attempts and the delays. The
// client honours Retry-After unless it exceeds RetryPolicy.MaxWait or the context's
// deadline. In that case the call returns the error immediately.
//
// [WithTimeout] limits each attempt, to 30 s by default. The context limits the whole call
// with its delays.
//
// # Invitations
//
// [InvitationService.Ensure] and [InvitationService.EnsureAll] send each candidate one
// e-mail. After a lost response they look for the invitation before they send it again.
// After a crash both can be called again once the attempt's timeout plus a minute has passed.
// EnsureAll waits for as many rate-limit windows as it needs and leaves other users of the key
// a share. Ensure and EnsureAll do not invite a candidate again whose invitation was revoked or
// has expired. Use [InvitationService.Send] for that.
//
// # Lists
//
// A List method returns a [Pager] and sends no request. Lists are newest first, but
// the events of a log are in order of seq. The API has no sort parameter. Range over the
// items or the pages, or collect the items:
//
//	for invitation, err := range client.Invitations.List(id).All(ctx) {
//		if err != nil {
//			return err
//		}
//		...
//	}
//
// Page.Next is a token with which [Pager.From] resumes, also in another process.
//
// # Archives
//
// [SubmissionService.DownloadArchive] streams a candidate's workspace from the storage, to
// which it does not send the key. It resumes an interrupted download.
//
// # Polling
//
// The API has no webhooks. Its documentation recommends one poll every 30 to 60 s, and
// only for submissions that await a report. Choose a polling method:
//
//   - [SubmissionService.WaitReport] polls one submission until its report is ready.
//   - [SubmissionService.WaitReports] waits for many submissions with a few listing
//     requests a poll.
//   - [SubmissionService.Watch] yields every newly evaluated submission and resumes
//     after a restart.
//   - [SubmissionService.Poll] is one poll of Watch, for cron jobs and functions.
//   - [EventService.Tail] follows the log of an attempt.
//
// They repeat a poll whose failure is transient ([IsTransient]), and end immediately on 401 and
// 403. They leave a tenth of each rate-limit window to others.
//
// # Rate limits
//
// A key may send 1000 reads and 200 writes an hour. [Client.Quota] returns the last known
// state of both. A list costs one read a page. Pages have the maximum size unless
// [Pager.PageSize] sets a smaller one.
//
// # Assumptions
//
// The API's documentation leaves some details open. The names, routes and formats that the
// client assumes are in [Dialect], and [WithDialect] corrects them. Comments mark each other
// assumption with "assumed" and its name. [Assumptions] lists them by these names, with the
// effect of each when it is wrong. Where the client can detect a wrong assumption, it
// returns an error that names the field, or a warning in Exchange.Warning and in the log.
//
// [Getting started]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/getting-started.md
// [Deployment]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/deployment.md
// [Errors]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/errors.md
// [Assumptions]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/assumptions.md
package hiring

//go:generate go run ./internal/testing/generate/guide
