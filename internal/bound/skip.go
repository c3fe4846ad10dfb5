//go:build !goexperiment.jsonv2

package bound

import "errors"

// skip leaves a value to the next unmarshaler.
var skip = errors.ErrUnsupported
