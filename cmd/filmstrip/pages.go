package main

import (
	"net/http"

	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/web"
)

// pageDoors are the pages that show the API to people: anybody may have them, what they ask for needs a token.
func pageDoors() []rest.Door {
	get := []string{http.MethodGet}
	var doors []rest.Door
	for path, page := range map[string]http.Handler{"/docs": web.Docs(), "/explorer": web.Explorer()} {
		doors = append(doors,
			rest.Door{Path: path, Methods: get, Handler: page, Public: true},
			rest.Door{Path: path + "/", Prefix: true, Methods: get, Handler: page, Public: true})
	}
	return append(doors, playerDoor())
}

// playerDoor is what pages of customers embed: any page may have it.
func playerDoor() rest.Door {
	return rest.Door{
		Path: "/player/", Prefix: true, Methods: []string{http.MethodGet, http.MethodOptions}, Handler: web.Player(), Public: true, AnyOrigin: true,
	}
}
