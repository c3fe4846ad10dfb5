//go:build goexperiment.jsonv2

package limits

import "encoding/json/v2"

// Skip leaves a value to the next unmarshaler.
var Skip = json.SkipFunc
