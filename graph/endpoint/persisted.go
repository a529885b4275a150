package endpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"

	"github.com/filmstrip/filmstrip/cache"
)

// persistedQuery is the extension of that name (Apollo's automatic persisted queries): a hash in place of the query,
// or a hash beside the query, which registers it.
type persistedQuery struct {
	Version int    `json:"version"`
	Hash    string `json:"sha256Hash"`
}

// persisted looks up and stores queries by the SHA-256 of their text. It stores valid queries of at most
// maxQueryLength bytes.
type persisted struct {
	queries cache.Cache
	logger  *slog.Logger
}

// persistedVersion is the version of the protocol, and of every cache entry, because a hash never gets another text.
const persistedVersion = 1

// complete sets the query of a request that gives only its hash.
func (p persisted) complete(ctx context.Context, params *request) *refusal {
	if params.persisted == nil {
		return nil
	}
	if params.persisted.Version != persistedVersion {
		return badRequest("extensions.persistedQuery.version is %d; the server supports %d", params.persisted.Version, persistedVersion)
	}
	hash, err := hex.DecodeString(params.persisted.Hash)
	if err != nil || len(hash) != sha256.Size {
		return badRequest("extensions.persistedQuery.sha256Hash %.100q is not a SHA-256 in hex", params.persisted.Hash)
	}
	sum := [sha256.Size]byte(hash)
	switch {
	case params.query == "" && p.queries == nil:
		return refuse(http.StatusOK, codePersistedUnsupported, "PersistedQueryNotSupported")
	case params.query == "":
		if params.query = p.find(ctx, sum); params.query == "" {
			return refuse(http.StatusOK, codePersistedNotFound, "PersistedQueryNotFound")
		}
	case sha256.Sum256([]byte(params.query)) != sum:
		return badRequest("extensions.persistedQuery.sha256Hash %s is not the hash of the query", params.persisted.Hash)
	}
	return nil
}

// find returns the query with this hash, or "" if the cache does not hold it or fails.
func (p persisted) find(ctx context.Context, sum [sha256.Size]byte) string {
	var found [1]cache.Entry
	if err := p.queries.Get(ctx, []cache.Ask{{Key: persistedKey(sum), AtLeast: 1}}, found[:]); err != nil {
		p.logger.DebugContext(ctx, "the cache of persisted queries failed", "error", err)
		return ""
	}
	if sha256.Sum256(found[0].Value) != sum { // no entry, or a foreign one
		return ""
	}
	return string(found[0].Value)
}

// keep stores the query of a request that gives both query and hash.
func (p persisted) keep(ctx context.Context, params *request) {
	if params.persisted == nil || p.queries == nil {
		return
	}
	item := cache.Item{
		Key:   persistedKey(sha256.Sum256([]byte(params.query))),
		Entry: cache.Entry{Version: persistedVersion, Value: []byte(params.query)},
	}
	if err := p.queries.Put(ctx, []cache.Item{item}); err != nil {
		p.logger.DebugContext(ctx, "the cache of persisted queries failed", "error", err)
	}
}

// persistedKey has a fixed width, and a prefix that no other key of the cache has.
func persistedKey(sum [sha256.Size]byte) string { return "graphql-query:" + string(sum[:]) }
