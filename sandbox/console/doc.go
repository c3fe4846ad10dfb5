// Package console is the sandbox's page for people: what a program did to the
// service, live; the candidates, to be moved by hand; and trouble at a click.
//
//	server := sandbox.New()
//	http.ListenAndServe("127.0.0.1:8780", console.Handler(server))
//
// Command hiring-sandbox serves it. It needs no network: everything is embedded.
// It works without JavaScript, which only updates it.
//
// Who may see it is who may use the control plane (see sandbox.WithControlPlane);
// what changes something takes a token besides, which only its own forms have.
package console
