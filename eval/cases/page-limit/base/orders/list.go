package orders

// Order is one order of a customer.
type Order struct {
	ID    int
	Cents int
}

// Store finds orders.
type Store interface {
	All(customer int) ([]Order, error)
}
