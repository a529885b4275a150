package model

import "github.com/filmstrip/filmstrip/account"

// UserLinks returns the links of a user.
func UserLinks(id string) Links {
	return linksOf(
		Link{Rel: "self", To: "user", ID: id, Permission: account.Browse},
		Link{Rel: "profile", To: "user", ID: id, Permission: account.Browse},
	)
}
