// Package pgtest runs a PostgreSQL server for tests, on a free loopback port and in a
// temporary folder.
package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL server. It keeps its data until Close.
type Server struct {
	// URL is the URL of its database postgres.
	URL string

	bin, dir string
	port     int
	process  *exec.Cmd
}

// New creates and starts a server. Where PostgreSQL is not installed, it skips the test, or returns
// an error if HIRING_SKIP_NOTHING is set.
func New(ctx context.Context, tb testing.TB) (s *Server, err error) {
	tb.Helper()
	s = new(Server)
	if s.bin, err = find(); err != nil {
		if os.Getenv("HIRING_SKIP_NOTHING") == "" {
			tb.Skip(err)
		}
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "hiring-postgres"); err != nil {
		return nil, err
	}
	if err = s.initialize(ctx); err == nil {
		err = errPortTaken
	}
	for n := 0; n < 5 && errors.Is(err, errPortTaken); n++ {
		if s.port, err = freePort(ctx); err == nil {
			s.URL = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", s.port)
			err = s.Start(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

// Start starts a stopped server, and returns when it accepts connections.
func (s *Server) Start(ctx context.Context) error {
	settings := []string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port), "-h", "127.0.0.1"}
	for _, set := range []string{"unix_socket_directories=", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
		"autovacuum=off", "jit=off", "checkpoint_timeout=1h", "max_connections=500"} {
		settings = append(settings, "-c", set)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	s.process = s.command(context.WithoutCancel(ctx), "postgres", settings...)
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return err
	}
	return s.await(ctx)
}

// errPortTaken is returned when another process has taken the port in the meantime.
var errPortTaken = errors.New("the port of PostgreSQL is in use")

// await waits until the log of the server says that it is ready. A connection alone
// proves nothing, because another server may use the port.
func (s *Server) await(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		text, err := os.ReadFile(filepath.Join(s.dir, "log"))
		switch {
		case err != nil:
			return err
		case bytes.Contains(text, []byte("could not create any TCP/IP sockets")):
			return errors.Join(errPortTaken, s.process.Wait())
		case bytes.Contains(text, []byte("ready to accept connections")):
			connection, err := pgx.Connect(ctx, s.URL)
			if err != nil {
				return err
			}
			return connection.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("starting PostgreSQL: %w\n%s", ctx.Err(), text)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop stops the server and closes its connections.
func (s *Server) Stop() error {
	if err := s.process.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	return s.process.Wait()
}

// Close stops the server and removes its data.
func (s *Server) Close() error {
	return errors.Join(s.Stop(), os.RemoveAll(s.dir))
}

// initialize creates the data folder.
func (s *Server) initialize(ctx context.Context) error {
	if id := unprivileged(); id != nil {
		if err := os.Chown(s.dir, int(id.uid), int(id.gid)); err != nil {
			return err
		}
	}
	text, err := s.command(ctx, "initdb", "-D", filepath.Join(s.dir, "data"), "-U", "postgres", "--auth=trust", "--no-sync",
		"-E", "UTF8", "--locale=C").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, text)
	}
	return nil
}

// command returns a command for a program of PostgreSQL. It does not run as root, which
// PostgreSQL rejects, and it ends when this process is killed.
func (s *Server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...) //nolint:gosec // A program of PostgreSQL.
	c.Dir = s.dir
	c.SysProcAttr = attributes(unprivileged())
	return c
}

// owner is a user and a group of the operating system.
type owner struct{ uid, gid uint32 }

// unprivileged returns the user for PostgreSQL's programs, or nil for the current user.
func unprivileged() *owner {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if found, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(found.Uid, 10, 32) // A number wherever PostgreSQL rejects root.
			gid, _ := strconv.ParseUint(found.Gid, 10, 32)
			return &owner{uint32(uid), uint32(gid)}
		}
	}
	return nil
}

func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// find returns the folder with PostgreSQL's programs.
func find() (string, error) {
	if at, err := exec.LookPath("initdb"); err == nil {
		at, err = filepath.EvalSymlinks(at)
		return filepath.Dir(at), err
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
		return filepath.Dir(slices.Max(found)), nil
	}
	return "", errors.New("PostgreSQL is missing: apt-get install postgresql, or set DATABASE_URL; .ci/run does the former")
}
