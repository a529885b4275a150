package main

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/web"
)

// watchMounts are the pages that play a video: the share page, and what sites of customers frame.
func (s *service) watchMounts(settings *serveCommand) []httpserver.Mount {
	get := []string{http.MethodGet}
	client := settings.WatchClient
	if settings.Demo {
		client = cmp.Or(client, demoWatch)
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
func (s *service) userEnded(ctx context.Context, of, id string) (bool, error) {
	record, err := s.stores.accounts.Entity(ctx, account.EntityKey{Kind: account.KindUser, ID: id})
	if err != nil {
		return false, err
	}
	user, _ := record.(*account.User)
	return user == nil || user.Disabled || user.AccountID != of, nil
}

// findEmbedded finds a video, or the one at the end of those that it was retired into, as an account sees it.
func (s *service) findEmbedded(ctx context.Context, id catalogue.ID, access catalogue.Access, today catalogue.Date) (embed.Found, error) {
	for range 1 + catalogue.MaxTwins {
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

// based tells what is behind it the base address of each request.
func based(base *httpserver.Base, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(embed.WithBase(r.Context(), base.Of(r))))
	})
}

// letComeBack lets the demo's users come back to the share page of this server: its port may be any. Where its
// address is one that no code may be sent to, as it is neither https nor of this machine, nobody signs in there.
func letComeBack(ctx context.Context, tx store.RegistryTx, base string) error {
	record, err := tx.Entity(ctx, account.EntityKey{Kind: account.KindClient, ID: demoWatch})
	client, known := record.(*account.Client)
	if err != nil || !known {
		return err
	}
	back := comeBackTo(base)
	if slices.Equal(client.RedirectURIs, back) {
		return nil
	}
	client.RedirectURIs = back
	return tx.Put(ctx, client)
}

func comeBackTo(base string) []string {
	at, err := url.Parse(base)
	if err != nil || at.Scheme != "https" && !account.IsLoopback(at.Hostname()) {
		return nil
	}
	back := []string{base + web.WatchCallback}
	if local := strings.Replace(back[0], "//127.0.0.1:", "//localhost:", 1); local != back[0] {
		back = append(back, local)
	}
	return back
}

// demoVideo is the path of the page of a video that the program itself has a stream of; "": there is none.
func (s *service) demoVideo(ctx context.Context) string {
	videos, err := s.catalogue.Scan(ctx, 0, demoVideos)
	if err != nil {
		return ""
	}
	for _, video := range videos {
		if strings.HasPrefix(video.Playback.Stream, catalogue.DemoStreamScheme) && !video.Retired {
			return web.WatchPath + string(video.ID)
		}
	}
	return ""
}
