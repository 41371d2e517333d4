package api

import "time"

func (c *Client) User(id string) (User, error) {
	var last error
	for attempt := 0; attempt < 3; attempt++ {
		user, err := c.getUser(id)
		if err == nil {
			return user, nil
		}
		last = err
		time.Sleep(time.Second << attempt)
	}
	return User{}, last
}
