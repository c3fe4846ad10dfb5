package doctor

import (
	"fmt"
	"strconv"
	"time"
)

// behaviourChecks are about what the service does.
var behaviourChecks = []check{
	{"meaning of since", "since is about creation, submission or evaluation", checkMeaning},
	{"end of a log", "nothing is added to a log once its submission is evaluated", never("only watching a log for long would tell")},
	{"look of a throttle", "a 429 is about the quota when it says Remaining 0 under the class's own limit", never("only being throttled would tell")},
	{"longest window", "no quota window is longer than two hours", checkWindow},
	{"settling", "an invitation shows in its listing within a minute, and stays", never("only inviting somebody would tell")},
	{"addresses", "two addresses that differ in case are one candidate's", never("only inviting somebody would tell")},
	{"archive storage", "a refused link has expired; a download goes on with Range and If-Range", never("only a download that breaks would tell")},
}

func never(why string) func(*examination) judgement {
	return func(*examination) judgement { return undecided(why) }
}

func checkMeaning(e *examination) judgement {
	switch {
	case e.probed["SinceLayout"].value == "" && e.over != "":
		return untried(e.over)
	case len(e.since) == 1:
		return ok(e.since[0], e.meaning+": what is listed agrees with that only")
	case e.since != nil && len(e.since) == 0:
		return judgement{verdict: Undecided, found: "something else", evidence: e.meaning + ": what is listed agrees with none of the three; the waiters go by what comes"}
	}
	return undecided(e.meaning)
}

func checkWindow(e *examination) judgement {
	at, known := e.account.date()
	reset, err := strconv.ParseInt(e.account.header.Get("X-RateLimit-Reset"), 10, 64)
	if e.account.status == 0 || !known || err != nil {
		return undecided("the replies do not tell")
	}
	left := time.Unix(reset, 0).Sub(at)
	found := fmt.Sprintf("%s are left of it", left.Round(time.Minute))
	switch {
	case left < 0:
		return wrong("ended already", "X-RateLimit-Reset is before Date", "tell the service's support")
	case left > longestWindow:
		return wrong(found, "X-RateLimit-Reset against Date", "expect a refused request every two hours")
	}
	return ok(found, "X-RateLimit-Reset against Date")
}
