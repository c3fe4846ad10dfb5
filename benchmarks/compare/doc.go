// Package compare does the same reading with the client and with what would be
// used instead: net/http and encoding/json by hand, go-retryablehttp and
// encoding/json, a client made by oapi-codegen, one made by ogen.
//
// All get the same bodies, which the sandbox gave, with the service's headers:
// from memory, and over kept connections to a server on loopback. The client runs
// as it does by default, with an observer and a logger besides: retries, the
// gate, a timeout of each attempt, checks of what came. The others have no
// timeout and no observer, and all but go-retryablehttp repeat nothing.
//
// One command prints the medians, what they are to net/http by hand, allocations,
// bytes, memory, read-ahead and the sizes of programs:
//
//	HIRING_LONG=1 go test -run Compare -v -timeout 1h ./compare
//
// The same work as benchmarks, and what they gave on the machine that is named in
// the file:
//
//	go test -run '^$' -bench . -benchtime 0.2s -count 10 ./compare | tee compare/results/linux-amd64.txt
//	../.cache/bin/benchstat -col /peer compare/results/linux-amd64.txt
//
// The same bodies come again and again, of which the client shares the short
// strings that it saw lately: where every page brings new ids, its page of
// invitations takes about 170 allocations more, and about the same time.
//
// Allocations over loopback are those of the whole process, the server included,
// which makes none for a request.
package compare
