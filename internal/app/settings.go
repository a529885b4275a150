package app

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Settings are the settings of a server. docs/settings.md documents them.
type Settings struct {
	Demo     bool   `help:"Fill an empty catalogue with a demonstration, add the accounts demo, demo-basic, demo-plus and demo-operator, and listen on loopback only."`
	DemoPast bool   `help:"With --demo, add 100 days of usage and searches to an empty event log, and seal the past months." default:"true" negatable:""`
	Addr     string `help:"The address to listen on (${default})." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	BaseURL  string `help:"The public base URL that links start with." placeholder:"URL"`
	AuthURL  string `help:"The public base URL of the token and sign-in endpoints, if it differs from --base-url; it is then the issuer of tokens." placeholder:"URL"`
	Data     string `help:"The directory of SQLite's files and of the index's snapshot; defaults to data, or with --demo to a temporary directory. Unused with PostgreSQL and Typesense without a fallback." placeholder:"DIR"`

	TLSSettings

	StoreSettings
	searchSettings
	SearchFallback bool `help:"Keep an index in memory beside Typesense, which answers searches while Typesense is unavailable."`
	cacheSettings

	AllowedHosts   []string `help:"Hosts, with port, that links may contain without --base-url; loopback names are always allowed. With --demo, the server refuses requests for other hosts." placeholder:"HOST"`
	TrustedProxies []string `help:"Networks whose traceparent, X-Forwarded-Proto, X-Forwarded-Host and X-Forwarded-For the server trusts." placeholder:"CIDR"`
	AllowedOrigins []string `help:"Origins of pages that may call the API with credentials; with --demo, origins of this machine may too." placeholder:"ORIGIN"`

	RequestTimeout       time.Duration `help:"The maximum duration of a request." default:"30s" min:"1ms"`
	ShutdownTimeout      time.Duration `help:"The time for which requests in progress may continue after SIGTERM, SIGINT or SIGHUP." default:"20s" min:"0s"`
	Compression          bool          `help:"Compress responses for clients that accept it." default:"true" negatable:""`
	Memory               int           `help:"The memory that the process should stay within, in MiB; 0: three quarters of what the container or the machine offers. If the other memory settings exceed a third of it together, each shrinks in proportion." default:"0"`
	CacheMemory          int           `help:"Memory for rendered documents, in MiB." default:"256" min:"1"`
	PageMemory           int           `help:"Memory for whole response pages, plain and compressed, in MiB." default:"128" min:"1"`
	AnswerMemory         int           `help:"Memory for search results, in MiB." default:"64" min:"1"`
	ProxyStreams         bool          `help:"Serve foreign streams through this server instead of redirecting players to them."`
	StreamNetworks       []string      `help:"Private networks from which --proxy-streams may fetch streams; public addresses are always allowed." placeholder:"CIDR"`
	FederationNetworks   []string      `help:"Private networks that may contain customers' identity providers; public addresses are always allowed." placeholder:"CIDR"`
	AccessTokenLifetime  time.Duration `help:"The lifetime of an access token." default:"30m" min:"1s"`
	RefreshTokenLifetime time.Duration `help:"The lifetime of an unused refresh token." default:"24h"`
	SessionLifetime      time.Duration `help:"The time for which a browser stays signed in." default:"12h" min:"1m"`
	Anonymous            string        `help:"The permissions of callers without a token: none by default; playback lets them see the index, subjects and single videos." default:"" enum:",playback" placeholder:"playback"`

	LimitSettings
	EventSettings
	UploadSettings

	ConsoleClient string `help:"The public client through which staff sign in to the console at /console. While it does not exist, the page says how to begin." default:"filmstrip-console" placeholder:"CLIENT"`

	WatchClient string `help:"The public client through which users sign in to the page /watch/ID, which plays a video. Without it, the page does not exist, except with --demo." placeholder:"CLIENT"`

	Introspection bool `help:"Let POST /graphql describe its schema, which GraphiQL at /graphiql requires; always on with --demo."`
	GraphQLDepth  int  `name:"graphql-depth" help:"The maximum nesting depth of an operation of POST /graphql." default:"12" min:"1"`
	GraphQLCost   int  `name:"graphql-cost" help:"The maximum weight of an operation of POST /graphql, roughly the microseconds of processor time that it costs with 100,000 videos." default:"40000" min:"1"`

	MetricsAddr string  `help:"The separate address at which Prometheus reads /metrics; without it, there is none." placeholder:"HOST:PORT"`
	Traces      string  `help:"The OTLP over HTTP endpoint that receives spans; OTEL_EXPORTER_OTLP_ENDPOINT sets it too." placeholder:"URL"`
	TraceSample float64 `help:"The share of requests that are recorded, of those for which no trusted proxy has decided." default:"0.01" min:"0"`

	LogLevel  string `help:"The minimum level of log lines: debug, info, warn or error." default:"info" enum:"debug,info,warn,error"`
	AccessLog string `help:"Requests to log, one line each: off, errors (status 400 and above) or all. The line names the network address only with --keep-addresses." default:"off" enum:"off,errors,all"`
	LogFormat string `help:"The format of log lines: text or json. With json, the server prints nothing but JSON lines." default:"text" enum:"text,json"`

	// bounded is how many bytes the process should take; 0: GOMEMLIMIT is set.
	bounded int64
	// stateCache and feedCache are how many bytes the caches of states and of pages of the feed may take; 0: the default.
	stateCache, feedCache int64
}

// prepare checks the settings and creates the data directory. cleanUp removes a temporary one.
func (c *Settings) prepare() (cleanUp func(), err error) {
	cleanUp = func() {}
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr %q is not HOST:PORT", c.Addr)
	}
	if c.Demo && !account.IsLoopback(host) {
		return nil, fmt.Errorf("--addr %s: the demo has well-known credentials and listens on loopback only", c.Addr)
	}
	if err := errors.Join(c.checkAddresses(), c.TLSSettings.check(c.Demo)); err != nil {
		return nil, err
	}
	for _, settings := range []interface{ Check() error }{&c.StoreSettings, &c.searchSettings, &c.cacheSettings, &c.LimitSettings} {
		if err := settings.Check(); err != nil {
			return nil, err
		}
	}
	if err := c.boundMemory(); err != nil {
		return nil, err
	}
	if err := c.checkArchive(); err != nil {
		return nil, err
	}
	if err := c.checkBackupDir(); err != nil {
		return nil, err
	}
	if c.RequireSynchronousStandby && c.InFiles() {
		return nil, errStandbyNeedsPostgreSQL
	}
	if c.SearchFallback && c.inMemory() {
		return nil, errors.New("--search-fallback requires --search")
	}
	if !c.usesData() && !c.usesACMEState() {
		return cleanUp, nil
	}
	if c.Data == "" && !c.Demo {
		c.Data = defaultData
	}
	if c.Data == "" {
		if c.Data, err = os.MkdirTemp("", "filmstrip-demo-"); err != nil {
			return nil, err
		}
		directory := c.Data
		cleanUp = func() { _ = os.RemoveAll(directory) }
	}
	return cleanUp, prepareData(c.Data)
}

// usesData reports whether the server keeps files in the data directory.
func (c *Settings) usesData() bool { return c.InFiles() || c.inMemory() || c.SearchFallback }

// defaultData is the data directory without --data, except for a demo.
const defaultData = "data"

// checkAddresses returns an error if an address that clients use is not valid.
func (c *Settings) checkAddresses() error {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.BaseURL != "" && !IsAddress(c.BaseURL, true) {
		return fmt.Errorf("--base-url %q is not an http or https address without query and fragment", c.BaseURL)
	}
	c.AuthURL = strings.TrimRight(c.AuthURL, "/")
	if c.AuthURL != "" && !IsAddress(c.AuthURL, true) {
		return fmt.Errorf("--auth-url %q is not an http or https address without query and fragment", c.AuthURL)
	}
	for _, origin := range c.AllowedOrigins {
		if !IsAddress(origin, false) {
			return fmt.Errorf("--allowed-origins: %q is not an origin such as https://learn.example", origin)
		}
	}
	return nil
}

// IsAddress reports whether a text is an http or https URL without user, query and fragment. The URL may contain a path
// only if path is true.
func IsAddress(text string, path bool) bool {
	address, err := url.Parse(text)
	return err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Hostname() != "" &&
		address.User == nil && address.RawQuery == "" && !address.ForceQuery && address.Fragment == "" &&
		(path || address.Path == "")
}
