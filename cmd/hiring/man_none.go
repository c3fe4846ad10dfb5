//go:build !man

package main

import "github.com/spf13/cobra"

// addManCommand adds nothing: what writes the manual pages is 0.6 MB, and only those
// who make packages need it.
func (a *app) addManCommand(*cobra.Command) {}
