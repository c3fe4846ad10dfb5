//go:build !man

package main

import "github.com/spf13/cobra"

// addManCommand adds nothing: the generator of manual pages adds 0.6 MB, and only
// packagers need it.
func (a *app) addManCommand(*cobra.Command) {}
