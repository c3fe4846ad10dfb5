// Package ogen is what ogen makes of the service's OpenAPI document.
package ogen

// The paths are those seen from tools/, where the generator's version is pinned.
//go:generate go run ./document
//go:generate env GOWORK=off go -C ../../../tools tool ogen --loglevel error --package ogen --target ../benchmarks/internal/ogen --config ../benchmarks/internal/ogen/config.yaml --clean ../.cache/ogen.json
