// Package embeds creates addresses at this service: those under which the sites of an account show one video, and those of
// pictures.
package embeds

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
)

// Signer returns the path and query of the address of an embed.
type Signer interface {
	Sign(grant embed.Grant) string
}

// Resolver resolves the fields about embeds.
type Resolver struct {
	videos *videos.Resolver
	signer Signer
	now    func() time.Time
}

// New makes a resolver. Without a signer, createEmbed returns an error with the code Unavailable.
func New(visible *videos.Resolver, signer Signer, now func() time.Time) *Resolver {
	return &Resolver{videos: visible, signer: signer, now: now}
}

func (r *Resolver) CreateEmbed(ctx context.Context, videoID string, input *graph.EmbedInput) (*graph.Embed, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if r.signer == nil || caller.Account == nil {
		return nil, fault.Errorf(fault.Unavailable, "this server does not create embeds")
	}
	id, err := r.videos.VisibleVideo(ctx, videoID)
	if err != nil {
		return nil, err
	}
	video, err := r.videos.Video(ctx, string(id), nil)
	if err != nil {
		return nil, err
	}
	if video == nil {
		return nil, inputs.NotFound("video", videoID)
	}
	if err := checkEmbeddable(video, caller.Account); err != nil {
		return nil, err
	}
	if input == nil {
		input = &graph.EmbedInput{}
	}
	grant := embed.Grant{Video: id, Client: caller.ClientID, User: caller.User, Issued: r.now().Truncate(time.Second)}
	if err := setInput(&grant, input, float64(video.Playback().Duration())/1000, caller.Account.AllowedOrigins); err != nil {
		return nil, err
	}
	address := embed.BaseOf(ctx) + r.signer.Sign(grant)
	return &graph.Embed{URL: address, HTML: embed.Snippet(address, video.Title), ExpiresAt: grant.Expires}, nil
}

// checkEmbeddable returns an error with the code Conflict if no page could show the video.
func checkEmbeddable(video *model.Video, owner *account.Account) error {
	switch {
	case !video.HasStream():
		return fault.Errorf(fault.Conflict, "the video %s has no stream that the player can play", video.ID)
	case len(owner.AllowedOrigins) == 0:
		return fault.Errorf(fault.Conflict, "no page may show the account's videos: the account has no allowedOrigins")
	}
	return nil
}

// setInput copies an input into a grant for a video of a duration in seconds. It returns all faults of the input at once.
func setInput(grant *embed.Grant, input *graph.EmbedInput, duration float64, allowed []string) error {
	var faults inputs.Faults
	life := embed.DefaultLife
	if input.ExpiresIn != nil {
		least, most := int(embed.MinLife/time.Second), int(embed.MaxLife/time.Second)
		if *input.ExpiresIn < least || *input.ExpiresIn > most {
			faults.Add("expiresIn", "%d is not between %d and %d seconds", *input.ExpiresIn, least, most)
		} else {
			life = time.Duration(*input.ExpiresIn) * time.Second
		}
	}
	grant.Expires = grant.Issued.Add(life)
	if input.Start != nil {
		grant.Start = *input.Start
	}
	if grant.Start < 0 || grant.Start >= duration || math.IsNaN(grant.Start) {
		faults.Add("start", "%v is not a second of the video, which has %v", grant.Start, duration)
	}
	if input.End != nil {
		grant.End = *input.End
		if grant.End <= grant.Start || grant.End > duration || math.IsNaN(grant.End) {
			faults.Add("end", "%v is not between start and the end of the video at %v", grant.End, duration)
		}
	}
	if len(input.Origins) > embed.MaxOrigins {
		faults.Add("origins", "%d are more than %d", len(input.Origins), embed.MaxOrigins)
	}
	if input.Origins != nil && len(input.Origins) == 0 {
		faults.Add("origins", "is empty: name origins, or leave the field out for all that the account allows")
	}
	for i, origin := range input.Origins {
		if !slices.Contains(allowed, origin) {
			faults.Add(fmt.Sprintf("origins[%d]", i), "%q is not one of the account's allowedOrigins", fault.Shorten(origin))
		}
	}
	grant.Origins = input.Origins
	return faults.Err()
}
