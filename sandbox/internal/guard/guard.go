// Package guard protects the control API and the web page of a sandbox, which need no key:
// it rejects requests of other machines and of other web pages in the user's browser.
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

// Admit returns an error for a request that a web page of another origin could have sent,
// and for a request from another machine. A web page reaches this machine's ports by their
// address, or by a host name of its own that resolves to this machine (DNS rebinding). The
// checks are:
//
//   - the peer's address and the Host are of this machine, unless anyHost is set
//   - the Origin, if any, is the server itself: with anyHost under any name, otherwise
//     under a name of this machine
//   - Sec-Fetch-Site, if any, is same-origin or none
//
// With anyHost, a web page can control the server through DNS rebinding.
func Admit(r *http.Request, anyHost bool) error {
	host, local := r.Host, isLocal(r.Host) || "https://"+r.Host == InProcess
	if err := checkHost(r, local); err != nil && !anyHost {
		return err
	}
	for _, origin := range r.Header["Origin"] {
		if !local && !anyHost || !isOrigin(origin, host) {
			return fmt.Errorf("the control API accepts no requests from other web pages: the Origin is %.100q", origin)
		}
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return fmt.Errorf("the control API accepts no requests from other web pages: Sec-Fetch-Site is %.100q", site)
		}
	}
	return nil
}

// checkHost returns an error for a request from another machine, and for another Host than this machine.
func checkHost(r *http.Request, local bool) error {
	if peer, _, err := net.SplitHostPort(r.RemoteAddr); err != nil || !isLocal(peer) {
		return errors.New("the control API accepts requests from this machine only; start hiring-sandbox with -control-any-host to change this")
	}
	if !local {
		return fmt.Errorf("the control API accepts the hosts localhost and loopback addresses, not %.100q; start "+
			"hiring-sandbox with -control-any-host to change this", r.Host)
	}
	return nil
}

// isOrigin reports whether an Origin is that of pages of a host.
func isOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host == host && (u.Scheme == "http" || u.Scheme == "https")
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
