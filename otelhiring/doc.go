// Package otelhiring tells OpenTelemetry what a client of the Hiring Assessment
// service does: spans and metrics of its calls, its attempts and its waits.
//
//	telemetry, err := otelhiring.New()
//	...
//	client, err := hiring.New(baseURL, key, hiring.WithProbe(telemetry.Probe()))
//
// # Spans
//
// A span a call, named as the method ("Submissions.Report"), and below it a span
// of kind client for each attempt, named and described as OpenTelemetry's
// conventions for HTTP clients ask: http.request.method, url.template,
// server.address, server.port, http.response.status_code,
// http.request.resend_count and error.type. url.full is left out, for it holds
// ids. What a call waits for is an event of its span. A traceparent goes with
// every attempt but downloads of archives, whose host is not the service.
//
// # Metrics
//
//	http.client.request.duration       s         attempts, by method, template, server, status and error
//	hiring.client.operation.duration   s         calls, by operation and error
//	hiring.client.wait.time            s         time waited, by reason; a wait under way counts
//	hiring.client.quota.limit          {request} of the window, by class (read, write) and server
//	hiring.client.quota.remaining      {request} left in the window; nothing once it has ended
//	hiring.client.round.age            s         since a request of a wait, watch or poll succeeded, by operation
//	hiring.client.reports.delivered    {report}  see [Telemetry.Delivered]
//	hiring.client.reports.lag          s         from evaluation to delivery
//	hiring.client.reports.pending      {report}  see [Telemetry.Wait] and [Telemetry.Watch]
//	hiring.client.reports.pending.age  s         how long the oldest of WaitReports has been waited for
//	hiring.jobs.discarded              {job}     see [Telemetry.JobDiscarded]
//
// How old the oldest unfinished submission of a watch is, cannot be told:
// [hiring.WaitProgress] says how many there are and no more.
//
// No span and no metric names a candidate or a resource; request ids, which the
// service's support asks for, are on spans.
package otelhiring
