package client_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
)

// misuseText returns the text of a panic in f, or "".
func misuseText(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

func drain[T any](all iter.Seq2[T, error]) {
	for _, err := range all {
		_ = err
		return
	}
}

// moreCalls are the calls that are not in operations.
func moreCalls() map[string]func(context.Context, *hiring.Client) {
	one := hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"}
	return map[string]func(context.Context, *hiring.Client){
		"Invitations.Ensure": func(ctx context.Context, c *hiring.Client) { _, _ = c.Invitations.Ensure(ctx, "a1", one) },
		"Invitations.EnsureAll": func(ctx context.Context, c *hiring.Client) {
			_ = c.Invitations.EnsureAll(ctx, "a1", func(yield func(hiring.NewInvitation) bool) { yield(one) }, hiring.EnsureAllOptions{})
		},
		"Submissions.FindByEmail": func(ctx context.Context, c *hiring.Client) { _, _ = c.Submissions.FindByEmail(ctx, "a1", one.Email) },
		"Submissions.DownloadArchive": func(ctx context.Context, c *hiring.Client) {
			_, _ = c.Submissions.DownloadArchive(ctx, "s1", io.Discard)
		},
		"Submissions.WaitReport": func(ctx context.Context, c *hiring.Client) {
			_, _ = c.Submissions.WaitReport(ctx, "s1", hiring.WaitOptions{})
		},
		"Submissions.WaitReports": func(ctx context.Context, c *hiring.Client) {
			drain(c.Submissions.WaitReports(ctx, []string{"s1"}, hiring.WaitOptions{}))
		},
		"Submissions.Watch": func(ctx context.Context, c *hiring.Client) { drain(c.Submissions.Watch(ctx, hiring.WatchOptions{})) },
		"Submissions.Poll":  func(ctx context.Context, c *hiring.Client) { _, _ = c.Submissions.Poll(ctx, "", hiring.WatchOptions{}) },
		"Events.Tail":       func(ctx context.Context, c *hiring.Client) { drain(c.Events.Tail(ctx, "s1", hiring.TailOptions{})) },
		"Pager.All":         func(ctx context.Context, c *hiring.Client) { drain(c.Members.List().All(ctx)) },
		"Pager.Pages":       func(ctx context.Context, c *hiring.Client) { drain(c.Members.List().Pages(ctx)) },
		"Pager.Page":        func(ctx context.Context, c *hiring.Client) { _, _ = c.Members.List().Page(ctx) },
	}
}

func allCalls() map[string]func(context.Context, *hiring.Client) {
	all := moreCalls()
	for _, op := range operations.AllWithDo() {
		all[op.Name] = func(ctx context.Context, c *hiring.Client) { _ = op.Do(ctx, c, op.IDs) }
	}
	return all
}

func TestNilContextIsNamed(t *testing.T) {
	var none context.Context
	for name, call := range allCalls() {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
		assert.Contains(t, misuseText(func() { call(none, fake.Client()) }), "hiring: nil context", name)
		assert.Empty(t, fake.Requests(), name)
	}
	assert.Contains(t, misuseText(func() { _, _ = hiring.PagerOf(1).Collect(none) }), "hiring: nil context")
	assert.Contains(t, misuseText(func() { hiring.WithResponse(none, nil) }), "nil parent")
}

// Users build errors and resources in tests, and leave out what they do not need.
func TestMethodsOfZeroValuesDoNotPanic(t *testing.T) {
	for _, v := range []any{
		new(hiring.Error), new(hiring.ItemError), new(hiring.WaitError), new(hiring.ParamError), (*hiring.Error)(nil),
		new(hiring.Report), (*hiring.Report)(nil), new(hiring.Pillar), new(hiring.Event), new(hiring.Account), new(hiring.RateLimit), new(hiring.RawValue),
		new(hiring.NewInvitation), new(hiring.Dialect), new(hiring.Client),
	} {
		of := reflect.ValueOf(v)
		for i := range of.NumMethod() {
			method, name := of.Method(i), of.Type().Method(i).Name
			client := name == "Quota" || name == "Environment"                                   // A client without New panics with its name.
			if method.Type().NumIn() == 0 && !client && (!of.IsNil() || name != "MarshalJSON") { // encoding/json calls none of nil.
				assert.NotPanics(t, func() { method.Call(nil) }, "%T.%s", v, name)
			}
		}
	}
	assert.Equal(t, "hiring: the submission x cannot be decoded", (&hiring.ItemError{ID: "x"}).Error())
}

func TestZeroClientsAndServicesPanicWithTheirName(t *testing.T) {
	zero := new(hiring.Client)
	for _, service := range reflect.ValueOf(zero).Elem().Fields() {
		if service.CanSet() {
			service.Set(reflect.New(service.Type().Elem()))
		}
	}
	calls := allCalls()
	calls["With"] = func(_ context.Context, c *hiring.Client) { _, _ = c.With() }
	calls["Environment"] = func(_ context.Context, c *hiring.Client) { c.Environment() }
	calls["Quota"] = func(_ context.Context, c *hiring.Client) { c.Quota() }
	for name, call := range calls {
		for what, client := range map[string]*hiring.Client{"zero client": {}, "zero services": zero} {
			assert.Contains(t, misuseText(func() { call(t.Context(), client) }), "hiring: the client was not made by New", "%s of a %s", name, what)
		}
	}
	var none *hiring.Client
	for name, call := range map[string]func(){
		"With": func() { _, _ = none.With() }, "Environment": func() { none.Environment() }, "Quota": func() { none.Quota() },
		"OpenAPI": func() { _, _ = none.OpenAPI(t.Context()) }, "Do": func() { _, _ = none.Do(t.Context(), "GET", "/x", nil, nil, nil) },
	} {
		assert.Contains(t, misuseText(call), "hiring: the client was not made by New", "%s of a nil client", name)
	}
}
