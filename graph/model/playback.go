package model

import (
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Playback is how a video is played.
type Playback struct{ video *catalogue.Video }

// Type is STREAM, or YOUTUBE for a video hosted there.
func (p Playback) Type() string {
	if p.video.Playback.Provider == catalogue.ProviderYouTube {
		return "YOUTUBE"
	}
	return "STREAM"
}

func (p Playback) ID() string                   { return p.video.Playback.ID }
func (p Playback) Duration() catalogue.Duration { return p.video.Playback.Duration }

// Links are where to tell what was played, the images that there are and, unless the video is hosted
// elsewhere, the stream, under a signed address of ours.
func (p Playback) Links() Links {
	links := linksOf(
		Link{Rel: "createPlaybackEvent", Permission: account.Browse},
		Link{Rel: "createPlayerInteractedWithEvent", Permission: account.Browse},
	)
	if link, ok := imageLink("thumbnail", p.video.Playback.Thumbnail); ok {
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

// imageLink leads to our own images for a stream that the binary carries, else to the address.
func imageLink(rel, address string) (Link, bool) {
	if name, isDemo := strings.CutPrefix(address, catalogue.DemoStreamScheme); isDemo {
		return Link{Rel: rel, ID: name}, true
	}
	return Link{Rel: rel, Address: address, Templated: strings.Contains(address, "{")}, address != ""
}
