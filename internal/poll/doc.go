// Package poll implements the polling algorithm: which request finds new evaluations soonest, and when to send it. It
// has no I/O. [Machine.Next] returns the next request or the time to wait, and [Machine.Receive] takes the reply. The
// machine's JSON is its whole memory: it can be saved and loaded between any two requests. Its clock measures what has
// passed and never goes back. Times of submissions, and since, are the server's, which is ahead of it by the last Date.
//
// A source is a listing that can show an evaluation first. A depth lists the evaluated submissions since its last
// listing began, less 10 minutes, 42 minutes, and so on times four up to Lookback: one of them fits within a factor of
// two. A status lists one unfinished status; a submission that left it is read singly. The newest page shows which
// statuses exist. Known ids, if given, are read singly.
//
// The cost of a source is the requests of its last listing, 4 before the first. Its share is its part of the last 300
// replies that showed results first: with fewer it varies by chance, with more a change is noticed late. A source is
// due Interval/2 * sqrt(cost/share) after its last listing, which makes the mean delay the shortest for the reads
// spent. A credit of 0.03 has one that shows nothing listed a hundredth as often as one that shows all: ten times the
// credit costs three times the reads for nothing, a tenth notices a change three times as late. All of Lookback and the
// known ids are due after five and a half hours at the latest, so that a listing of an hour ends within six and a half;
// the newest page after an hour. So an hourly Poll lists everything at least each sixth time.
//
// A poll begins with the base every Interval, or after a load if nothing else is due: the deepest source of one request
// that did not fail. Then come listings of one request, single reads, and longer listings from the cheapest; of those
// of more than ten requests, the latest in proportion to its period. After ten requests a listing continues only while
// reads are to spare: more than two thirds of the window at its start, a third at its end, so that short listings and
// others always have a third. A complete listing counts as one of each shallower depth that was listed before:
// otherwise a wait that begins with all of Lookback would never learn that less is enough. A read of all known ids
// counts for every source: 2,000 ids take six hours while others leave the reads. Where the API ignores or refuses
// statuses and since is about the creation, 95 % come within two and a half minutes, for two to three times the reads.
//
// A source that fails is asked again from its first page after its period, one whose cursor expired at once, and then
// likewise. Until it succeeds nothing that it covers counts as listed. A submission that cannot be read, or whose
// report is not ready, is read again after a quarter of the time that it has waited.
//
// The machine keeps a result as a submission to be read at once until the caller says that it was delivered. Delivered
// ids are remembered while a listing can show them as new. What counts as delivered without them was evaluated a day,
// in which an API may show it, before the latest time of a submission and before the previous listing of all of
// Lookback.
package poll
