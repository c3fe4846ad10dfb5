package console

import (
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/oldpage"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Paths of the page. They are outside the paths of the control API.
const (
	homePath    = "/_sandbox/"
	consolePath = "/_sandbox/console"
)

// console is the page of one server.
type console struct {
	server pageServer
	token  string // Sent with each form, against requests of other sites.
}

// pageServer is what the page uses of a server.
type pageServer interface {
	http.Handler
	AddAssessment(organization, name, challengeID string) (string, error)
	AddKey(sandbox.Key) error
	Advance(time.Duration) error
	AnyHost() bool
	AppendEvents(submissionID, kind string, payloads ...string) error
	Begin(invitationID string) (string, error)
	Changes() <-chan struct{}
	ClearFault(id int)
	ClearFaults()
	ClearJournal()
	CloseAssessment(id string) error
	Conditions() oldpage.Conditions
	Evaluate(submissionID string, r sandbox.Result) error
	Inject(sandbox.Fault) error
	Invite(assessmentID, email, name string) (string, error)
	JournalPage(before, size int, keep func(sandbox.Entry) bool) ([]sandbox.Entry, bool)
	KeepDetails()
	Keys() []oldpage.KeyInfo
	Open(invitationID string) error
	ReportJSON(*world.Attempt) []byte
	Reset()
	RevokeInvitation(id string) error
	RevokeKey(token string) bool
	SetArchives(available bool)
	SetDrift(on bool, seed uint64)
	SetPlan(token string, used, limit int) error
	SetQuota(token string, class sandbox.Class, remaining int) error
	SetThrottled(throttled bool)
	Submit(submissionID string) error
	Token(id string) (string, bool)
	VisitFaults(visit func(id int, f sandbox.Fault, skip, left int, fired bool))
	VisitJournal(visit func(e sandbox.Entry))
	VisitLive(visit func(l *world.Live, now time.Time))
}
