package console

import (
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/backstage"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// stage is what the page sees of a server beyond its exported methods. Package
// sandbox says what each of them does.
type stage interface {
	Watch() (anyHost bool)
	News() <-chan struct{}
	State() backstage.State
	Reset()
	Advance(d time.Duration) error

	Page(before, size int, keep func(sandbox.Entry) bool) (page []sandbox.Entry, more bool)
	Each(tell func(at time.Time, class sandbox.Class, status int, d *sandbox.Detail))

	World(look func(l *world.Live, now time.Time))
	Report(a *world.Attempt) []byte
	AddAssessment(organization, name, challengeID string) (id string, err error)

	Keys() []backstage.Key
	Token(id string) (token string, ok bool)
	SetQuota(token string, class sandbox.Class, remaining int) error
	SetPlan(token string, used, limit int) error

	Inject(f sandbox.Fault) error
	Faults(tell func(id int, f sandbox.Fault, fired bool))
	ClearFault(id int)
}
