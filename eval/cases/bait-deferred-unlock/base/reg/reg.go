package reg

// Registry knows services by name.
type Registry struct {
	items map[string]string
}

// Set adds a service.
func (r *Registry) Set(name, address string) {
	r.items[name] = address
}
