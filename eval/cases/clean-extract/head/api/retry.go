package api

import "time"

const attempts = 3

// retry calls until it succeeds, three times at most, and waits in between.
func retry[T any](call func() (T, error)) (T, error) {
	var value T
	var err error
	for attempt := 0; attempt < attempts; attempt++ {
		value, err = call()
		if err == nil {
			return value, nil
		}
		time.Sleep(time.Second << attempt)
	}
	return value, err
}
