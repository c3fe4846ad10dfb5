package sandbox

import (
	"slices"
	"sync"

	hiring "github.com/hiring-assessment/hiring-go"
)

var defaultRoutes = sync.OnceValue(func() []*route { return newRoutes(hiring.DefaultDialect()) })

// routeTables are the functions that return the routes of each resource. Each resource's
// file adds its own.
var routeTables []func(hiring.Dialect) []*route

// addRoutes adds the routes of a resource: the name of each operation, its route, the
// part of its response that may drift, and its handler. A resource's file also has the
// JSON types of the resource, written by hand from the API's documentation. The sandbox
// does not encode the client's types, because one misspelt name would then be wrong on
// both sides and pass every test. Members are in the documented order.
func addRoutes(table func(hiring.Dialect) []*route) { routeTables = append(routeTables, table) }

// newRoutes returns all routes under a dialect.
func newRoutes(d hiring.Dialect) []*route {
	var routes []*route
	for _, table := range routeTables {
		routes = append(routes, table(d)...)
	}
	// A dialect may have a fixed segment where another route has an id. The fixed segment
	// takes precedence.
	slices.SortStableFunc(routes, func(a, b *route) int {
		return slices.CompareFunc(a.segments, b.segments, func(x, y string) int {
			return boolInt(isPlaceholder(x)) - boolInt(isPlaceholder(y))
		})
	})
	return routes
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
