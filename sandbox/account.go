package sandbox

import "net/http"

func getAccount(c *call) response { return c.data(http.StatusOK, c.world.Account.Value) }

func listMembers(c *call) response {
	all := c.world.Members
	return listRange(c, all, 0, all.Len(), "")
}
