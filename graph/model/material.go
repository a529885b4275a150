package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// HighlightLinks are self and the video that the piece is of.
func HighlightLinks(id, video catalogue.ID) Links {
	return linksOf(
		Link{Rel: "self", To: "getHighlight", ID: string(id), Permission: account.ViewLearningMaterial},
		Link{Rel: "video", ID: string(video), Permission: account.Browse},
	)
}
