//go:build goexperiment.jsonv2 && !go1.27

package jsoncodec

import "encoding/json/v2"

// skip is the error with which an unmarshaler leaves a value to the next one.
var skip = json.SkipFunc
