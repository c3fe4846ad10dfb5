// Package poll implements the polling algorithm: which request finds new evaluations soonest, and when to send it. It
// has no I/O. [Machine.Next] returns the next request or the time to wait, and [Machine.Receive] takes the reply. The
// machine's JSON is its whole memory: it can be saved and loaded between any two requests. docs/internals/polling.md
// shows an hour of it. Read machine.go, source.go (what to list when), listing.go (page by page) and result.go (what is
// new), then clock.go and item.go. outage.go is about polls that fail.
//
// A source is a listing that can show an evaluation first. A depth lists the evaluated submissions since its last
// listing began, less 10 minutes, 42 minutes, and so on times four up to Lookback: one of them fits within a factor of
// two. A status lists one unfinished status; a submission that left it is read singly. The newest page shows which
// statuses exist. Given ids are read singly.
//
// A poll begins with the opener, the deepest source of the cheapest. Then come the single reads that are due, and then the
// sources that are due, the cheapest first. A source is due Interval/2 * sqrt(cost/share) after its last listing, which
// makes the mean delay the shortest for the reads spent. Shares are of the last 300 replies: with fewer they vary by chance,
// with more a change is noticed late. Each source is credited with 0.03 replies, so that one that shows nothing is still
// listed: ten times the credit costs three times the reads for nothing, a tenth of it notices a change three times as late.
// All of Lookback is due after five and a half hours at the latest: the listing takes up to an hour, and no result comes
// later than six and a half hours.
//
// After ten requests a listing continues only while reads are to spare: more than two thirds of the window at its start, a
// third at its end, so that short listings and others always have a third. A complete listing counts as one of each
// shallower depth that was listed before: otherwise a wait that begins with all of Lookback would never learn that less
// is enough. A read of all given ids counts for every source: 2,000 ids take six hours while others leave the reads.
//
// A page that fails is requested again by the next poll, which then comes within a minute; after three failures its source begins
// anew after its period. A cursor that has expired, or a page that repeats the one before, begins the listing again, once.
// Until a listing is complete nothing that it covers counts as listed.
//
// A result is a submission to be read at once until the caller says that it was delivered. Delivered ids are remembered
// while a listing can show them as new. What counts as delivered without them was evaluated a day, in which an API may
// show it, before the latest time of a submission and before the previous listing of all of Lookback.
package poll
