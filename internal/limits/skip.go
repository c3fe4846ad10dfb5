//go:build !goexperiment.jsonv2

package limits

import "errors"

// Skip is the error with which an unmarshaler leaves a value to the next one.
var Skip = errors.ErrUnsupported
