package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// ProviderLinks returns the links of a provider: self, and the provider's themes by its slug.
func ProviderLinks(p *catalogue.Provider) Links {
	links := selfOf("provider", p.ID, account.Browse)
	links.List = append(links.List, Link{Rel: "themes", To: "getThemesByProvider", ID: p.Slug, Permission: account.Browse})
	return links
}

// ThemeLinks returns the links of a theme: self, and the provider of the theme.
func ThemeLinks(t *catalogue.Theme, p *catalogue.Provider) Links {
	return linksOf(
		Link{Rel: "self", To: "getThemesByProviderAndId", Within: p.Slug, ID: string(t.ID), Permission: account.Browse},
		Link{Rel: "provider", ID: string(p.ID), Permission: account.Browse},
	)
}
