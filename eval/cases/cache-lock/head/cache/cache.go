package cache

import "sync"

// Loader finds a value that the cache does not have.
type Loader func(key string) (string, error)

// Cache keeps values by their keys. It may be used by several goroutines.
type Cache struct {
	mu    sync.Mutex
	items map[string]string
	load  Loader
}

// New makes an empty cache.
func New(load Loader) *Cache {
	return &Cache{items: map[string]string{}, load: load}
}

// Get returns the value of a key, loading it at first.
func (c *Cache) Get(key string) (string, error) {
	c.mu.Lock()
	if value, ok := c.items[key]; ok {
		return value, nil
	}
	c.mu.Unlock()
	value, err := c.load(key)
	if err != nil {
		return "", err
	}
	c.items[key] = value
	return value, nil
}

// Len is the number of values.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items)
}
