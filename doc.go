// Package hiring is a client of the Hiring Assessment service: it creates
// assessments, invites candidates and reads submissions, reports and event logs.
//
//	client, err := hiring.FromEnv()
//	...
//	account, err := client.Account.Get(ctx)
//
// Make one [Client] and share it; it is safe for concurrent use. Package sandbox
// holds a fake of the service for tests and first steps. The guides in docs/ begin
// with docs/getting-started.md.
//
// # Keys and environments
//
// A key belongs to one organization. Its prefix tells the environment, which
// [Client.Environment] returns: with sk_live_ an invitation mails a candidate
// and consumes the plan's quota; with sk_test_ the data is fixed and writes
// persist nothing. [WithEnvironment] makes [New] refuse a key of the other one.
//
// A key's scope is read, write or admin, each including those before it; every
// method's comment names the scope it needs. The key travels in the
// Authorization header only and appears in no error, log or printed value.
// Redirects are not followed. [WithKeySource] is for keys that rotate. How keys are
// made, replaced and guarded is in docs/going-live.md.
//
// # Resources
//
// A nil pointer in a resource means null or absent. Enumerations are open: a
// value that has no constant decodes all the same. Members that this version
// does not know are kept in Extra. A [RawValue] is JSON whose shape the service
// does not document.
//
// A resource encodes as the service writes it, Extra included, under
// encoding/json and json/v2: what follows the documentation comes out as it went
// in, times with their milliseconds, absent members absent and null ones null.
// Of what does not follow it, a member that was left out comes out as null or
// empty, and a time with fewer digits with milliseconds.
//
// Scores come with rules: [Pillar.ReliableScore] tells whether there is enough
// evidence to show one, and [Report.Ready] whether grading has finished.
//
// # Errors
//
// A failed call returns an [*Error], also when there was no reply. Each
// [ErrorCode] is an error itself:
//
//	if errors.Is(err, hiring.ErrNotFound) { ... }
//
// What is surely wrong is refused before it is sent, as a [*ParamError], which
// is ErrInvalidInput too. Of a write that failed, Error.Outcome says whether
// the service did it: [OutcomeNotDone], [OutcomeDone] or [OutcomeUnknown]. After Unknown, for which
// errors.Is accepts [ErrOutcomeUnknown], look before you repeat. What to do about
// each code is in docs/errors.md.
//
// # Retries and time
//
// GET, DELETE and PATCH are repeated after a 500, 502, 503 or 504 and after a
// broken connection, a GET also after a timeout and a reply cut short. A POST is repeated only when the
// service certainly did nothing: after a 429, or when no connection was made.
// [RetryPolicy] sets how often and how patiently. A Retry-After is honoured
// unless it exceeds RetryPolicy.MaxWait or the context's deadline; then the
// error comes at once.
//
// [WithTimeout] bounds each attempt, 30 s by default. The context bounds the
// whole call, its pauses included.
//
// # Inviting
//
// [InvitationService.Ensure] and [InvitationService.SendAll] look for the invitation
// after a lost response before they send again, so that each candidate gets one
// e-mail. After a crash both can be called again once a minute has passed, SendAll
// with a Checkpoint at any moment. SendAll waits for as many windows of the write quota as it takes, and leaves others with the same
// key their share. Whoever has an invitation is not invited again, even if it was
// revoked or has expired: that is for [InvitationService.Send].
//
// # Lists
//
// A List method returns a [Pager] and sends nothing. Listings are newest first;
// the service has no sort parameter. Range over its items or its
// pages, or collect them:
//
//	for invitation, err := range client.Invitations.List(id).All(ctx) {
//		if err != nil {
//			return err
//		}
//		...
//	}
//
// Page.Next is a token from which [Pager.From] resumes, in another process too.
//
// # Archives
//
// [SubmissionService.DownloadArchive] streams a candidate's workspace from where
// it is stored, without the key, and goes on where a download broke off.
//
// # Waiting
//
// The service sends no events: results are polled. Its guidance is one poll every
// 30 to 60 s, and only for submissions that await a report.
// [SubmissionService.WaitReport] polls one submission every 30 to 60 s until
// its report is ready. [SubmissionService.WaitReports] waits for many at the
// price of a few listings, [SubmissionService.Watch] yields whatever is newly
// evaluated and goes on after a restart, [SubmissionService.Poll] is one round of
// that, and [EventService.Tail] follows the log of an attempt.
//
// All of them ride out 429, 5xx and broken connections and end at once on 401 and
// 403. All but WaitReport leave a tenth of each quota window to others.
//
// # Quotas
//
// A key may make 1000 reads and 200 writes an hour. [Client.Quota] returns what
// the service last said of both. A list costs one read a page, and pages are as
// large as the service allows unless [Pager.PageSize] makes them smaller.
//
// # What is assumed
//
// The service's documentation leaves some things open. The names, routes and
// formats that the client assumes are in [Dialect], and [WithDialect] corrects
// them; what else it assumes says "assumed" in its comment. One that proves wrong
// surfaces, as far as it can be noticed, as an error that names the field, or as
// a warning: in Exchange.Warning always, and in the log when there is one.
// docs/assumptions.md lists them all, each with what happens when it is wrong.
package hiring

//go:generate go run ./internal/testing/generate/jsonmethods
//go:generate go run ./internal/testing/generate/guide
