// Package benchmarks does the same work with the client and with what would be
// written instead.
//
// The simulation of waiting runs in virtual time on the sandbox:
//
//	HIRING_LONG=1 SVG=waiting.svg go test -run Simulation -v -timeout 1h .
//
// Package compare, below, measures single calls, walks, memory and sizes.
package benchmarks
