package main

import (
	"net/http"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/web"
)

// pageMounts are the pages that show the API to people: anybody may have them, what they ask for needs a token.
func pageMounts() []httpserver.Mount {
	get := []string{http.MethodGet}
	var mounts []httpserver.Mount
	for path, page := range map[string]http.Handler{"/docs": web.Docs(), "/explorer": web.Explorer()} {
		mounts = append(mounts,
			httpserver.Mount{Path: path, Methods: get, Handler: page, Public: true},
			httpserver.Mount{Path: path + "/", Prefix: true, Methods: get, Handler: page, Public: true})
	}
	return append(mounts, playerMount())
}

// playerMount is what pages of customers embed: any page may have it.
func playerMount() httpserver.Mount {
	return httpserver.Mount{
		Path: "/player/", Prefix: true, Methods: []string{http.MethodGet, http.MethodOptions}, Handler: web.Player(), Public: true, AnyOrigin: true,
	}
}
