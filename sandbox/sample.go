package sandbox

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

//go:embed data/*.json
var seedFiles embed.FS

// sample returns the records of test mode. They are made at the first request
// of the first server and shared from then on; nothing may change them.
var sample = sync.OnceValue(func() *sampleWorld {
	seeds := loadSeeds()
	w := &sampleWorld{accountJSON: render(seeds.account), logs: make(map[string][]event), records: records{
		memberRecords: collect(seeds.members, func(m *wireMember) (string, stamp) { return m.ID, m.CreatedAt }),
		library:       collect(seeds.challenges, func(c *wireChallenge) (string, stamp) { return c.ID, c.CreatedAt }),
		postings:      collect(seeds.assessments, func(a *wireAssessment) (string, stamp) { return a.ID, a.CreatedAt }),
		invited:       make(map[string]*collection[*invitation]),
	}}
	var attempts []*attempt
	for _, planned := range plans {
		invitations, begun := seeds.expand(planned)
		w.invited[planned.assessment] = collect(invitations, func(i *wireInvitation) (string, stamp) { return i.ID, i.CreatedAt })
		attempts = append(attempts, begun...)
	}
	for _, a := range attempts {
		w.logs[a.submission.ID], a.prompts = seeds.log(a)
	}
	graded := seeds.grade(attempts)
	w.attempts = newSubmissionList(len(graded))
	for _, s := range graded {
		w.attempts.add(&submission{record: *newRecord(s.ID, s.CreatedAt, s)})
	}
	return w
})

// seeds are the hand-written part of the sample data.
type seeds struct {
	account     json.RawMessage
	members     []wireMember
	challenges  []wireChallenge
	assessments []wireAssessment
	people      seedPeople
	reports     []seedReport
	events      seedEvents
}

func loadSeeds() *seeds {
	var s seeds
	for name, into := range map[string]any{
		"account": &s.account, "members": &s.members, "challenges": &s.challenges, "assessments": &s.assessments,
		"people": &s.people, "reports": &s.reports, "events": &s.events,
	} {
		file, err := seedFiles.ReadFile("data/" + name + ".json")
		if err == nil {
			err = json.Unmarshal(file, into)
		}
		if err != nil {
			panic(fmt.Sprintf("sandbox: data/%s.json: %v", name, err))
		}
	}
	return &s
}

// collect renders records and puts them in order.
func collect[T any](wires []T, place func(*T) (id string, created stamp)) *collection[*record[T]] {
	c := newCollection[*record[T]](len(wires))
	for _, wire := range wires {
		id, created := place(&wire)
		c.add(newRecord(id, created, wire))
	}
	return c
}

func (s *seeds) assessment(id string) wireAssessment {
	i := slices.IndexFunc(s.assessments, func(a wireAssessment) bool { return a.ID == id })
	return s.assessments[i]
}

func (s *seeds) challenge(id string) wireChallenge {
	i := slices.IndexFunc(s.challenges, func(c wireChallenge) bool { return c.ID == id })
	return s.challenges[i]
}
