package storelogic

import (
	"fmt"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/catalogue"
)

// videoTraits is the part of a video's body that its catalogue.Traits and its duration come of, by the names of
// catalogue.Video. The rest is passed over, not decoded.
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

// channelTraits is that of a channel's body.
type channelTraits struct {
	Categories          []string                       `json:"categories"`
	DistributionMethods []catalogue.DistributionMethod `json:"distributionMethods"`
}

// TraitsReader makes the traits of videos out of bodies. It reads each channel once, so it serves one
// answer of a store, whose rows are of one moment. The zero value is ready.
type TraitsReader struct {
	channels map[catalogue.ID]*catalogue.Channel
}

// Read fills in the traits and the duration of a video with these bodies of its own and of its channel, which it does
// not keep.
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
