// Package peers generates the client that the benchmarks compare hiring with: what ogen
// makes of the API's OpenAPI document. The client is long and not in the repository. Before
// anything that imports it is built:
//
//	go generate ./peers
//
// tools/go.mod pins ogen. The same version writes the same files.
package peers

// The paths of ogen are those seen from tools/.
//go:generate go run ./document
//go:generate env GOWORK=off go -C ../../tools tool ogen --loglevel error --package ogen --target ../benchmarks/internal/ogen --config ../benchmarks/peers/ogen.yaml --clean ../benchmarks/internal/ogen.json
