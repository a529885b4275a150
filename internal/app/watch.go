package app

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/web"
)

// watchMounts returns the pages that play a video: the share page, and the page that customers' sites embed.
func (s *App) watchMounts(settings *Settings) []httpserver.Mount {
	get := []string{http.MethodGet}
	client := settings.WatchClient
	if settings.Demo {
		client = cmp.Or(client, demo.WatchClient)
	}
	tokens := s.identity.tokens
	opener := embed.NewOpener(embed.Config{
		Signer: embed.NewSigner(tokens.EmbedKeys), Roster: tokens.Roster, Token: tokens.EmbedToken, Ended: s.userEnded,
		Find: s.findEmbedded, Now: time.Now,
	})
	embedded := s.identity.limits.Address("embed", settings.TokenRate, web.Embed(opener, s.identity.limits.Viewing))
	return []httpserver.Mount{
		{Path: web.WatchPath, Prefix: true, Methods: get, Handler: web.Watch(client, settings.AuthURL), Public: true},
		{Path: embed.Path, Prefix: true, Methods: get, Handler: embedded, Public: true},
	}
}

// userEnded reports whether a user of an account is disabled or deleted.
func (s *App) userEnded(ctx context.Context, of, id string) (bool, error) {
	user, err := account.As[*account.User](s.stores.Accounts.Entity(ctx, account.KindUser.Key(id)))
	return err == nil && (user == nil || user.Disabled || user.AccountID != of), err
}

// findEmbedded returns a video that an account may see. It follows a retired video to its replacement.
func (s *App) findEmbedded(ctx context.Context, id catalogue.ID, access catalogue.Access, today catalogue.Date) (embed.Found, error) {
	for range 1 + catalogue.MaxReplacements {
		videos, err := s.catalogue.Videos(ctx, []catalogue.ID{id})
		if err != nil {
			return embed.Found{}, err
		}
		if len(videos) == 0 {
			break
		}
		video := videos[0]
		directory, err := s.catalogue.Directory(ctx, video.Version)
		if err != nil {
			return embed.Found{}, err
		}
		if directory.Shows(video, access, today) {
			return embed.Found{ID: video.ID, Title: video.Title}, nil
		}
		if !video.Retired || video.RetiredInto == nil {
			break
		}
		id = *video.RetiredInto
	}
	return embed.Found{}, fault.Errorf(fault.NotFound, "there is no such video")
}
