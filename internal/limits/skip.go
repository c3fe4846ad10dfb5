//go:build !goexperiment.jsonv2

package limits

import "errors"

// Skip leaves a value to the next unmarshaler.
var Skip = errors.ErrUnsupported
