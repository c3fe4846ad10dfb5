package console

import "github.com/hiring-assessment/hiring-go/sandbox/internal/server"

// Paths of the page. They are outside the paths of the control API.
const (
	homePath    = "/_sandbox/"
	consolePath = "/_sandbox/console"
)

// console is the page of one server.
type console struct {
	server *server.Server
	token  string // Sent with each form, against requests of other sites.
}
