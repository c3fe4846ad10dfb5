// Package guard distinguishes requests of this machine's user from requests that a web
// page makes in the user's browser. It protects what can be done to a sandbox without a
// key.
package guard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// InProcess is the base URL of clients that call the server directly. Its host never
// resolves.
const InProcess = "https://sandbox.invalid"

// Admit refuses what a web page in the user's browser could send: it reaches
// this machine's ports too, by their address or by a name of its own that it
// lets point here. With anyHost other machines and names are let in, and so is
// what a page on a name that points here reads with GET, which carries no Origin;
// an Origin that is not this machine's is refused all the same.
func Admit(r *http.Request, anyHost bool) error {
	host, local := r.Host, isLocal(r.Host) || "https://"+r.Host == InProcess
	if !anyHost {
		if peer, _, err := net.SplitHostPort(r.RemoteAddr); err != nil || !isLocal(peer) {
			return errors.New("the control plane takes requests from this machine only; start hiring-sandbox with -control-any-host to change that")
		}
		if !local {
			return fmt.Errorf("the control plane is reached by localhost or a loopback address, not as %.100q; start "+
				"hiring-sandbox with -control-any-host to change that", host)
		}
	}
	for _, origin := range r.Header["Origin"] {
		u, err := url.Parse(origin)
		if err != nil || !local || u.Host != host || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the control plane takes no requests from web pages: the Origin is %.100q", origin)
		}
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return fmt.Errorf("the control plane takes no requests from web pages: Sec-Fetch-Site is %.100q", site)
		}
	}
	return nil
}

// isLocal reports whether a host, with or without a port, is this machine. A
// name that merely resolves to it is not, because its owner is not known.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return ip != nil && ip.IsLoopback()
}
