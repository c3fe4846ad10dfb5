package console

import "github.com/hiring-assessment/hiring-go/sandbox/internal/server"

// Where the page is: beside the control plane, none of whose paths it takes.
const (
	home = "/_sandbox/"
	root = "/_sandbox/console"
)

// console is the page of one server.
type console struct {
	server  *server.Server
	anyHost bool
	token   string // that forms send along
}
