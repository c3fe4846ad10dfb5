//go:build goexperiment.jsonv2

package bound

import "encoding/json/v2"

// skip leaves a value to the next unmarshaler.
var skip = json.SkipFunc
