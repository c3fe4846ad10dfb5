// Package pgtest runs a PostgreSQL of a test's own: on a free loopback port, in a
// folder that is removed afterwards.
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
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL that keeps its data while it is stopped.
type Server struct {
	// URL is that of its database postgres.
	URL string

	bin, dir string
	port     int
	process  *exec.Cmd
}

// New makes a server and starts it. Where PostgreSQL is not installed it installs
// Debian's, for which it must be root.
func New(ctx context.Context) (s *Server, err error) {
	s = new(Server)
	if s.bin, err = find(ctx); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "hiring-postgres"); err != nil {
		return nil, err
	}
	if err = s.initialize(ctx); err == nil {
		err = errTaken
	}
	for n := 0; n < 5 && errors.Is(err, errTaken); n++ {
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

// Start starts a stopped server, and returns when it can be used.
func (s *Server) Start(ctx context.Context) error {
	settings := []string{"-D", filepath.Join(s.dir, "data"), "-p", strconv.Itoa(s.port), "-h", "127.0.0.1"}
	for _, set := range []string{"unix_socket_directories=", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=500"} {
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

// errTaken says that somebody else has the port that was free a moment ago.
var errTaken = errors.New("the port of PostgreSQL is taken")

// await waits until the server says that it is ready: whoever has taken its port
// might answer too.
func (s *Server) await(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for {
		text, err := os.ReadFile(filepath.Join(s.dir, "log"))
		switch {
		case err != nil:
			return err
		case bytes.Contains(text, []byte("could not create any TCP/IP sockets")):
			return errors.Join(errTaken, s.process.Wait())
		case bytes.Contains(text, []byte("ready to accept connections")):
			connection, err := pgx.Connect(ctx, s.URL)
			if err != nil {
				return err
			}
			return connection.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not start: %w\n%s", ctx.Err(), text)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop stops the server and breaks its connections.
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

func (s *Server) initialize(ctx context.Context) error {
	if id := unprivileged(); id != nil {
		if err := os.Chown(s.dir, int(id.uid), int(id.gid)); err != nil {
			return err
		}
	}
	text, err := s.command(ctx, "initdb", "-D", filepath.Join(s.dir, "data"), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, text)
	}
	return nil
}

// command runs a program of PostgreSQL, which refuses to be root, and which ends
// with this process even when that is killed.
func (s *Server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...) //nolint:gosec // one of PostgreSQL's programs
	c.Dir = s.dir
	c.SysProcAttr = attributes(unprivileged())
	return c
}

// owner is a user of the system.
type owner struct{ uid, gid uint32 }

// unprivileged is whom to run as, nil when that is whoever runs the tests.
func unprivileged() *owner {
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(found.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(found.Gid, 10, 32)
		if err == nil && err2 == nil {
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

// find returns the folder of PostgreSQL's programs.
func find(ctx context.Context) (string, error) {
	for range 2 {
		if at, err := exec.LookPath("initdb"); err == nil {
			at, err = filepath.EvalSymlinks(at)
			return filepath.Dir(at), err
		}
		if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
			return filepath.Dir(slices.Max(found)), nil
		}
		if err := install(ctx); err != nil {
			return "", fmt.Errorf("PostgreSQL is not installed (set DATABASE_URL to use one elsewhere): %w", err)
		}
	}
	return "", errors.New("PostgreSQL was installed and is not there")
}

func install(ctx context.Context) error {
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "postgresql"}} {
		c := exec.CommandContext(ctx, "apt-get", args...) //nolint:gosec // as in the line before
		c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if text, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, text)
		}
	}
	return nil
}
