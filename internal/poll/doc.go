// Package poll implements the polling algorithm: which request finds new evaluations soonest, and
// when to send it. It has no I/O. [Machine.Next] returns the next request or the time to wait, and
// [Machine.Receive] takes the reply. The machine's JSON is its whole memory. Read machine.go,
// source.go (what to list when), listing.go (page by page) and result.go (what is new).
// docs/internals/polling.md shows an hour.
//
// # Sources
//
// A source is a listing that can show an evaluation first. Some list the evaluated submissions since
// their last listing began, less their depth: all of Lookback, a quarter of it, and so on down to ten
// minutes. Others list one unfinished status, and a submission that left it is read singly. The newest page
// shows which statuses exist. Given ids are read singly.
//
// # Polls
//
// A poll begins with the opener, the deepest of the cheapest sources. Then come the single reads
// and the sources that are due. A source is due Interval/2 * sqrt(cost/share) after its last
// listing, which makes the mean delay the shortest for the reads spent. Its share is its part of the
// last replies that showed results (sharedReplies, initialCredit).
//
// # Listings
//
// After ten requests a listing continues only while reads are to spare, so that short listings and
// others always have a third of the window. Until it is complete, nothing that it covers counts as
// listed. A complete one counts as one of each shallower source that was listed before. A page that
// fails is requested again by the next poll; after three failures the source begins anew after its
// period. A cursor that has expired, or a page that repeats, begins the listing again, once.
//
// # Results
//
// A result stays among the submissions to be read singly until the caller has delivered it. Delivered ids are
// remembered while a listing can show them as new: until a day, in which an API may show an
// evaluation, before the latest time of a submission and before the previous listing of all of
// Lookback.
package poll
