// Package peers generates the clients that the benchmarks compare hiring with: what ogen
// and oapi-codegen make of the API's OpenAPI document. The clients are 27,000 lines and are
// not in the repository. Before anything that imports them is built:
//
//	go generate ./peers
//
// tools/go.mod pins the generators. The same versions write the same files.
package peers

// The paths of the generators are those seen from tools/.
//go:generate go run ./document
//go:generate env GOWORK=off go -C ../../tools tool ogen --loglevel error --package ogen --target ../benchmarks/internal/ogen --config ../benchmarks/peers/ogen.yaml --clean ../benchmarks/internal/ogen.json
//go:generate env GOWORK=off go -C ../../tools tool oapi-codegen -config ../benchmarks/peers/oapi.yaml ../sandbox/openapi.json
