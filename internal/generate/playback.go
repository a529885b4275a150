package generate

import (
	"fmt"
	"math/rand/v2"

	"github.com/filmstrip/filmstrip/catalogue"
)

// lengths are the quantiles of a log-normal distribution (median 4:30, sigma 0.9) in seconds, as integers. Values
// between two quantiles are drawn evenly.
var lengths = []int{
	20, 61, 85, 106, 127, 147, 168, 191, 215, 241, 270, 302, 339, 382, 433, 497, 576, 686, 856, 1186, 5400,
}

func drawLength(rng *rand.Rand) catalogue.Duration {
	at := rng.IntN(len(lengths) - 1)
	if at == len(lengths)-2 && rng.IntN(8) > 0 { // the tail thins out
		return catalogue.Duration(lengths[at]+rng.IntN(1200)) * catalogue.Second
	}
	return catalogue.Duration(lengths[at]+rng.IntN(lengths[at+1]-lengths[at])) * catalogue.Second
}

func playbackID(number int) string { return fmt.Sprintf("p%08x", number) }

// play sets how the video is played: the first ones with the streams in the binary, few on YouTube, the others at
// addresses that do not exist.
func (g *generator) play(v *catalogue.Video, number int) {
	id := playbackID(number)
	length := drawLength(g.rng)
	if g.chance(200) {
		length += catalogue.Duration(g.rng.IntN(1000)) * catalogue.Millisecond
	}
	if number < demoVideos {
		stream := demoStreams[number%len(demoStreams)]
		address := catalogue.DemoStreamScheme + stream.name
		v.Playback = catalogue.Playback{
			ID: id, Provider: catalogue.ProviderHLS, Duration: stream.length,
			Stream: address, Thumbnail: address, Preview: address,
		}
		return
	}
	if g.chance(50) {
		v.Playback = catalogue.Playback{
			ID: id, Provider: catalogue.ProviderYouTube, Duration: length,
			Thumbnail: "https://img.youtube.example/vi/" + id + "/hqdefault.jpg",
		}
		return
	}
	images := "https://media.example/images/" + id
	v.Playback = catalogue.Playback{
		ID: id, Provider: catalogue.ProviderHLS, Duration: length,
		Stream:    "https://media.example/streams/" + id + "/playlist.m3u8",
		Thumbnail: images + "/width/{thumbnailWidth}/vid_slices/3/vid_slice/1",
		Preview:   images + "/width/{thumbnailWidth}/vid_slices/{thumbnailCount}",
	}
	switch pick(g.rng, 90, 8, 2) {
	case 1: // an uploaded poster
		v.Playback.Thumbnail = images + "/poster.jpg"
	case 2:
		v.Playback.Thumbnail, v.Playback.Preview = "", ""
	}
}
