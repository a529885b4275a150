package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// ProviderLinks are self and, by the provider's slug, its themes.
func ProviderLinks(p *catalogue.Provider) Links {
	links := selfOf("provider", p.ID, account.Browse)
	links.List = append(links.List, Link{Rel: "themes", To: "getThemesByProvider", ID: p.Slug, Permission: account.Browse})
	return links
}

// ThemeLinks are self and the provider whose theme it is.
func ThemeLinks(t *catalogue.Theme, p *catalogue.Provider) Links {
	return linksOf(
		Link{Rel: "self", To: "getThemesByProviderAndId", Within: p.Slug, ID: string(t.ID), Permission: account.Browse},
		Link{Rel: "provider", ID: string(p.ID), Permission: account.Browse},
	)
}
