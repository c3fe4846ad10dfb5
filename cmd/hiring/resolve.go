package main

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// isID matches an id of the API.
var isID = regexp.MustCompile(`^(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// assessmentHelp describes the flag and the argument.
const assessmentHelp = "the id or the `name` of the assessment, or the unique beginning of one"

// thing is an item of a list that the user names.
type thing struct{ id, name, about string }

// idOf returns the id of the thing that the user names by its id, its name or the unique
// beginning of one. An id costs no request, and anything else costs a listing.
func idOf[T any](given, kind string, all iter.Seq2[T, error], thingOf func(T) thing) (string, error) {
	if given == "" || isID.MatchString(given) {
		return given, nil
	}
	wanted := strings.ToLower(strings.TrimSpace(given))
	if wanted == "" {
		return "", usagef("The %s is empty", kind)
	}
	var named, begun []thing
	for listed, err := range all {
		item := thingOf(listed)
		name := strings.ToLower(item.name)
		switch {
		case err != nil:
			return "", err
		case item.id == given:
			return given, nil
		case name == wanted:
			named = append(named, item)
		case strings.HasPrefix(name, wanted), strings.HasPrefix(strings.ToLower(item.id), wanted):
			begun = append(begun, item)
		}
	}
	if named != nil {
		begun = named
	}
	switch len(begun) {
	case 0:
		return "", adviceError{causedError{fmt.Errorf("There is no %s %s", kind, output.Clean(given)), hiring.ErrNotFound},
			"hiring " + kind + "s list shows the names and ids"}
	case 1:
		return begun[0].id, nil
	}
	var matches []string
	for _, match := range begun[:min(len(begun), maxNumbers)] {
		matches = append(matches, fmt.Sprintf("%s (%s, %s)", match.name, match.about, match.id))
	}
	return "", adviceError{usagef("%d %ss match %s", len(begun), kind, output.Clean(given)), "Give the id or the whole name: " + strings.Join(matches, "; ")}
}

func assessmentID(ctx context.Context, client *hiring.Client, given string) (string, error) {
	return idOf(given, "assessment", client.Assessments.List().All(ctx), func(a hiring.Assessment) thing {
		return thing{a.ID, a.Name, string(a.Status)}
	})
}

func challengeID(ctx context.Context, client *hiring.Client, given string) (string, error) {
	return idOf(given, "challenge", client.Challenges.List().All(ctx), func(c hiring.Challenge) thing {
		return thing{c.ID, c.Name, c.Difficulty}
	})
}

// assessmentRef is the value of the flag --assessment.
type assessmentRef struct{ given *string }

// id returns the id that the flag names, or "".
func (r assessmentRef) id(ctx context.Context, client *hiring.Client) (string, error) {
	return assessmentID(ctx, client, *r.given)
}

// assessmentFlag adds the required flag --assessment.
func (a *app) assessmentFlag(c *cobra.Command) assessmentRef {
	ref := a.assessmentFilter(c, assessmentHelp+" (required)")
	c.PreRunE = func(*cobra.Command, []string) error {
		if *ref.given == "" {
			return adviceError{usagef("--assessment is missing"), "hiring assessments list shows the names and ids"}
		}
		return nil
	}
	return ref
}

// assessmentFilter adds the flag --assessment with completion.
func (a *app) assessmentFilter(c *cobra.Command, usage string) assessmentRef {
	ref := assessmentRef{c.Flags().StringP("assessment", "a", "", usage)}
	_ = c.RegisterFlagCompletionFunc("assessment", func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.complete(assessmentIDs)(c, nil, begun)
	})
	return ref
}

// invitationsAssessment returns the assessment of an invitation: that of the flag, or else
// the one whose listing has the invitation. The API has no route from one to the other.
func invitationsAssessment(ctx context.Context, client *hiring.Client, ref assessmentRef, invitationID string) (string, error) {
	if *ref.given != "" {
		return ref.id(ctx, client)
	}
	for assessment, err := range client.Assessments.List().All(ctx) {
		if err != nil {
			return "", err
		}
		for invitation, err := range client.Invitations.List(assessment.ID).All(ctx) {
			if err != nil {
				return "", err
			}
			if strings.EqualFold(invitation.ID, invitationID) {
				return assessment.ID, nil
			}
		}
	}
	return "", adviceError{causedError{fmt.Errorf("No assessment has an invitation %s", output.Clean(invitationID)), hiring.ErrNotFound},
		"hiring invitations list -a <assessment> shows the ids"}
}
