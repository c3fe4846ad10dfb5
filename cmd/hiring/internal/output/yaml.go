package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// writeYAML writes a JSON text as YAML, in the same order.
func writeYAML(w io.Writer, text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	node, err := yamlNode(decoder)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return err
	}
	_, err = w.Write(cleanYAML(out.Bytes()))
	return err
}

// cleanYAML escapes harmful runes of a YAML text. They occur in double quotes only, and
// the encoder has escaped those below U+0020.
func cleanYAML(text []byte) []byte {
	return escaped(text, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) })
}

// yamlNode reads the next JSON value.
func yamlNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	delim, compound := token.(json.Delim)
	if !compound {
		return yamlScalar(token), nil
	}
	node := &yaml.Node{Kind: yaml.SequenceNode}
	if delim == '{' {
		node.Kind = yaml.MappingNode
	}
	for decoder.More() {
		child, err := yamlNode(decoder)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	_, err = decoder.Token()
	return node, err
}

// yamlScalar quotes texts that would be read as another type or that a terminal would
// interpret.
func yamlScalar(token json.Token) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	switch v := token.(type) {
	case string:
		node.Tag, node.Value = "!!str", v
		if strings.ContainsFunc(v, func(r rune) bool { return r != '\n' && !harmless(r) }) {
			node.Style = yaml.DoubleQuotedStyle
		}
	case bool:
		node.Tag, node.Value = "!!bool", fmt.Sprint(v)
	case json.Number:
		node.Tag, node.Value = "!!int", v.String()
		if strings.ContainsAny(v.String(), ".eE") {
			node.Tag = "!!float"
		}
	}
	return node
}
