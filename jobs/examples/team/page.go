package main

import (
	"context"
	"net"
	"net/http"
	"time"
)

// serve serves a page until stop is called.
func serve(ctx context.Context, listen string, handler http.Handler) (address string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // Serve returns when Close is called.
	return listener.Addr().String(), func() { _ = server.Close() }, nil
}
