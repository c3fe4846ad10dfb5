// Package doors carries requests to a handler and its replies back to a client,
// and breaks them on the way as a network does.
//
// [Transport] and [Pipe] need no socket and work inside testing/synctest,
// [Loopback] is a socket. [Wait], [Cut] and [Lose] are what a handler does to a
// reply that is to go wrong; a client sees the same behind each door: ECONNRESET
// for what was lost, io.ErrUnexpectedEOF for what was cut off.
//
// The package knows nothing of the service: any http.Handler can stand behind a
// door.
package doors
