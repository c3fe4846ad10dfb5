package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// connection is which service the commands talk to, and as whom.
type connection struct {
	BaseURL   string
	Key       string
	Dialect   hiring.Dialect    // Zero fields mean the defaults.
	Transport http.RoundTripper // Nil but for the sandbox.
	Origin    string            // Who says so, as in "profile acme".
}

// The variables that say which service to talk to.
const (
	envBaseURL = "HIRING_BASE_URL"
	envKey     = "HIRING_API_KEY"
)

// connection finds out which service is meant: --sandbox wins over the variables,
// and they over profiles.
func (a *app) connection() (connection, error) {
	dialect, err := readDialect(a.flags.dialect)
	if err != nil {
		return connection{}, err
	}
	if a.flags.sandbox {
		fake := sandbox.New(sandbox.WithDialect(dialect))
		return connection{
			BaseURL: "https://sandbox.invalid", Key: sandbox.TestKey, Dialect: dialect,
			Transport: fake.Transport(), Origin: "--sandbox",
		}, nil
	}
	c, err := a.chosen()
	c.Dialect = dialect
	return c, err
}

// chosen is what the variables say, else a profile. A key is never sent to an
// address that it was not given together with, unless the user named both.
func (a *app) chosen() (connection, error) {
	base, key := a.getenv(envBaseURL), a.getenv(envKey)
	if base != "" && key != "" {
		if a.flags.profile != "" {
			_, _ = fmt.Fprintf(a.err, "%s and %s are set and win over --profile %s\n", envBaseURL, envKey, output.Clean(a.flags.profile))
		}
		return connection{BaseURL: base, Key: key, Origin: "the variables " + envBaseURL + " and " + envKey}, nil
	}
	if base != "" || key != "" {
		set, missing := envBaseURL, envKey
		if base == "" {
			set, missing = missing, set
		}
		return connection{}, advised{errNoConnection, set + " is set without " + missing + ": set both, or neither and use a profile"}
	}
	return a.fromProfile()
}

func (a *app) fromProfile() (connection, error) {
	store, err := profile.Open()
	if err != nil {
		return connection{}, err
	}
	name, p, err := store.Get(a.flags.profile)
	if errors.Is(err, profile.ErrUnknown) && a.flags.profile == "" {
		return connection{}, advised{errNoConnection, fmt.Sprintf("run hiring profile add NAME (or use NAME), or set %s and %s, or try it with --sandbox", envBaseURL, envKey)}
	}
	if err != nil {
		return connection{}, profileError(name, err)
	}
	key, err := store.Key(name, p)
	if err != nil {
		return connection{}, advised{fmt.Errorf("%w: %w", errNoConnection, err), "hiring profile add " + name + " asks for it again"}
	}
	return connection{BaseURL: p.BaseURL, Key: key, Origin: "profile " + name}, nil
}

// client is how a command gets to the service.
func (a *app) client(options ...hiring.Option) (*hiring.Client, error) {
	return a.clientThrough(nil, options...)
}

// clientThrough is client, with something between it and the network.
func (a *app) clientThrough(wrap func(http.RoundTripper) http.RoundTripper, options ...hiring.Option) (*hiring.Client, error) {
	c, err := a.connection()
	if err != nil {
		return nil, err
	}
	if wrap != nil {
		if c.Transport == nil {
			c.Transport = http.DefaultTransport
		}
		c.Transport = wrap(c.Transport)
	}
	client, err := c.client(append(a.options(), options...)...)
	if err != nil {
		return nil, advised{err, "it comes from " + c.Origin}
	}
	return client, nil
}

func (c connection) client(options ...hiring.Option) (*hiring.Client, error) {
	own := []hiring.Option{hiring.WithDialect(c.Dialect)}
	if c.Transport != nil {
		own = append(own, hiring.WithHTTPClient(&http.Client{Transport: c.Transport}))
	}
	return hiring.New(c.BaseURL, c.Key, append(own, options...)...)
}

// options are those that the global flags ask for.
func (a *app) options() []hiring.Option {
	options := []hiring.Option{hiring.WithUserAgent("hiring-cli/" + version().Version)}
	if a.flags.debug {
		options = append(options, hiring.WithObserver(a.showExchange))
	}
	return options
}

// showExchange prints an exchange. It names routes, not records, and holds no key.
func (a *app) showExchange(_ context.Context, x hiring.Exchange) {
	status := fmt.Sprint(x.Status)
	if x.Status == 0 {
		status = "no reply"
	}
	line := fmt.Sprintf("debug: %s %s %s, attempt %d, %s", x.Method, x.Route, status, x.Attempt, x.Duration.Round(time.Millisecond))
	if x.RateLimit.Known() {
		line += fmt.Sprintf(", %d of %d left", x.RateLimit.Remaining, x.RateLimit.Limit)
	}
	if x.RequestID != "" {
		line += ", " + x.RequestID
	}
	if x.Wait > 0 {
		line += ", next attempt in " + x.Wait.Round(time.Millisecond).String()
	}
	if x.Warning != "" {
		line += ", warning: " + x.Warning
	}
	_, _ = fmt.Fprintln(a.err, a.err.Paint(output.Faint, output.Clean(line)))
}

// readDialect is strict, because a misspelt name would be ignored in silence.
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
		return d, usagef("--dialect: %s is no dialect: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return d, usagef("--dialect: %s goes on after its JSON object", name)
	}
	if _, err = d.WithDefaults(); err != nil {
		return d, usagef("--dialect: %s: %w", name, err)
	}
	return d, nil
}
