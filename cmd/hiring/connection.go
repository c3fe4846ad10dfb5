package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// connection holds the server and the key that commands use.
type connection struct {
	BaseURL   string
	Key       string
	Dialect   hiring.Dialect    // Zero fields mean the defaults.
	Transport http.RoundTripper // Nil means the network.
	Origin    string            // Where it was configured, as in "profile acme"; empty when it was typed.
}

// The variables with the server address and the key, and with the name of a profile.
const (
	envBaseURL = "HIRING_BASE_URL"
	envKey     = "HIRING_API_KEY"
	envProfile = "HIRING_PROFILE"

	envInsecure = "HIRING_INSECURE_HTTP"
	variables   = "the variables " + envBaseURL + " and " + envKey
)

// connection returns the server and the key to use: those of --sandbox, or of the profile that
// --profile or HIRING_PROFILE names, else those of the variables, else those of the profile in
// use.
func (a *app) connection() (c connection, err error) {
	if a.flags.sandbox {
		c = connection{BaseURL: "https://sandbox.invalid", Key: sandbox.TestKey, Origin: "--sandbox"}
	} else if c, err = a.configured(); err == nil {
		err = a.refuseArguments(func(argument string) bool { return c.Key != "" && strings.Contains(argument, c.Key) }) // Whatever its form.
	}
	if err == nil && a.flags.dialect != "" {
		c.Dialect, err = readDialect(a.flags.dialect)
	}
	if c.Transport = a.transport; a.flags.sandbox {
		c.Transport = sandbox.New(sandbox.WithDialect(c.Dialect)).Transport()
	}
	return c, err
}

// chosenProfile returns the name of the profile that the user has chosen for this command, or
// "".
func (a *app) chosenProfile() string { return cmp.Or(a.flags.profile, a.getenv(envProfile)) }

// configured returns the profile that the user has chosen, else what the variables say, else
// the profile in use. A key is never sent to an address that it was not given together
// with, unless the user named both.
func (a *app) configured() (connection, error) {
	base, key := a.getenv(envBaseURL), a.getenv(envKey)
	switch {
	case !a.usesVariables():
		return a.fromProfile(a.chosenProfile())
	case key == "" || base == "":
		return connection{}, adviceError{errNoConnection, "Only one of " + variables + " is set: set both, or use a profile"}
	}
	return connection{BaseURL: base, Key: key, Origin: variables}, nil
}

// usesVariables reports whether the variables count, and not a profile.
func (a *app) usesVariables() bool {
	return a.chosenProfile() == "" && a.getenv(envBaseURL)+a.getenv(envKey) != ""
}

// fromProfile returns the server and the key of a profile; "" means the profile in use.
func (a *app) fromProfile(chosen string) (connection, error) {
	store, err := a.profiles()
	if err != nil {
		return connection{}, causedError{err, errNoConnection}
	}
	name, p, err := store.Get(chosen)
	switch {
	case errors.Is(err, profile.ErrUnknown) && chosen == "":
		return connection{}, adviceError{errNoConnection, fmt.Sprintf("Run hiring profile add <name> or hiring profile use "+
			"<name>, or set %s and %s, or try --sandbox", envBaseURL, envKey)}
	case errors.Is(err, profile.ErrUnknown) && a.flags.profile == "":
		return connection{}, adviceError{profileError(name, err),
			envProfile + " names it; hiring profile list shows the profiles, and hiring profile add " + output.Clean(name) + " makes it"}
	case errors.Is(err, profile.ErrUnknown):
		return connection{}, profileError(name, err)
	case err != nil:
		return connection{}, causedError{err, errNoConnection}
	}
	dialect, err := readDialect(p.Dialect)
	if err != nil {
		return connection{}, adviceError{err, "The file is set in profile " + name + "; hiring --dialect <file> profile use " + name + " sets another"}
	}
	return connection{BaseURL: p.BaseURL, Key: p.Key, Dialect: dialect, Origin: "profile " + name}, nil
}

// client returns a client for the configured server.
func (a *app) client(options ...hiring.Option) (*hiring.Client, error) {
	c, err := a.connection()
	if err != nil {
		return nil, err
	}
	return a.clientOf(c, append([]hiring.Option{hiring.WithObserver(a.warn)}, options...)...)
}

// clientOf returns a client for a server and a key.
func (a *app) clientOf(c connection, more ...hiring.Option) (*hiring.Client, error) {
	options, err := a.options(c.BaseURL)
	if err != nil {
		return nil, err
	}
	options = append(options, hiring.WithDialect(c.Dialect))
	if c.Transport != nil {
		options = append(options, hiring.WithHTTPClient(&http.Client{Transport: c.Transport}))
	}
	client, err := hiring.New(c.BaseURL, c.Key, append(options, more...)...)
	switch {
	case err != nil && c.Origin == "": // It was typed.
		err = usageError{err}
	case err != nil:
		err = adviceError{err, "The server and the key come from " + c.Origin}
	}
	return client, err
}

// options returns the options of the global flags and variables for a server. It refuses variables
// that would have no effect.
func (a *app) options(baseURL string) ([]hiring.Option, error) {
	parsed, _ := url.Parse(baseURL)
	server := cmp.Or(parsed, new(url.URL)) // hiring.New returns the error.
	options := []hiring.Option{hiring.WithUserAgent("hiring-cli/" + version().Version)}
	switch insecure := a.getenv(envInsecure); {
	case insecure != "" && insecure != "true" && insecure != "false": // As hiring.FromEnv.
		return nil, usagef("The variable %s must be true, false or empty", envInsecure)
	case insecure == "true" && isPrivate(server.Hostname()):
		options = append(options, hiring.WithInsecureHTTP())
	}
	if !a.flags.sandbox && ignoredProxy(server) {
		return nil, adviceError{usagef("The variable %s_PROXY is not the address of a proxy", strings.ToUpper(server.Scheme)),
			"Give it as http://host:port, with special characters of a user or a password escaped as %40; NO_PROXY names hosts that need none"}
	}
	if a.flags.timeout > 0 {
		options = append(options, hiring.WithTimeout(a.flags.timeout))
	}
	if a.flags.debug {
		lines := slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelDebug})
		options = append(options, hiring.WithLogger(slog.New(lines)))
	}
	return options, nil
}

// ignoredProxy reports whether the variable of the proxy for a server is not an address: net/http
// connects without a proxy then, or takes the scheme for the host. NO_PROXY and loopback addresses
// need no proxy.
func ignoredProxy(server *url.URL) bool {
	variables := httpproxy.FromEnvironment()
	used, _ := variables.ProxyFunc()(server)
	for _, variable := range []*string{&variables.HTTPProxy, &variables.HTTPSProxy} {
		if *variable != "" {
			*variable = "proxy.invalid"
		}
	}
	meant, _ := variables.ProxyFunc()(server)
	return meant != nil && (used == nil || used.Host == "" || strings.HasSuffix(used.Host, ":"))
}

// isPrivate reports whether a host has a private address, or no dot and is no number. The variable is
// about these hosts, as in hiring.FromEnv.
func isPrivate(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsPrivate()
	}
	return !strings.ContainsAny(host, ".:") && strings.Trim(host, "0123456789") != ""
}

// warn prints each warning of the client once.
func (a *app) warn(_ context.Context, x hiring.Exchange) {
	a.warnOnce(strings.ReplaceAll(x.Warning, "Dialect.", "the dialect's "))
}

func (a *app) warnOnce(text string) {
	text = output.Clean(text)
	if text == "" || slices.Contains(a.warnings, text) {
		return
	}
	a.warnings = append(a.warnings, text)
	a.say(a.err.Paint(output.Yellow, "hiring: warning:") + " " + text)
}

// readDialect rejects unknown names, because a misspelt name would have no effect.
func readDialect(name string) (d hiring.Dialect, err error) {
	if name == "" {
		return d, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return d, usagef("--dialect: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return d, usagef("--dialect: %s is not a dialect: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err = d.WithDefaults(); err != nil {
		return d, usagef("--dialect: %s: %s", name, errorText(err))
	}
	return d, nil
}
