package model

import (
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Playback describes the playback of a video.
type Playback struct{ video *catalogue.Video }

// Type returns "YOUTUBE" for a video on YouTube and "STREAM" for any other video.
func (p Playback) Type() string {
	if p.video.Playback.Provider == catalogue.ProviderYouTube {
		return "YOUTUBE"
	}
	return "STREAM"
}

func (p Playback) ID() string                   { return p.video.Playback.ID }
func (p Playback) Duration() catalogue.Duration { return p.video.Playback.Duration }

// Links returns the links for reporting playback, the images that exist and, unless the video is hosted elsewhere, the
// stream at a signed address of this service.
func (p Playback) Links() Links {
	links := linksOf(
		Link{Rel: "createPlaybackEvent", Permission: account.Browse},
		Link{Rel: "createPlayerInteractedWithEvent", Permission: account.Browse},
	)
	if link, ok := p.Thumbnail(); ok {
		links.List = append(links.List, link)
	}
	if link, ok := imageLink("videoPreview", p.video.Playback.Preview); ok {
		links.List = append(links.List, link)
	}
	if p.video.Playback.Stream != "" {
		links.List = append(links.List, Link{Rel: "hlsStream", ID: string(p.video.ID)})
	}
	return links
}

// Thumbnail returns the link to a picture, and false if there is none.
func (p Playback) Thumbnail() (Link, bool) {
	return imageLink("thumbnail", p.video.Playback.Thumbnail)
}

// imageLink returns a link to the service's own image for a stream embedded in the binary, or else to address.
func imageLink(rel, address string) (Link, bool) {
	if name, isDemo := strings.CutPrefix(address, catalogue.DemoStreamScheme); isDemo {
		return Link{Rel: rel, ID: name}, true
	}
	return Link{Rel: rel, Address: address, Templated: strings.Contains(address, "{")}, address != ""
}
