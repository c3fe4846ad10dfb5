package benchmarks

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// restarts puts real connections between the program and the API, which are
// kept alive, and cuts them: for half a minute the API breaks off every
// response, for another it is gone.
func restarts(w *world, span time.Duration) {
	const times = 6
	var door atomic.Pointer[sandbox.PipeListener]
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		return door.Load().DialContext(ctx, network, address)
	}
	wire := &http.Transport{DialTLSContext: dial}
	for range times {
		door.Store(w.server.Listener())
		var dying atomic.Bool
		service := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if dying.Load() {
				panic(http.ErrAbortHandler)
			}
			w.server.ServeHTTP(rw, r)
		})}
		go func() { _ = service.Serve(door.Load()) }()
		w.connect(wire)
		time.Sleep(span/times - time.Minute)
		dying.Store(true)
		time.Sleep(30 * time.Second)
		_ = service.Close()
		time.Sleep(30 * time.Second)
	}
	w.connect(nil)
	wire.CloseIdleConnections()
}
