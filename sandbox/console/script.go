package console

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// The forms of import and export that the modules of the page use.
var (
	importing  = regexp.MustCompile(`import ?\{([^}]*)\} ?from ?"([^"]*)";`)
	exporting  = regexp.MustCompile(`export ?\{([^}]*)\};`)
	exportWord = regexp.MustCompile(`(?m)^export ((?:async )?function|const|class) (\w+)`)
)

// joinModules returns a module and those that it imports as one script, so that the page loads in one request
// and without a build. Each module becomes a function that returns what it exports.
func joinModules(name string) []byte {
	out := bytes.NewBufferString("const modules = {};\n")
	joined := make(map[string]bool)
	var join func(name string)
	join = func(name string) {
		if joined[name] {
			return
		}
		joined[name] = true
		raw, err := embedded.ReadFile("static/" + name)
		if err != nil {
			panic(err) // The modules are embedded.
		}
		source := importing.ReplaceAllStringFunc(string(raw), func(line string) string {
			m := importing.FindStringSubmatch(line)
			other := path.Join(path.Dir(name), m[2])
			join(other)
			return "const {" + strings.ReplaceAll(m[1], " as ", ":") + `} = modules["` + other + `"];`
		})
		var exports []string
		for _, m := range exportWord.FindAllStringSubmatch(source, -1) {
			exports = append(exports, m[2])
		}
		for _, m := range exporting.FindAllStringSubmatch(source, -1) {
			for pair := range strings.SplitSeq(m[1], ",") {
				inner, outer, _ := strings.Cut(pair, " as ")
				exports = append(exports, outer+":"+inner)
			}
		}
		source = exporting.ReplaceAllString(exportWord.ReplaceAllString(source, "$1 $2"), "")
		out.WriteString(`modules["` + name + "\"] = (() => {\n" + source + "\nreturn {" + strings.Join(exports, ", ") + "};\n})();\n")
	}
	join(name)
	return out.Bytes()
}
