package storelogic

import (
	"fmt"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/catalogue"
)

// videoTraits is the part of a video's body that determines its catalogue.Traits and its duration, with the field names
// of catalogue.Video. The decoder skips all other fields.
type videoTraits struct {
	Type     catalogue.VideoType `json:"type"`
	Playback struct {
		Provider catalogue.PlaybackProvider `json:"provider"`
		Duration catalogue.Duration         `json:"duration"`
	} `json:"playback"`
	ChannelID         catalogue.ID        `json:"channel"`
	SubjectIDs        []catalogue.ID      `json:"subjects"`
	Language          *catalogue.Language `json:"language"`
	ContentWarningIDs []catalogue.ID      `json:"contentWarnings"`
	EducationLevels   []string            `json:"educationLevels"`
	Categories        []string            `json:"categories"`
}

// channelTraits is the corresponding part of a channel's body.
type channelTraits struct {
	Categories          []string                       `json:"categories"`
	DistributionMethods []catalogue.DistributionMethod `json:"distributionMethods"`
}

// TraitsReader derives the traits of videos from bodies. It decodes each channel once, so it serves a single query,
// whose rows are as of one moment. The zero value is ready to use.
type TraitsReader struct {
	channels map[catalogue.ID]*catalogue.Channel
}

// Read sets the traits and the duration of a video from the bodies of the video and of its channel. It does not retain
// the bodies.
func (r *TraitsReader) Read(state *catalogue.State, video, channel []byte) error {
	var body videoTraits
	if err := fastjson.Unmarshal(video, &body); err != nil {
		return fmt.Errorf("store: decode the traits of a video: %w", err)
	}
	of, err := r.channel(body.ChannelID, channel)
	if err != nil {
		return err
	}
	state.Duration = body.Playback.Duration
	state.Traits = catalogue.TraitsOf(&catalogue.Video{
		Type: body.Type, Playback: catalogue.Playback{Provider: body.Playback.Provider}, ChannelID: body.ChannelID,
		SubjectIDs: body.SubjectIDs, Language: body.Language, ContentWarningIDs: body.ContentWarningIDs,
		EducationLevels: body.EducationLevels, Categories: body.Categories,
	}, of)
	return nil
}

func (r *TraitsReader) channel(id catalogue.ID, encoded []byte) (*catalogue.Channel, error) {
	if known, ok := r.channels[id]; ok {
		return known, nil
	}
	var body channelTraits
	if err := fastjson.Unmarshal(encoded, &body); err != nil {
		return nil, fmt.Errorf("store: decode the traits of channel %s: %w", id, err)
	}
	channel := &catalogue.Channel{Categories: body.Categories, DistributionMethods: body.DistributionMethods}
	if r.channels == nil {
		r.channels = map[catalogue.ID]*catalogue.Channel{}
	}
	r.channels[id] = channel
	return channel, nil
}
