// Package wire carries requests to an http.Handler and responses back to a
// client, and breaks connections as a network does.
//
// [Transport] and [Pipe] need no socket and work inside testing/synctest.
// [Loopback] is a TCP socket. [Wait], [Cut] and [Drop] delay, truncate and drop
// a response. A client sees the same error through every transport: ECONNRESET
// for a dropped response, io.ErrUnexpectedEOF for a truncated one.
//
// The package does not depend on the API: it serves any http.Handler.
package wire
