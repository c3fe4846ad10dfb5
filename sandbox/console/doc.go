// Package console implements the sandbox's web page. It shows the requests of a program
// live, moves candidates, and injects faults.
//
//	server := sandbox.New()
//	http.ListenAndServe("127.0.0.1:8780", console.Handler(server))
//
// Command hiring-sandbox serves it. All files are embedded. Without JavaScript the page
// does not update by itself, and everything else works.
//
// The page accepts the same requests as the control API (see sandbox.WithControlFromAnyHost).
// Forms also need a token, which only the page's own forms have.
package console
