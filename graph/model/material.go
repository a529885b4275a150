package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// HighlightLinks returns the links of a highlight: self, and the video that it is part of.
func HighlightLinks(id, video catalogue.ID) Links {
	return linksOf(
		Link{Rel: "self", To: "getHighlight", ID: string(id), Permission: account.ViewLearningMaterial},
		Link{Rel: "video", ID: string(video), Permission: account.Browse},
	)
}
