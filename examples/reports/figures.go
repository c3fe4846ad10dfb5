package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// figures are what the report says, before it is drawn.
type figures struct {
	Total, Evaluated int
	Unfinished       []count // By status.
	Scores           spread  // Ship scores.
	Bins             []bin
	Areas            []area
	Confidence       []count
	People           []person
}

// count is how many have something in common.
type count struct {
	Label string
	N     int
}

// spread is the distribution of scores. Omitted ones are counted: a
// score that is null or rests on thin evidence is neither 0 nor part of a median.
type spread struct {
	Median, Lower, Upper int // Lower and Upper: half of the scores lie between them.
	Scored               int // What these are of; 0: there is nothing to say.
	None, Thin           int // Left out: without a score; with one that rests on thin evidence.
}

// LeftOut is how many are not in the median.
func (s spread) LeftOut() int { return s.None + s.Thin }

// bin is a range of ship scores.
type bin struct {
	Label      string
	Sure, Thin int
}

// area is one of the scored areas, over all candidates.
type area struct {
	id hiring.PillarID

	Label string
	spread
}

// person is a row of the table.
type person struct {
	Name       string
	Score      string
	Thin       bool // The score rests on thin evidence.
	Verdict    string
	Confidence string
	Areas      []string // In the order of figures.Areas.
	Flagged    bool

	class int // 0: with a score; 1: with one that rests on thin evidence; 2: without.
	score int
}

// stage is how far one without a report is.
func stage(s hiring.Submission) string {
	if s.Status == hiring.SubmissionEvaluated {
		return "evaluated, without a report yet"
	}
	return string(s.Status)
}

const noData = "not enough data"

// figuresOf counts.
func figuresOf(submissions []hiring.Submission) figures {
	f := figures{Total: len(submissions)}
	var evaluated []hiring.Submission
	unfinished := make(map[string]int)
	for _, s := range submissions {
		if s.Report.Ready() {
			evaluated = append(evaluated, s)
		} else {
			unfinished[stage(s)]++
		}
	}
	f.Evaluated = len(evaluated)
	f.Unfinished = counts(unfinished, nil)
	f.Scores, f.Bins = scores(evaluated)
	f.Areas = areas(evaluated)
	f.Confidence = confidence(evaluated)
	for _, s := range evaluated {
		f.People = append(f.People, row(s, f.Areas))
	}
	slices.SortStableFunc(f.People, func(a, b person) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.score, a.score), cmp.Compare(a.Name, b.Name))
	})
	return f
}

// thin reports whether the score rests on thin evidence.
func thin(r *hiring.Report) bool { return r.Confidence == hiring.ConfidenceLow }

// scores sorts ship scores into bins of ten.
func scores(evaluated []hiring.Submission) (spread, []bin) {
	bins := make([]bin, 10)
	for i := range bins {
		bins[i].Label = fmt.Sprintf("%d–%d", 10*i, 10*i+9)
	}
	bins[0].Label, bins[9].Label = "under 10", "90 and up" // No range of scores is documented.
	var sure []int
	var out spread
	for _, s := range evaluated {
		score, ok := s.Report.Score()
		at := min(max(score/10, 0), 9)
		switch {
		case !ok:
			out.None++
		case thin(s.Report):
			out.Thin++
			bins[at].Thin++
		default:
			sure = append(sure, score)
			bins[at].Sure++
		}
	}
	return out.of(sure), bins
}

// areas looks at each scored area: the documented ones first, then what else came.
func areas(evaluated []hiring.Submission) []area {
	all := []area{{id: hiring.PillarCorrectness}, {id: hiring.PillarCraft}, {id: hiring.PillarAIFluency}, {id: hiring.PillarRigor}}
	for _, s := range evaluated {
		for _, p := range s.Report.Pillars {
			at := slices.IndexFunc(all, func(a area) bool { return a.id == p.ID })
			if at < 0 {
				at, all = len(all), append(all, area{id: p.ID})
			}
			all[at].Label = cmp.Or(all[at].Label, p.Label)
		}
	}
	for i := range all {
		all[i].Label = cmp.Or(all[i].Label, string(all[i].id))
		all[i].spread = ofArea(evaluated, all[i].id)
	}
	return all
}

func ofArea(evaluated []hiring.Submission, id hiring.PillarID) (out spread) {
	var sure []int
	for _, s := range evaluated {
		pillar, _ := s.Report.Pillar(id)
		score, ok := pillar.ReliableScore()
		switch {
		case ok:
			sure = append(sure, score)
		case pillar.Score != nil:
			out.Thin++
		default:
			out.None++
		}
	}
	return out.of(sure)
}

// of computes the distribution of scores.
func (s spread) of(sure []int) spread {
	s.Scored = len(sure)
	if s.Scored > 0 {
		slices.Sort(sure)
		s.Lower, s.Median, s.Upper = quantile(sure, 1), quantile(sure, 2), quantile(sure, 3)
	}
	return s
}

// quantile returns the smallest score that at least the given number of quarters of the
// sorted scores do not exceed.
func quantile(sorted []int, quarters int) int {
	return sorted[(len(sorted)*quarters+3)/4-1]
}

func confidence(evaluated []hiring.Submission) []count {
	n := make(map[string]int)
	for _, s := range evaluated {
		n[cmp.Or(string(s.Report.Confidence), "not said")]++
	}
	return counts(n, []string{"high", "medium", "low"})
}

// counts are in the order given, then by name: the values are open sets.
func counts(n map[string]int, order []string) (all []count) {
	for label, n := range n {
		all = append(all, count{label, n})
	}
	place := func(c count) int {
		if at := slices.Index(order, c.Label); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortFunc(all, func(a, b count) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a.Label, b.Label))
	})
	return all
}

// row is a candidate's line.
func row(s hiring.Submission, areas []area) person {
	p := person{
		Name: s.Candidate.Name, Score: noData, Verdict: s.Report.VerdictLabel, Confidence: string(s.Report.Confidence),
		Flagged: s.Report.IntegrityStatus == hiring.IntegrityFlagged, class: 2,
	}
	if score, ok := s.Report.Score(); ok {
		p.Score, p.Thin, p.score, p.class = fmt.Sprint(score), thin(s.Report), score, 0
		if p.Thin {
			p.class = 1
		}
	}
	for _, a := range areas {
		text := noData
		pillar, _ := s.Report.Pillar(a.id)
		if score, ok := pillar.ReliableScore(); ok {
			text = fmt.Sprint(score)
		}
		p.Areas = append(p.Areas, text)
	}
	return p
}
