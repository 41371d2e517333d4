package cache

// Cache keeps values by their keys.
type Cache struct {
	items map[string]string
}

// New makes an empty cache.
func New() *Cache {
	return &Cache{items: map[string]string{}}
}
