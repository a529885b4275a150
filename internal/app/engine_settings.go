package app

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search/semantic"
)

// The names of the engines in /readyz and metrics.
const (
	engineSQLite     = "sqlite"
	enginePostgreSQL = "postgresql"
	engineEmbedded   = "embedded"
	engineTypesense  = "typesense"
	engineMemory     = "memory"
	engineRedis      = "redis"
)

// StoreSettings select the engine of the store.
type StoreSettings struct {
	Store            string        `secret:"" help:"The PostgreSQL database. Without it, the store is SQLite files in --data." placeholder:"postgres://…"`
	StoreReplica     string        `secret:"" help:"A read replica of --store, for reads that may be some changes behind; the feed never uses it." placeholder:"postgres://…"`
	StoreConnections int           `help:"The maximum number of connections to PostgreSQL, and to its replica." default:"16" min:"4"`
	StoreTimeout     time.Duration `help:"The maximum duration of one PostgreSQL statement; a statement that hangs is abandoned a second later." default:"5s" min:"10ms"`
	RestoreList      string        `help:"The file that lists forgotten persons and revoked credentials, so that restoring a backup does not bring them back. Without it, the file is restore-list.jsonl in --data; with --store there is none. Keep it apart from the backups, with a copy on another disk." placeholder:"FILE"`

	archiveSettings

	// fileCaches is how many bytes SQLite may take for pages of all files; 0: any number.
	fileCaches int64
}

// InFiles reports whether the stores are files in the data directory.
func (c *StoreSettings) InFiles() bool { return c.Store == "" }

// Check returns an error if the settings cannot select a store. The message never contains the address, which may
// contain a password.
func (c *StoreSettings) Check() error {
	switch {
	case !c.InFiles() && !isPostgreSQL(c.Store):
		return errors.New("--store is not an address that starts with postgres://")
	case c.StoreReplica != "" && !isPostgreSQL(c.StoreReplica):
		return errors.New("--store-replica is not an address that starts with postgres://")
	case c.StoreReplica != "" && c.InFiles():
		return errors.New("--store-replica requires --store")
	}
	return c.archiveSettings.check()
}

func isPostgreSQL(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// searchSettings select the search engine.
type searchSettings struct {
	Search        string        `help:"The Typesense servers, those of a cluster separated by commas. Without them, the index is in memory." placeholder:"typesense+http://HOST:PORT[,HOST:PORT…]"`
	SearchKey     string        `secret:"" help:"The API key of Typesense; set it as a file to keep it out of the process list." placeholder:"KEY"`
	SearchCA      string        `name:"search-ca" help:"A PEM file with the authorities that verify Typesense's certificate, instead of the system's." placeholder:"FILE"`
	SearchTimeout time.Duration `help:"The maximum duration of one request to Typesense." default:"5s" min:"10ms"`
	Synonyms      string        `help:"A file of synonyms, with one group on each line." placeholder:"FILE"`

	embeddingSettings
}

// embeddingSettings select the service that computes vectors for search by meaning.
type embeddingSettings struct {
	Embeddings           string        `help:"The service that computes vectors for search by meaning, with OpenAI's API (POST /v1/embeddings). Without it, search uses words alone." placeholder:"URL"`
	EmbeddingsModel      string        `help:"The name of the embedding model, as the service knows it. A change computes all vectors again." placeholder:"MODEL"`
	EmbeddingsKey        string        `secret:"" help:"The API key of the embedding service; set it as a file to keep it out of the process list." placeholder:"KEY"`
	EmbeddingsCA         string        `name:"embeddings-ca" help:"A PEM file with the authorities that verify the embedding service's certificate, instead of the system's." placeholder:"FILE"`
	EmbeddingsTimeout    time.Duration `help:"The time that a search waits for the vector of its query before it uses words alone." default:"300ms" min:"1ms"`
	EmbeddingsSimilarity float64       `help:"The cosine similarity from which on a video matches a query by meaning, from 0 to 1. It depends on the model." default:"0.25" min:"0"`
}

// Check returns an error if the settings cannot select a service. The message never contains the key.
func (c *embeddingSettings) Check() error {
	if c.Embeddings == "" {
		return errors.Join(
			onlyWith("embeddings-model", c.EmbeddingsModel, "embeddings"), onlyWith("embeddings-key", c.EmbeddingsKey, "embeddings"),
			onlyWith("embeddings-ca", c.EmbeddingsCA, "embeddings"))
	}
	switch {
	case !IsAddress(c.Embeddings, true):
		return errors.New("--embeddings is not an http or https address without user, query and fragment")
	case c.EmbeddingsModel == "" || len(c.EmbeddingsModel) > catalogue.MaxNameLength:
		return fmt.Errorf("--embeddings requires --embeddings-model, of at most %d bytes", catalogue.MaxNameLength)
	case c.EmbeddingsSimilarity > 1:
		return fmt.Errorf("--embeddings-similarity %v is above 1", c.EmbeddingsSimilarity)
	}
	return nil
}

// service returns a client of the embedding service, or nil if the settings select none.
func (c *embeddingSettings) service(logger *slog.Logger) (*semantic.Service, error) {
	if c.Embeddings == "" {
		return nil, nil
	}
	trust, err := authorities("embeddings-ca", c.EmbeddingsCA)
	if err != nil {
		return nil, err
	}
	return semantic.NewService(semantic.Options{
		URL: c.Embeddings, Model: c.EmbeddingsModel, Key: c.EmbeddingsKey, TLS: trust, Logger: logger,
	}), nil
}

// inMemory reports whether the index belongs to this process.
func (c *searchSettings) inMemory() bool { return c.Search == "" }

// Check returns an error if the settings cannot select an index.
func (c *searchSettings) Check() error {
	if err := c.embeddingSettings.Check(); err != nil {
		return err
	}
	if c.inMemory() {
		return onlyWith("search-ca", c.SearchCA, "search")
	}
	if c.SearchCA != "" && !strings.HasPrefix(c.Search, "typesense+https://") {
		return onlyWith("search-ca", c.SearchCA, "search typesense+https://…")
	}
	if c.SearchKey == "" {
		return errors.New("--search requires Typesense's key: set FILMSTRIP_SEARCH_KEY or FILMSTRIP_SEARCH_KEY_FILE")
	}
	_, err := c.addresses()
	return err
}

// onlyWith returns an error if a setting is present that has no effect without another one.
func onlyWith(setting, value, other string) error {
	if value == "" {
		return nil
	}
	return fmt.Errorf("--%s requires --%s", setting, other)
}

// addresses returns the URLs of Typesense's servers. An error never contains a malformed address, which may contain the
// key.
func (c *searchSettings) addresses() ([]string, error) {
	scheme, hosts, _ := strings.Cut(c.Search, "://")
	scheme, ok := strings.CutPrefix(scheme, "typesense+")
	if !ok || scheme != "http" && scheme != "https" {
		return nil, errors.New("--search does not start with typesense+http:// or typesense+https://")
	}
	var addresses []string
	for i, host := range strings.Split(strings.TrimSuffix(hosts, "/"), ",") {
		if _, port, err := net.SplitHostPort(host); err != nil || port == "" || strings.ContainsAny(host, "/@?#") {
			return nil, fmt.Errorf("--search: address %d is not HOST:PORT", i+1)
		}
		addresses = append(addresses, scheme+"://"+host)
	}
	return addresses, nil
}

// authorities reads the certificates of a PEM file. Without a file it returns nil, which selects those of the system.
func authorities(setting, file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", setting, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--%s: there is no certificate in %s", setting, file)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// cacheSettings select the engine of the cache.
type cacheSettings struct {
	Cache         string        `secret:"" help:"The Redis server in which processes share rendered documents and search results. Without it, each process has its own cache. Also redis+sentinel:// and redis+cluster://, each with rediss for TLS." placeholder:"redis://…"`
	CacheCA       string        `name:"cache-ca" help:"A PEM file with the authorities that verify Redis's certificate, instead of the system's." placeholder:"FILE"`
	CacheTimeout  time.Duration `help:"The maximum duration of one call to Redis; after it, the server answers without Redis." default:"250ms" min:"1ms"`
	CacheLifetime time.Duration `help:"The time for which Redis keeps an entry that nobody requests again." default:"24h" min:"1s"`
}

// Check returns an error if the settings cannot select a cache.
func (c *cacheSettings) Check() error {
	if c.Cache == "" {
		return onlyWith("cache-ca", c.CacheCA, "cache")
	}
	if c.CacheCA != "" && !strings.HasPrefix(c.Cache, "rediss") {
		return onlyWith("cache-ca", c.CacheCA, "cache rediss://…")
	}
	if err := redis.Validate(c.Cache); err != nil {
		return fmt.Errorf("--cache: %w", err)
	}
	return nil
}
