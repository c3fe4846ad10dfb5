package apitest

import (
	"iter"
)

// LastOf returns the error that a range ends with.
func LastOf[T any](all iter.Seq2[T, error]) (err error) {
	for _, err = range all {
		if err != nil {
			break
		}
	}
	return err
}
