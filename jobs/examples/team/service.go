package main

import (
	"os"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// service is where candidates are.
type service struct {
	client   *hiring.Client
	watch    hiring.WatchOptions
	url, key string

	fake       *sandbox.Server // Nil when the service was given.
	assessment string          // Of the fake one.
}

// newService takes what the environment says, or else a fake service whose
// candidates are through in seconds.
func newService(every time.Duration) (*service, error) {
	s := &service{
		url: os.Getenv("HIRING_BASE_URL"), key: os.Getenv("HIRING_API_KEY"),
		watch: hiring.WatchOptions{MinInterval: every / 2, MaxInterval: every},
	}
	if s.url == "" && s.key == "" {
		s.fake = sandbox.New(
			sandbox.WithQuota(100_000, 100_000),
			sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: 2 * time.Second, Evaluate: time.Second}),
		)
		s.assessment = s.fake.AddAssessment("Backend engineer")
		s.url, s.key = s.fake.URL(), sandbox.LiveKey
		s.watch.MinInterval, s.watch.MaxInterval = time.Second, 2*time.Second
	}
	var err error
	s.client, err = hiring.New(s.url, s.key)
	return s, err
}

func (s *service) close() {
	if s.fake != nil {
		s.fake.Close()
	}
}
