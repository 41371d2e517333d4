package reg

import "sync"

// Registry knows services by name. It may be used by several goroutines.
type Registry struct {
	mu    sync.Mutex
	items map[string]string
}

// Set adds a service.
func (r *Registry) Set(name, address string) {
	defer r.lock()()
	if name == "" {
		return
	}
	r.items[name] = address
}

// lock takes the lock and returns what gives it back.
func (r *Registry) lock() func() {
	r.mu.Lock()
	return r.mu.Unlock
}
