package limits_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

func TestSilenceEndsAfterTimeWithoutData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := 0
		silence := limits.NewSilence(time.Minute, func() { ended++ })
		for range 3 {
			time.Sleep(time.Minute - 1)
			silence.Begin()
		}
		synctest.Wait()
		assert.Zero(t, ended, "something always came")
		silence.Stop()
		time.Sleep(time.Hour)
		assert.Zero(t, ended, "nothing is waited for")
		silence.Begin()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 1, ended)
	})
}

func TestNoLimitIsNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silence := limits.NewSilence(0, func() { t.Error("ended") })
		silence.Begin()
		time.Sleep(24 * time.Hour)
		silence.Stop()
	})
}
