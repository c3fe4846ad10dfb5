//go:build goexperiment.jsonv2 && !go1.27

package limits

import "encoding/json/v2"

// Skip is the error with which an unmarshaler leaves a value to the next one.
var Skip = json.SkipFunc
