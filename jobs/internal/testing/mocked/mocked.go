// Package mocked replaces http.DefaultTransport with one of another type when it is imported,
// as libraries for mocks and tracing do. It is initialised before package jobs, which
// depends on more packages.
package mocked

import "net/http"

type transport struct{ http.RoundTripper }

func init() { //nolint:gochecknoinits // It is what the package is for.
	http.DefaultTransport = transport{http.DefaultTransport}
}
