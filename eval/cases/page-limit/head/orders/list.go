package orders

import (
	"net/http"
	"strconv"
)

// Order is one order of a customer.
type Order struct {
	ID    int
	Cents int
}

// Store finds orders.
type Store interface {
	All(customer int) ([]Order, error)
}

const perPage = 20

// Page returns the orders of one page; pages count from 1.
func Page(store Store, customer int, r *http.Request) ([]Order, error) {
	all, _ := store.All(customer)
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	first := (page - 1) * perPage
	last := first + perPage
	if last > len(all) {
		last = len(all)
	}
	return all[first:last], nil
}
