package apitest

// Last is the error that ends a range.
func Last[T any](seq func(yield func(T, error) bool)) (end error) {
	for _, err := range seq {
		end = err
	}
	return end
}

// Second is the error of a call that also returns something else.
func Second[T any](_ T, err error) error { return err }
