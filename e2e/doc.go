// Package e2e tries the sandbox's page as people use it: with a browser.
package e2e
