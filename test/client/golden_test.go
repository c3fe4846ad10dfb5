package client_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestGolden calls each operation that returns a resource, at a sandbox, and compares what it
// returns with what the sandbox sent: every member must survive decoding and encoding.
func TestGolden(t *testing.T) {
	t.Parallel()
	c := sandbox.Start(t).Client()
	shapes := shapes(t)
	for _, o := range operations.All() {
		t.Run(o.Name, func(t *testing.T) {
			checked := 0
			for _, ids := range append([][]string{o.IDs}, o.OtherIDs...) {
				var raw hiring.Response
				result, err := o.Call(hiring.WithResponse(t.Context(), &raw), c, ids)
				require.NoError(t, err)
				if _, document := result.(json.RawMessage); result == nil || document {
					return // A call such as Assessments.Delete returns no resource.
				}
				shape, ok := shapes[o.Route]
				require.True(t, ok, "%s returns %T: add the schema of its data to sandbox/openapi.json", o.Name, result)
				got := reflect.ValueOf(result)
				sent := []json.RawMessage{dataOf(t, raw.Body)}
				if page := got.FieldByName("Items"); page.IsValid() {
					require.NoError(t, json.Unmarshal(sent[0], &sent))
					got = page
				} else {
					one := reflect.MakeSlice(reflect.SliceOf(got.Type()), 0, 1)
					got = reflect.Append(one, got)
				}
				require.Len(t, sent, got.Len())
				for i, item := range sent {
					golden(t, shape, item, got.Index(i), i%10 == 0)
					checked++
				}
			}
			require.Positive(t, checked, "%s returns nothing for the sample data: add some to sandbox/internal/world/sample.json", o.Name)
		})
	}
}

// The busy log has unusual entries.
func TestGoldenBusyLog(t *testing.T) {
	c := sandbox.Start(t).Client()
	events, err := c.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, events, 2400)
	var surrogates, long int
	for i, e := range events {
		require.True(t, i == 0 || e.Seq > events[i-1].Seq)
		if bytes.Contains(e.Payload, []byte(`\ud800`)) || bytes.Contains(e.Payload, []byte("\ufffd")) {
			surrogates++
			prompt, ok := e.AIPrompt()
			require.True(t, ok)
			require.Equal(t, "cut in the middle of an emoji \ufffd", prompt.Text)
		}
		if len(e.Payload) > 100<<10 {
			long++
		}
	}
	assert.Positive(t, surrogates)
	assert.Equal(t, 1, long)
	assert.Equal(t, hiring.EventAttemptStarted, events[0].Kind)
	assert.JSONEq(t, `{}`, string(events[0].Payload))
}
