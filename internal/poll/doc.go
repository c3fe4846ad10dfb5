// Package poll implements the polling algorithm: which request finds new evaluations soonest, and when to send it. It
// has no I/O. [Machine.Next] returns the next request or the time to wait for, and [Machine.Got] takes the reply. The
// machine's JSON is its whole memory: it can be saved and loaded between any two requests.
//
// A source is a listing that can show a new evaluation first. There are four kinds:
//
//   - A depth lists the evaluated submissions since its last listing began, less 10 minutes, 42 minutes, and so on
//     times four up to Lookback.
//   - A status lists the submissions with one unfinished status. A submission that left this listing is read singly.
//   - The newest page of all submissions shows which statuses exist.
//   - The known ids, if the caller waits for given ids, are all read singly.
//
// The cost of a source is the requests of its last listing. Before the first, that is 4 for a depth, 1 for a status,
// and the number of known ids. Its share is its part of the last 300 replies that showed results first, and a little
// for each source. A source is due Interval/2 * sqrt(cost/share) after its last listing began. These periods make the
// mean delay the shortest for the reads that they spend. The newest page is due after an hour, all of Lookback and
// the known ids after five and a half hours at the latest, so no result is much later than that. A new machine counts
// its sources as listed just now.
//
// A poll begins with the base every Interval: the deepest source that costs one request, or else the newest page.
// Then it sends what else is due: listings of one request, single reads, and longer listings from the cheapest. Of
// the listings of more than ten requests, the latest in proportion to its period goes first. After ten requests a
// listing continues only while reads are to spare: more than two thirds of the window at its start, a third at its
// end. Otherwise later polls continue it. A complete listing also counts as one of each shallower depth, a read of all
// known ids as one of every source. Up to ten known ids are read in the first poll. More begin with all of Lookback
// instead of the base.
//
// A result is returned when its report is ready. Until then the submission is read again after a quarter of the time
// that it has waited. The machine keeps a result as a submission to be read at once until the caller says that the
// result was delivered. Delivered ids are remembered while a listing can show them as new: what was evaluated a day
// before the last complete listing of all of Lookback began counts as delivered.
//
// No request is sent while the window is used up. A failed request changes nothing else. A status that the API refuses
// is asked for after its period again.
package poll
