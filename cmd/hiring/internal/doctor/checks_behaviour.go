package doctor

import (
	"fmt"
	"strconv"
	"time"
)

// behaviourChecks are about the behaviour of the API.
var behaviourChecks = []check{
	{"meaning of since", "since filters by creation, submission or evaluation", checkMeaning},
	{"end of a log", "the log of an evaluated submission does not grow",
		alwaysUndecided("only observing a log for a long time would show it")},
	{"look of a throttle", "a 429 with Remaining 0 and the class's own limit means the rate limit",
		alwaysUndecided("only a throttled request would show it")},
	{"longest window", "no rate-limit window is longer than two hours", checkWindow},
	{"settling", "an invitation is listed within a minute and stays listed", alwaysUndecided("only an invitation would show it")},
	{"addresses", "addresses that differ in case only belong to one candidate", alwaysUndecided("only an invitation would show it")},
	{"archive storage", "a rejected link has expired; a download resumes with Range and If-Range",
		alwaysUndecided("only an interrupted download would show it")},
}

func alwaysUndecided(reason string) func(*examination) Finding {
	return func(*examination) Finding { return undecided(reason) }
}

func checkMeaning(e *examination) Finding {
	switch {
	case e.observed["SinceLayout"].value == "" && e.stopped != "":
		return notChecked(e.stopped)
	case len(e.sinceMeanings) == 1:
		return ok(e.sinceMeanings[0], e.sinceEvidence+": the list agrees with this meaning only")
	case e.sinceMeanings != nil && len(e.sinceMeanings) == 0:
		f := undecided(e.sinceEvidence + ": the list agrees with none of the three; the waiting methods do not depend on it")
		f.Found = "something else"
		return f
	}
	return undecided(e.sinceEvidence)
}

func checkWindow(e *examination) Finding {
	at, known := e.account.date()
	reset, err := strconv.ParseInt(e.account.header.Get("X-RateLimit-Reset"), 10, 64)
	if e.account.status == 0 || !known || err != nil {
		return undecided("the responses do not show it")
	}
	left := time.Unix(reset, 0).Sub(at)
	found := fmt.Sprintf("%s left", left.Round(time.Minute))
	switch {
	case left < 0:
		return wrong("already ended", "X-RateLimit-Reset is before the Date header", "report it to the API's support")
	case left > longestWindow:
		return wrong(found, "X-RateLimit-Reset compared with the Date header", "expect a rejected request every two hours")
	}
	return ok(found, "X-RateLimit-Reset compared with the Date header")
}
