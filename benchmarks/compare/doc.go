// Package compare does the same reads with the client and with its alternatives: net/http and
// encoding/json by hand, and a client that ogen generated. Package peers generates it.
//
// All peers get the same bodies, which the sandbox produced, with the API's headers: from
// memory, and over kept connections to a server on loopback. The client runs with its
// defaults, an observer and a logger: retries, rate limits, a timeout for each attempt, the
// limit of a body, checks of the response. The others have no timeout, no retries and no observer.
//
// One test measures all peers in turn, in small rounds, so that other load of the machine
// affects all alike. It prints one table of medians with the limits of what the client may
// allocate. It fails when the client allocates more or is slower than ogen:
//
//	HIRING_LONG=1 go test -run Compare -v ./compare
//
// With -update it also writes the results folder. A walk reads the five pages of a log.
package compare
