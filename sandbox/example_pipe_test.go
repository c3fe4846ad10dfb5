package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// An http.Server and an http.Transport use it.
func ExamplePipeListener_DialContext() {
	listener := sandbox.New().Listener()
	go func() {
		if connection, err := listener.Accept(); err == nil {
			_, _ = io.WriteString(connection, "hello")
			_ = connection.Close()
		}
	}()

	connection, err := listener.DialContext(context.Background(), "tcp", "any.example.com:443")
	if err != nil {
		log.Fatal(err)
	}
	said, err := io.ReadAll(connection)
	fmt.Println(string(said), err)
	// Output: hello <nil>
}

func ExamplePipeListener_Accept() {
	listener := sandbox.New().Listener()
	go func() { _ = listener.Close() }()

	_, err := listener.Accept() // Waits for a connection, or for Close.
	fmt.Println(errors.Is(err, net.ErrClosed))
	// Output: true
}

func ExamplePipeListener_Addr() {
	listener := sandbox.New().Listener()
	host, _, err := net.SplitHostPort(listener.Addr().String())
	fmt.Println(net.ParseIP(host).IsLoopback(), err)
	// Output: true <nil>
}

func ExamplePipeListener_Close() {
	listener := sandbox.New().Listener()
	fmt.Println(listener.Close(), listener.Close())
	_, err := listener.DialContext(context.Background(), "tcp", "any.example.com:443")
	fmt.Println(err != nil)
	// Output:
	// <nil> <nil>
	// true
}
