package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// isID matches an id of the API.
var isID = regexp.MustCompile(`^(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// A command that reads takes the unique beginning or part of a name. A command that writes does not:
// when the assessment that the user means was deleted, the part may be that of another.
const (
	assessmentHelp        = "the id or the `name` of the assessment, or a unique part of one"
	changedAssessmentHelp = "the id or the whole `name` of the assessment"
)

// leastPart is how many bytes a part of a name has at least: three letters, or one of a script such as Chinese.
const leastPart = 3

// maxMatches is how many matches an error names.
const maxMatches = 10

// thing is an item of a list that the user names.
type thing struct {
	id, name, slug, about string

	owner string // The key of the candidate's address, whose first thing in the list is meant.
}

// thingList returns a list of the API as things.
type thingList func(context.Context, *hiring.Client) iter.Seq2[thing, error]

// thingsOf returns a list as things.
func thingsOf[T any](ctx context.Context, list hiring.Pager[T], thingOf func(T) thing) iter.Seq2[thing, error] {
	return func(yield func(thing, error) bool) {
		for item, err := range list.All(ctx) {
			if !yield(thingOf(item), err) {
				return
			}
		}
	}
}

// cutID matches an id that a narrow table has shortened, and the beginning of one.
var cutID = regexp.MustCompile(`^(?i)[0-9a-f-]{4,35}(…|\.\.\.)?$`)

// idInPath matches an id or an address at the end of a path, as in submission/5b… of other programs and in the address of a
// page, or before a last word such as report. An id may have a prefix, as in sub_5b….
var idInPath = regexp.MustCompile(`^(?i)(?:.*[/_:=]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|.*/([^/\s]+@[^/\s]+))\b`)

// copied returns the id in a path, or the address in mailto:… and in Ada <…>, or else what was given.
func copied(given string) string {
	if id := idInPath.FindStringSubmatch(given); id != nil {
		return id[1] + id[2]
	}
	if _, address, ok := strings.Cut(strings.TrimSuffix(given, ">"), "<"); ok && strings.Contains(address, "@") {
		return address
	}
	return strings.TrimPrefix(given, "mailto:")
}

// folded returns a name without the differences that do not matter: letter case, accents and Unicode normal forms.
func folded(name string) string {
	return strings.ToLower(runes.Remove(runes.In(unicode.Mn)).String(norm.NFD.String(strings.Join(strings.Fields(name), " "))))
}

// idOf returns the id of the thing that the user names by its id, its name, its slug or its
// owner's address, or if parts is set by a part of one that is of one thing, whose name it then prints. An id costs no
// request, and anything else costs a listing.
func (a *app) idOf(given, kind string, parts bool, all iter.Seq2[thing, error]) (string, error) {
	if given = copied(given); given == "" || isID.MatchString(given) {
		return given, nil
	}
	if folded(strings.TrimSuffix(given, "…")) == "" {
		return "", usagef("The %s is empty", kind)
	}
	matches, whole, err := search(given, all)
	if err != nil {
		return "", err
	}
	missing := causedError{fmt.Errorf("There is no %s %s", kind, output.Clean(given)), hiring.ErrNotFound}
	switch {
	case matches == nil:
		return "", adviceError{missing, "Give one name or id: hiring " + kind + "s list --all shows them"}
	case !whole && !parts:
		return "", adviceError{missing, "This command takes an id or a whole name. Similar: " + described(matches)}
	case len(matches) > 1:
		return "", adviceError{usagef("%d %ss match %s", len(matches), kind, output.Clean(given)), "Give the id of one: " + described(matches)}
	}
	if !whole {
		a.say(strings.ToUpper(kind[:1]) + kind[1:] + ": " + output.Clean(matches[0].name))
	}
	return matches[0].id, nil
}

// search returns the things that match best what the user names, and whether they match it as a whole: else
// it is the beginning of their ids or a part of their names. Of an owner's things the first counts, and the others
// only by their ids.
func search(given string, all iter.Seq2[thing, error]) (found []thing, whole bool, err error) {
	wanted := folded(strings.TrimSuffix(given, "…")) // As a table shortens it.
	owners := make(map[string]bool)
	part := regexp.MustCompile(`(?:^|[^\pL\pN])` + regexp.QuoteMeta(wanted)) // From the beginning of a word.
	var named, parts []thing
	for item, err := range all {
		names := []string{folded(item.id), folded(item.name), folded(item.slug)}
		if owners[item.owner] {
			names = names[:1]
		}
		owners[item.owner] = item.owner != ""
		switch {
		case err != nil:
			return nil, false, err
		case item.owner != "" && item.owner == hiring.AddressKey(given):
			return []thing{item}, true, nil
		case slices.Contains(names, wanted):
			named = append(named, item)
		case len(wanted) < leastPart:
		case strings.HasPrefix(names[0], wanted), slices.ContainsFunc(names[1:], part.MatchString):
			parts = append(parts, item)
		}
	}
	if named != nil {
		return named, true, nil
	}
	return parts, false, nil
}

// described names at most maxMatches things.
func described(things []thing) string {
	var all []string
	for _, one := range things[:min(len(things), maxMatches)] {
		all = append(all, fmt.Sprintf("%s (%s, %s)", one.name, one.about, one.id))
	}
	if more := len(things) - maxMatches; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

func assessments(ctx context.Context, client *hiring.Client) iter.Seq2[thing, error] {
	return thingsOf(ctx, client.Assessments.List(), func(a hiring.Assessment) thing { return thing{id: a.ID, name: a.Name, about: string(a.Status)} })
}

func (a *app) assessmentID(ctx context.Context, client *hiring.Client, given string) (string, error) {
	return a.idOf(given, "assessment", true, assessments(ctx, client))
}

// changedAssessmentID is assessmentID for a command that writes.
func (a *app) changedAssessmentID(ctx context.Context, client *hiring.Client, given string) (string, error) {
	return a.idOf(given, "assessment", false, assessments(ctx, client))
}

func challenges(ctx context.Context, client *hiring.Client) iter.Seq2[thing, error] {
	return thingsOf(ctx, client.Challenges.List(), func(c hiring.Challenge) thing {
		return thing{id: c.ID, name: c.Name, slug: c.Slug, about: c.Difficulty}
	})
}

func (a *app) challengeID(ctx context.Context, client *hiring.Client, given string) (string, error) {
	return a.idOf(given, "challenge", true, challenges(ctx, client))
}

// notStarted is the advice when an address has no submission.
const notStarted = "The candidate may not have started yet: hiring invitations list -a <assessment> shows the invitations, and hiring watch " +
	"writes each result when there is one"

// searched is how many submissions are searched for what is not an id.
const searched = 1000

// submissionID returns the id of the submission that the user names.
func (a *app) submissionID(ctx context.Context, client *hiring.Client, given string) (string, error) {
	return a.submissionOf(ctx, client, "", given)
}

// submissionOf is submissionID for the submissions of an assessment, however many it has.
func (a *app) submissionOf(ctx context.Context, client *hiring.Client, assessment, given string) (string, error) {
	read := 0
	submissions := thingsOf(ctx, client.Submissions.List(hiring.SubmissionFilter{AssessmentID: assessment}), func(s hiring.Submission) thing {
		return thing{id: s.ID, name: s.Candidate.Name, slug: s.Candidate.Email, about: s.Candidate.Email, owner: hiring.AddressKey(s.Candidate.Email)}
	})
	id, err := a.idOf(given, "submission", true, func(yield func(thing, error) bool) {
		for one, err := range submissions {
			if read++; !yield(one, err) || read == searched && assessment == "" {
				return
			}
		}
	})
	switch _, advised := errors.AsType[adviceError](err); {
	case advised && read == searched && assessment == "" && errors.Is(err, hiring.ErrNotFound):
		err = adviceError{causedError{fmt.Errorf("There is no %s among the newest 1,000 submissions", output.Clean(given)), hiring.ErrNotFound},
			"hiring submissions find <email> --assessment <assessment> looks at all submissions of an assessment"}
	case advised && candidates.AddressProblem(given) == "" && errors.Is(err, hiring.ErrNotFound):
		err = adviceError{err, notStarted}
	}
	return id, err
}

// assessmentFlag adds the required flag --assessment.
func (a *app) assessmentFlag(c *cobra.Command, usage string) *string {
	assessment := a.assessmentFilter(c, usage+" (required)")
	c.PreRunE = func(_ *cobra.Command, given []string) error {
		id := slices.IndexFunc(given, isID.MatchString)
		switch {
		case *assessment != "":
			return nil
		case id >= 0:
			return adviceError{usagef("--assessment is missing"), "Give the id with the flag: -a " + given[id]}
		}
		return adviceError{usagef("--assessment is missing"), "hiring assessments list shows the names and ids"}
	}
	return assessment
}

// assessmentFilter adds the flag --assessment with completion.
func (a *app) assessmentFilter(c *cobra.Command, usage string) *string {
	assessment := c.Flags().StringP("assessment", "a", "", usage)
	_ = c.RegisterFlagCompletionFunc("assessment", func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.complete(assessments)(c, nil, begun)
	})
	return assessment
}

// invitationsOf returns the invitations of an assessment, or of all assessments: the API has no route
// from an invitation to its assessment.
func invitationsOf(ctx context.Context, client *hiring.Client, assessment string) iter.Seq2[hiring.Invitation, error] {
	assessments := client.Assessments.List()
	if assessment != "" {
		assessments = hiring.PagerOf(hiring.Assessment{ID: assessment})
	}
	return func(yield func(hiring.Invitation, error) bool) {
		for in, err := range assessments.All(ctx) {
			if err != nil {
				yield(hiring.Invitation{}, err)
				return
			}
			for i, err := range client.Invitations.List(in.ID).All(ctx) {
				i.AssessmentID = in.ID
				if !yield(i, err) || err != nil {
					return
				}
			}
		}
	}
}

// findInvitation returns an invitation to change, which the user names by its id, or by the
// candidate's address with the flag: the newest one. Of an id with the flag nothing else is known,
// unless the user is asked and must see the candidate.
func (a *app) findInvitation(ctx context.Context, client *hiring.Client, assessment, given string) (found hiring.Invitation, err error) {
	if given = copied(given); cutID.MatchString(given) {
		return found, adviceError{usagef("The id %s is cut", output.Clean(given)),
			"This command takes a whole id, as --columns id shows it, or with --assessment the candidate's address"}
	}
	of, err := a.changedAssessmentID(ctx, client, assessment)
	byAddress := strings.Contains(given, "@")
	switch {
	case err != nil || of != "" && !byAddress && !a.asks(client):
		return hiring.Invitation{ID: given, AssessmentID: of}, err
	case of == "" && byAddress:
		return found, adviceError{usagef("--assessment is missing"), "A candidate may have invitations of several assessments: hiring invitations find <email> lists them"}
	}
	for i, err := range invitationsOf(ctx, client, of) {
		if err != nil {
			return found, err
		}
		if strings.EqualFold(i.ID, given) || byAddress && hiring.AddressKey(i.CandidateEmail) == hiring.AddressKey(given) {
			return i, nil
		}
	}
	return found, adviceError{causedError{fmt.Errorf("There is no invitation %s", output.Clean(given)), hiring.ErrNotFound},
		"hiring invitations list -a <assessment> shows the ids"}
}
