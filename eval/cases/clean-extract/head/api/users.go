package api

func (c *Client) User(id string) (User, error) {
	return retry(func() (User, error) { return c.getUser(id) })
}
