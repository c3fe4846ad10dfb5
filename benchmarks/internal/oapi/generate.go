// Package oapi is what oapi-codegen makes of the service's OpenAPI document.
package oapi

// The paths are those seen from tools/, where the generator's version is pinned.
//go:generate env GOWORK=off go -C ../../../tools tool oapi-codegen -config ../benchmarks/internal/oapi/config.yaml ../sandbox/openapi.json
