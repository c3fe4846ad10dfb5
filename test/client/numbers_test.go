package client_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

var wholeNumbers = map[string]int64{
	"1.0": 1, "1e2": 100, "1E2": 100, "1e+2": 100, "-1.0": -1, "-0.0": 0, "0e5": 0, "0.000": 0, "100e-2": 1, "1.50e1": 15, "12.300e3": 12300,
	"9223372036854775807.0": 9223372036854775807, "-9.223372036854775808e18": -9223372036854775808, "0e99999999999999999999": 0,
	"1" + strings.Repeat("0", 900) + "e-900": 1,
}

var notWhole = []string{
	"1.5", "1e-1", "9223372036854775808.0", "1e19", "-9223372036854775809.0", "1e99999999999999999999", "1e-99999999999999999999", "1e400000000",
	"1." + strings.Repeat("0", 5000), "1.", "1e", "1.e2", ".5", "01.0", "+1.0",
}

// Some languages encode every number with a fraction, and large ones with an exponent.
func TestWholeNumbersMayHaveAFractionOrAnExponent(t *testing.T) {
	for text, want := range wholeNumbers {
		if want >= 0 { // A log has no entries below 0.
			events, err := apitest.NewScriptedServer(t, apitest.RespondData(`[{"seq":`+text+`,"kind":"x","ts_ms":`+text+`}]`, apitest.RequestIDHeader)).Client().Events.List(apitest.ID, hiring.EventFilter{}).PageSize(7).Page(t.Context())
			require.NoError(t, err, text)
			assert.Equal(t, want, events.Items[0].Seq, text)
			assert.Equal(t, want, events.Items[0].TimestampMS, text)
		}
		report, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"submission_id":"x","ship_score":`+text+`,"facts":{"ai_exchange_count":`+text+`}}`, apitest.RequestIDHeader)).Client().Submissions.Report(t.Context(), "x")
		require.NoError(t, err, text)
		require.NotNil(t, report.ShipScore, text)
		assert.Equal(t, [2]int64{want, want}, [2]int64{int64(*report.ShipScore), int64(report.Facts.AIExchangeCount)}, text)

		var decoded hiring.Report
		require.NoError(t, json.Unmarshal([]byte(`{"ship_score":`+text+`}`), &decoded), text)
		assert.Equal(t, want, int64(*decoded.ShipScore), "%s by encoding/json", text)
		var out struct{ N int64 }
		_, err = apitest.NewScriptedServer(t, apitest.RespondData(`{"n":`+text+`}`, apitest.RequestIDHeader)).Client().Do(t.Context(), "GET", "/x", nil, nil, &out)
		require.NoError(t, err, text)
		assert.Equal(t, want, out.N, "%s by Do", text)
	}
	for _, text := range notWhole {
		_, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"submission_id":"x","ship_score":`+text+`}`, apitest.RequestIDHeader)).Client(apitest.NoRetry).Submissions.Report(t.Context(), "x")
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), "cannot be decoded: /data", text)
		var decoded hiring.Report
		require.Error(t, json.Unmarshal([]byte(`{"ship_score":`+text+`}`), &decoded), text)
	}
}

func TestMetaMayHaveNumbersWithAFraction(t *testing.T) {
	page, err := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[{"id":"1"}],"meta":{"page":1.0,"page_size":1e2,"total":1.0,"has_more":false}}`, apitest.RequestIDHeader)).Client().
		Invitations.List(apitest.ID).Page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, hiring.Meta{Page: 1, PageSize: 100, Total: 1}, page.Meta)
}

func TestLeapSecondsAreAccepted(t *testing.T) {
	midnight := time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2016-12-31T23:59:60Z":      midnight,
		"2016-12-31T23:59:60.000Z":  midnight,
		"2016-12-31T23:59:60.25Z":   midnight.Add(250 * time.Millisecond),
		"2017-01-01T01:59:60+02:00": midnight,
		"2026-03-01T12:00:60Z":      time.Date(2026, 3, 1, 12, 1, 0, 0, time.UTC),
		"2016-12-31T23:59:59Z":      midnight.Add(-time.Second),
	} {
		account, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","created_at":"`+text+`"}`, apitest.RequestIDHeader)).Client().Account.Get(t.Context())
		require.NoError(t, err, text)
		assert.True(t, want.Equal(account.CreatedAt), "%s: %s", text, account.CreatedAt)
		var decoded hiring.Account
		require.NoError(t, json.Unmarshal([]byte(`{"created_at":"`+text+`"}`), &decoded), text)
		assert.True(t, want.Equal(decoded.CreatedAt), "%s by encoding/json: %s", text, decoded.CreatedAt)
	}
	for _, text := range []string{"2016-12-31T23:59:61Z", "2016-12-31T23:60:60Z", "2016-12-31T24:00:60Z", "2016-02-30T23:59:60Z", "x:60", ":60", "2016-12-31T23:59:60", "9999-12-31T23:59:60Z"} {
		_, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","created_at":"`+text+`"}`, apitest.RequestIDHeader)).Client(apitest.NoRetry).Account.Get(t.Context())
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), "/data/created_at has a string instead of a time", text)
		var decoded hiring.Account
		require.Error(t, json.Unmarshal([]byte(`{"created_at":"`+text+`"}`), &decoded), text)
	}
}

// The offsets of RFC 3339 end at 23:59. The time is clear, and its resource can be encoded.
func TestTimesWithAnOffsetOfADayCanBeEncoded(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01T12:00:00+24:00":     "2026-02-28T12:00:00.000Z",
		"2026-03-01T12:00:00.5-24:00":   "2026-03-02T12:00:00.500Z",
		"2026-03-01T12:00:00.000+23:59": "2026-03-01T12:00:00.000+23:59",
	} {
		account, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","created_at":"`+text+`"}`, apitest.RequestIDHeader)).Client().Account.Get(t.Context())
		require.NoError(t, err, text)
		encoded, err := json.Marshal(account)
		require.NoError(t, err, text)
		assert.Contains(t, string(encoded), `"created_at":"`+want+`"`, text)
	}
	for _, text := range []string{"0000-01-01T00:00:00+24:00", "9999-12-31T23:59:59-24:00"} {
		_, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","created_at":"`+text+`"}`, apitest.RequestIDHeader)).Client(apitest.NoRetry).Account.Get(t.Context())
		require.ErrorContains(t, err, "/data/created_at has a string instead of a time", text)
	}
}
