package docs_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCommandsOfTheGuides checks that each command in a shell block exists, for a package
// that exists, with flags that exist. The flags of hiring are checked in cmd/hiring.
func TestCommandsOfTheGuides(t *testing.T) {
	t.Parallel()
	commands := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.lang != "sh" || b.mark != "" {
				continue
			}
			for i, line := range strings.Split(strings.ReplaceAll(b.code, "\\\n", ""), "\n") {
				if problem := misused(t, line); problem != "" {
					t.Errorf("%s:%d: %s: %s", p.name, b.line+1+i, line, problem)
				}
				commands++
			}
		}
	}
	assert.Greater(t, commands, 20)
}

const module = "github.com/hiring-assessment/hiring-go"

// ours are the programs of this repository by name.
var ours = map[string]string{"hiring-sandbox": "cmd/hiring-sandbox", "poll": "examples/poll", "hiring-team": "jobs/examples/team"}

var assignment = regexp.MustCompile(`^[A-Z_]+=\S*$`)

// misused returns what is wrong with a command.
func misused(t *testing.T, line string) string {
	t.Helper()
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(line)
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return ""
	}
	name, rest := words[0], words[1:]
	if dir, ok := ours[name]; ok {
		return unknownFlag(t, dir, rest)
	}
	switch {
	case name == "go":
		return misusedGo(t, rest)
	case strings.HasPrefix(name, "."):
		if _, err := os.Stat(name); err != nil && !strings.HasPrefix(name, ".cache/") {
			return "there is no such file"
		}
		return ""
	case name == "export" || name == "curl" || name == "cd" || name == "mkdir" || name == "git" || name == "hiring" || name == "promtool":
		return ""
	}
	return "no command that this test knows"
}

// misusedGo checks a go command: its folder, verb and arguments.
func misusedGo(t *testing.T, words []string) string {
	t.Helper()
	dir, verb := ".", ""
	var rest []string
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-C" && i+1 < len(words):
			i++
			dir = words[i]
		case verb == "":
			verb = words[i]
		default:
			rest = append(rest, words[i])
		}
	}
	switch verb {
	case "get", "install":
		of, _, _ := strings.Cut(rest[0], "@")
		if !strings.HasPrefix(of, module) && !strings.HasPrefix(of, ".") {
			return "" // A dependency is named by the go.mod of the module that needs it.
		}
		return missing(".", strings.TrimPrefix(strings.TrimPrefix(of, module), "/"))
	case "run":
		if problem := missing(dir, rest[0]); problem != "" {
			return problem
		}
		return unknownFlag(t, path.Join(dir, rest[0]), rest[1:])
	case "test", "build", "vet", "doc", "mod":
		return missing(".", dir)
	}
	return fmt.Sprintf("go %s is no command that this test knows", verb)
}

func missing(dir, folder string) string {
	if found, _ := filepath.Glob(filepath.Join(dir, folder, "*.go")); len(found) == 0 {
		if _, err := os.Stat(filepath.Join(dir, folder, "go.mod")); err != nil {
			return "there is no Go in " + path.Join(dir, folder)
		}
	}
	return ""
}

// unknownFlag looks for each flag in the program's source. The flags of cmd/hiring are
// checked there.
func unknownFlag(t *testing.T, dir string, words []string) string {
	t.Helper()
	if dir == "cmd/hiring" {
		return ""
	}
	var source strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		source.WriteString(text(t, file))
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if strings.HasPrefix(word, "-") && !strings.Contains(source.String(), `"`+name+`"`) {
			return dir + " has no flag -" + name
		}
	}
	return ""
}
