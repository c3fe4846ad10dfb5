# Shared by the scripts of .ci: sourced, not run.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
root=$PWD
bin=$root/.cache/bin
mkdir -p "$bin"

# What is run must not depend on who runs it.
unset HIRING_BASE_URL HIRING_API_KEY HIRING_LONG HIRING_SKIP_NOTHING GOEXPERIMENT
# Without cgo, so that all steps but the race detector's share what they compile.
export GOWORK=off CGO_ENABLED=0

current=start
say_what_failed() {
	local status=$?
	if ((status != 0)); then
		printf '\nFAILED: %s (exit status %d)\n' "$current" "$status" >&2
	fi
}
trap say_what_failed EXIT

# step says what runs next, and how long the script has been running.
step() {
	current=$*
	printf '\n==> [%4ds] %s\n' "$SECONDS" "$current"
}

# Every module in the repository, at any depth, the root first. Each is judged by
# its own go.mod, which points at the root with a replace; a workspace that a
# maintainer has made is left aside.
modules=(.)
for file in $(git ls-files --cached --others --exclude-standard '*/go.mod' | sort); do modules+=("$(dirname "$file")"); done

# Those of them that are released, each after those that it needs; the others serve maintainers.
released_modules=(. otelhiring jobs cmd/hiring)

# generate_peers writes the client that benchmarks/ compares hiring with. Without it that module does not compile.
generate_peers() {
	step "generating the client of the comparison (benchmarks/peers)"
	within benchmarks go generate ./peers
}

# check_format fails if a file is not formatted.
check_format() {
	step "gofmt -l"
	local unformatted
	unformatted=$(git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 gofmt -l)
	if [[ -n $unformatted ]]; then
		printf 'run gofmt -w on:\n%s\n' "$unformatted"
		return 1
	fi
}

# newest_go_versions prints the newest patch release of each Go version from that of
# go.mod on, oldest first, for example go1.26.11 and go1.27.4.
newest_go_versions() {
	local minimum
	minimum=$(go mod edit -json | grep -o '"Go": "[^"]*"' | cut -d'"' -f4 | cut -d. -f1,2)
	go list -m -versions go | tr ' ' '\n' | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' | sort -V |
		awk -F. -v minimum="$minimum" '
			BEGIN { split(minimum, least, ".") }
			$1 > least[1] || ($1 == least[1] && $2 >= least[2]) { newest[$1 "." $2] = "go" $0 }
			END { for (version in newest) print newest[version] }' | sort -V
}

# within runs a command in a module's folder.
within() {
	(cd "$1" && "${@:2}")
}

# install_missing installs what the tests need beside Go and git: a C compiler for the race detector,
# Node and Python for the examples of the control API, PostgreSQL for jobs, zsh and fish for
# completion, promtool for the alert rules and a browser for e2e. From here on, a test that needs
# one of them fails where it is missing.
install_missing() {
	export HIRING_SKIP_NOTHING=1
	local program packages=()
	command -v "$(CGO_ENABLED=1 go env CC | cut -d' ' -f1)" >/dev/null || packages+=(gcc libc6-dev)
	for program in node:nodejs python3:python3 zsh:zsh fish:fish promtool:prometheus; do
		command -v "${program%:*}" >/dev/null || packages+=("${program#*:}")
	done
	compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || packages+=(postgresql)
	command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || packages+=(chromium-headless-shell fonts-dejavu-core)
	if ((${#packages[@]} == 0)); then
		return
	fi
	step "installing ${packages[*]}"
	if ((UID != 0)) || ! command -v apt-get >/dev/null; then
		printf 'This runs on Debian 12 or newer. Install what is missing, and run it again; .ci/check needs none of it:\n\n    sudo apt-get install --no-install-recommends %s\n' "${packages[*]}"
		return 1
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

# build_tool builds a program that tools/go.mod pins; nothing is done when it is up to date.
build_tool() {
	step "building ${1##*/} (minutes the first time)"
	within tools go build -o "$bin/" "$1"
}

# look_for_vulnerabilities fails if released code calls a function with a known vulnerability.
look_for_vulnerabilities() {
	build_tool golang.org/x/vuln/cmd/govulncheck
	local module text
	rm -f .cache/not-checked
	for module in "${released_modules[@]}"; do
		step "govulncheck ./... ($module)"
		if text=$(within "$module" "$bin/govulncheck" ./... 2>&1); then
			continue
		elif [[ $text == *"fetching vulnerabilities"* ]]; then
			# .ci/release asks before it publishes what was not checked.
			printf 'not checked: the database of vulnerabilities is not reachable (%s)\n' "${text##*: }" | tee .cache/not-checked
			return
		fi
		printf '%s\n' "$text"
		return 1
	done
}
