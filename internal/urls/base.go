package urls

import (
	"net"
	"net/url"
	"strings"
	"unicode"
)

// ParseBase returns the base URL of requests: text followed by prefix. The problems
// do not quote text, because it may be a misplaced key. Plain http is a problem unless plain
// returns true for the host.
func ParseBase(text, prefix string, plain func(host string) bool) (base url.URL, problems []string) {
	u, err := url.Parse(text)
	refuse := func(problem string) { problems = append(problems, problem) }
	switch {
	case text == "":
		refuse("is empty: set it to the API's address, which must be absolute, as in https://hiring.example.com")
		return url.URL{}, problems
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		refuse("contains white space or a line break: it was probably copied with it")
		return url.URL{}, problems
	case err == nil && u.Scheme != "" && u.Opaque == "" && u.Scheme != "http" && u.Scheme != "https":
		refuse("has a scheme other than https (or http): it must be absolute, as in https://hiring.example.com")
		return url.URL{}, problems
	case err != nil || u.Scheme == "" || u.Hostname() == "":
		refuse("must be absolute, as in https://hiring.example.com")
		return url.URL{}, problems
	}
	if u.User != nil {
		refuse("must not contain user info: the key is passed separately")
	}
	if strings.ContainsAny(text, "?#") {
		refuse("must have no query and no fragment")
	}
	if u.Scheme == "http" && !plain(u.Hostname()) {
		refuse("plain http would show the key to the network: use https, or WithInsecureHTTP if that is meant")
	}
	own := strings.TrimRight(u.EscapedPath(), "/")
	if strings.HasSuffix(own, prefix) {
		refuse("must not end in " + prefix + ": leave out " + prefix + ", which the client adds")
	}
	base = url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/") + prefix}
	if own+prefix != base.Path {
		base.RawPath = own + prefix
	}
	return base, problems
}

// Loopback reports whether host is a loopback address or a localhost name.
func Loopback(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Private reports whether host is a private address or a name without a dot, such as that of
// another container.
func Private(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsPrivate()
	}
	return !strings.ContainsAny(host, ".:") && strings.Trim(host, "0123456789") != "" // Neither an address with a zone nor one as a number.
}

// Server returns the host and port of u, as in Exchange.Server.
func Server(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "http":
		port = "80"
	default:
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
