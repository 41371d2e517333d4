package server

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Run serves until a signal comes, then finishes what is under way.
func Run(handler http.Handler) error {
	server := &http.Server{Addr: ":8080", Handler: handler}
	stop := make(chan os.Signal)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		server.Shutdown(ctx)
	}()
	return server.ListenAndServe()
}
