// Package console serves the sandbox's web page. The page shows the requests of a program
// as they arrive, moves candidates, and injects faults.
//
//	server := sandbox.New()
//	http.ListenAndServe("127.0.0.1:8780", console.Handler(server))
//
// Command hiring-sandbox serves it. The page is a client of the control API (see
// sandbox.WithControlFromAnyHost) in JavaScript: whatever it shows or does, curl can do too. All
// files are embedded.
//
// The page accepts the same requests as the control API: from this machine, and from no
// page of another origin.
package console
