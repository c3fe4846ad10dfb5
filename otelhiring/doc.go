// Package otelhiring records the calls of a hiring client as OpenTelemetry spans
// and metrics.
//
//	telemetry, err := otelhiring.New()
//	...
//	client, err := hiring.New(baseURL, key, hiring.WithTrace(telemetry.Trace()))
//
// # Spans
//
// Each call is a span with the name of the method, as in "Submissions.Report".
// Below it, each attempt is a span of kind client, with the name and attributes
// of OpenTelemetry's conventions for HTTP clients: http.request.method,
// url.template, server.address, server.port, http.response.status_code,
// http.request.resend_count and error.type. The attribute url.full is left out,
// because it contains ids. Each wait is an event hiring.wait of the call's span. Every attempt
// carries a traceparent header, except downloads of archives, whose host is not
// the API.
//
// # Metrics
//
//	http.client.request.duration       s          attempts, by method, template, server, status and error
//	hiring.client.operation.duration   s          calls with all requests and waits, by operation and error
//	hiring.client.wait.time            s          length of the waits that have begun, by reason
//	hiring.client.quota.limit          {request}  rate limit of the window, by class (read, write) and server
//	hiring.client.quota.remaining      {request}  remaining requests; absent once the window has ended
//	hiring.poll.overdue                s          time since a poll was due, by operation; negative before it is due
//	hiring.client.reports.delivered    {report}   see [Telemetry.Delivered]
//	hiring.client.reports.lag          s          time from evaluation to delivery
//	hiring.client.reports.pending      {report}   see [Telemetry.Wait] and [Telemetry.Watch]
//
// Package jobsotel of module jobs adds the metrics of jobs.
//
// # What the spans and metrics contain
//
// No span and no metric contains a candidate's name or address, an id of a
// resource or a message of the API. The value of error.type is a documented error
// code, "timeout", "canceled", "connection" or "_OTHER". Spans contain request
// ids, which the support of the API asks for. The names of organizations are
// exported as the program gives them.
package otelhiring
