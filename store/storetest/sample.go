package storetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// The sample is a catalogue of any size for measurements and for tests of single engines. SampleChannels and
// SampleSubjects are the numbers of channels and subjects that its videos refer to.
const (
	SampleChannels = 50
	SampleSubjects = 60
)

// SampleID returns the ID of the nth object of a kind in the sample, counted from 0.
func SampleID(kind catalogue.Kind, n int) catalogue.ID {
	return catalogue.DeriveID(kind, "sample", fmt.Sprint(n))
}

// SampleDirectory returns the objects that the videos of the sample refer to.
func SampleDirectory() (items []catalogue.Item) {
	for n := range SampleChannels {
		items = append(items, &catalogue.Channel{Meta: catalogue.Meta{ID: SampleID(catalogue.KindChannel, n)}, Name: fmt.Sprint("Channel ", n)})
	}
	for n := range SampleSubjects {
		items = append(items, &catalogue.Subject{Meta: catalogue.Meta{ID: SampleID(catalogue.KindSubject, n)}, Name: fmt.Sprint("Subject ", n)})
	}
	return items
}

// SampleVideo returns the nth video of the sample. Its body has about 1.5 KB.
func SampleVideo(n int) *catalogue.Video {
	video := &catalogue.Video{
		Meta:  catalogue.Meta{ID: SampleID(catalogue.KindVideo, n), Source: "sample", Reference: fmt.Sprint(n)},
		Title: fmt.Sprint("A plain introduction to matter ", n), Description: strings.Repeat("What it is made of and how it changes. ", 12),
		Type: catalogue.Instructional,
		Playback: catalogue.Playback{
			ID: fmt.Sprint("play-", n), Provider: catalogue.ProviderHLS, Duration: 5 * catalogue.Minute,
			Stream:    fmt.Sprintf("https://media.example/streams/%d/index.m3u8", n),
			Thumbnail: fmt.Sprintf("https://media.example/posters/%d/{thumbnailWidth}.jpg", n),
		},
		ChannelID: SampleID(catalogue.KindChannel, n%SampleChannels),
		Keywords:  []string{"matter", "solids", "liquids", "gases"}, EducationLevels: []string{},
	}
	for i := range 4 {
		video.SubjectIDs = append(video.SubjectIDs, SampleID(catalogue.KindSubject, (n+i*7)%SampleSubjects))
	}
	return video
}

// SampleVideos returns the videos of the sample from number from up to, but not including, number to.
func SampleVideos(from, to int) (items []catalogue.Item) {
	for n := from; n < to; n++ {
		items = append(items, SampleVideo(n))
	}
	return items
}

// PutAll writes items in one transaction. It returns an error if an item is rejected.
func PutAll(ctx context.Context, c store.Catalogue, items []catalogue.Item) error {
	return c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for i, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return fmt.Errorf("item %d: %w", i, outcome.Faults)
			}
		}
		return err
	})
}
