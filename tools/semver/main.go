// Command semver prints those of its arguments that are semantic versions in the form of the go command, the lowest first.
package main

import (
	"fmt"
	"os"

	"golang.org/x/mod/semver"
)

func main() {
	versions := os.Args[1:]
	semver.Sort(versions)
	for _, version := range versions {
		if semver.Canonical(version) == version { // Without build metadata, which the go command refuses.
			fmt.Println(version)
		}
	}
}
