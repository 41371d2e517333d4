package server

import "net/http"

// Run serves until it fails.
func Run(handler http.Handler) error {
	return http.ListenAndServe(":8080", handler)
}
