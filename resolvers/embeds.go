package resolvers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/embed"
)

// EmbedSigner writes what an embed allows as the path and query of its address.
type EmbedSigner interface {
	Sign(grant embed.Grant) string
}

var errNoEmbeds = fault.Errorf(fault.Unavailable, "this server makes no embeds")

func (m mutation) CreateEmbed(ctx context.Context, videoID string, input *graph.EmbedInput) (*graph.Embed, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if m.embeds == nil || caller.Account == nil {
		return nil, errNoEmbeds
	}
	id, err := m.visibleVideo(ctx, videoID)
	if err != nil {
		return nil, err
	}
	video, err := query(m).Video(ctx, string(id), nil)
	if err != nil {
		return nil, err
	}
	if video == nil {
		return nil, noSuch("video", videoID)
	}
	if err := mayBeEmbedded(video, caller.Account); err != nil {
		return nil, err
	}
	if input == nil {
		input = &graph.EmbedInput{}
	}
	issued := m.now().Truncate(time.Second)
	grant := embed.Grant{Video: id, Client: caller.ClientID, User: caller.User, Issued: issued}
	if err := readEmbed(&grant, input, float64(video.Playback().Duration())/1000, caller.Account.AllowedOrigins); err != nil {
		return nil, err
	}
	address := embed.BaseOf(ctx) + m.embeds.Sign(grant)
	return &graph.Embed{URL: address, HTML: embed.Snippet(address, video.Title()), ExpiresAt: grant.Expires}, nil
}

// mayBeEmbedded names what is missing before a page could show a video.
func mayBeEmbedded(video *model.Video, owner *account.Account) error {
	switch {
	case !video.HasStream():
		return fault.Errorf(fault.Conflict, "the video %s has no stream that the player could play", video.ID())
	case len(owner.AllowedOrigins) == 0:
		return fault.Errorf(fault.Conflict, "the account allows no page to show its videos: it has no allowedOrigins")
	}
	return nil
}

// readEmbed puts what is asked for into the grant. All faults are told at once.
func readEmbed(grant *embed.Grant, input *graph.EmbedInput, duration float64, allowed []string) error {
	var faults []string
	problem := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	life := embed.DefaultLife
	if input.ExpiresIn != nil {
		least, most := int(embed.MinLife/time.Second), int(embed.MaxLife/time.Second)
		if *input.ExpiresIn < least || *input.ExpiresIn > most {
			problem("expiresIn: %d is not between %d and %d seconds", *input.ExpiresIn, least, most)
		} else {
			life = time.Duration(*input.ExpiresIn) * time.Second
		}
	}
	grant.Expires = grant.Issued.Add(life)
	if input.Start != nil {
		grant.Start = *input.Start
	}
	if grant.Start < 0 || grant.Start >= duration || math.IsNaN(grant.Start) {
		problem("start: %v is not a second of the video, which has %v", grant.Start, duration)
	}
	if input.End != nil {
		grant.End = *input.End
		if grant.End <= grant.Start || grant.End > duration || math.IsNaN(grant.End) {
			problem("end: %v is not between start and the end of the video at %v", grant.End, duration)
		}
	}
	if len(input.Origins) > embed.MaxOrigins {
		problem("origins: %d are more than %d", len(input.Origins), embed.MaxOrigins)
	}
	if input.Origins != nil && len(input.Origins) == 0 {
		problem("origins: is empty: name some, or leave it out for all that the account allows")
	}
	for i, origin := range input.Origins {
		if !slices.Contains(allowed, origin) {
			problem("origins[%d]: %q is not one of the account's allowedOrigins", i, catalogue.Shorten(origin))
		}
	}
	grant.Origins = input.Origins
	if faults != nil {
		invalid := fault.InvalidRequest("%s", faults[0])
		invalid.Reasons = faults
		return invalid
	}
	return nil
}
