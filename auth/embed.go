package auth

import (
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// EmbedScope is the scope of tokens that are valid for one video only. Clients cannot request it.
const EmbedScope = "embed"

const (
	// maxEmbedLife is the maximum lifetime of an embed URL.
	maxEmbedLife = 31 * 24 * time.Hour
	// embedTokenLife is the maximum lifetime of a token for one video; the page renews it.
	embedTokenLife = 10 * time.Minute
)

// EmbedToken returns an access token, issued to the given client, that allows reading one video and reporting its
// playback. It is valid for at most ten minutes and not beyond by, which must be in the future. ends is its expiry.
func (s *Service) EmbedToken(client string, embed account.Embed, by time.Time) (token string, ends time.Time, err error) {
	now, tokens := s.config.Clock(), tokensOf(s.config)
	tokens.lifetime = min(tokens.lifetime, embedTokenLife, by.Sub(now))
	token, err = tokens.write(s.rosters.now().records.keys, identity{clientID: client, scope: EmbedScope, embed: &embed}, now)
	return token, now.Add(tokens.lifetime), err
}

// EmbedKeys returns the keys of embed URLs, the signing key first. The slice is shared and must not be modified.
func (s *Service) EmbedKeys() []account.Key {
	keys := s.rosters.now().records.keys.embeds
	published := s.config.Clock().Add(-s.config.PublishAhead)
	at := slices.IndexFunc(keys, func(key account.Key) bool { return !key.CreatedAt.After(published) })
	switch at {
	case 0:
		return keys
	case -1: // the first ever, or the one that all others were withdrawn for
		at = len(keys) - 1
	}
	return slices.Concat(keys[at:at+1], keys[:at], keys[at+1:])
}

// audienceOf returns the audience of a token, which for a token of one video differs from that of all others.
func (t accessTokens) audienceOf(video catalogue.ID) string {
	if video == "" {
		return t.audience
	}
	return t.audience + "#" + EmbedScope
}
