package output

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

func compile(query string) (*gojq.Code, error) {
	parsed, err := gojq.Parse(query)
	if err != nil {
		return nil, fmt.Errorf("--jq: %s", oneLine(err))
	}
	// Without an environment loader, a program cannot read the key with $ENV.
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, fmt.Errorf("--jq: %s", oneLine(err))
	}
	return code, nil
}

func oneLine(err error) string { return Clean(strings.TrimSpace(err.Error())) }

// runQuery writes each result on its own lines. Strings are not quoted, as with jq -r.
func (p *Printer) runQuery(text []byte, indented bool) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	results := p.query.Run(value)
	if p.Done != nil {
		results = p.query.RunWithContext(p.Done, value)
	}
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if p.Done != nil && p.Done.Err() != nil {
			return p.Done.Err()
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("--jq: %s", oneLine(err))
		}
		if err := p.writeResult(result, indented); err != nil {
			return err
		}
	}
}

func (p *Printer) writeResult(result any, indented bool) error {
	if bare, ok := result.(string); ok {
		if p.Terminal {
			bare = CleanLines(bare)
		}
		_, err := fmt.Fprintln(p, bare)
		return err
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return err
	}
	return writeValue(p, text, indented)
}
