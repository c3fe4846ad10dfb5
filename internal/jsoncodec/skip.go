//go:build !goexperiment.jsonv2 || go1.27

package jsoncodec

import "errors"

// skip is the error with which an unmarshaler leaves a value to the next one.
var skip = errors.ErrUnsupported
