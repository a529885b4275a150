package redis

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// address is a parsed URL.
type address struct {
	mode           mode
	encrypted      bool
	hosts          []string // HOST:PORT
	user, password string
	database       int
	master         string // name of the master, with Sentinel
	sentinelUser   string
	sentinelSecret string // password of sentinelUser
}

type mode int

const (
	single mode = iota
	sentinel
	cluster
)

// schemes maps the schemes of URLs to modes. With TLS, "redis" becomes "rediss".
var schemes = map[string]mode{"redis": single, "redis+sentinel": sentinel, "redis+cluster": cluster}

// sentinelPassword is the query parameter that contains a secret.
const sentinelPassword = "sentinel_password"

// errUnreadable quotes no part of a malformed URL, because any part may belong to the password.
var errUnreadable = errors.New("redis: the URL cannot be read; in a user and a password, " +
	"whatever is not a letter or a digit is written as %XX")

// Validate returns an error if a URL is invalid. The error does not contain the password. The formats are
//
//	redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]
//	redis+sentinel://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]…]/MASTER[/DATABASE][?sentinel_user=USER&sentinel_password=PASSWORD]
//	redis+cluster://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]…]
//
// and the same with rediss for TLS. With sentinel, the hosts are the Sentinels, USER and PASSWORD belong to the server,
// and the query parameters contain the user and the password of the Sentinels, if any. With cluster, the hosts are any
// nodes of the cluster. A PASSWORD without USER has the form :PASSWORD@. The default port is 6379, and 26379 for
// Sentinels.
func Validate(text string) error {
	_, err := parse(text)
	return err
}

func parse(text string) (address, error) {
	scheme, rest, found := strings.Cut(text, "://")
	known, encrypted := strings.CutPrefix(scheme, "rediss")
	if encrypted {
		known = "redis" + known
	} else {
		known = scheme
	}
	mode, ok := schemes[known]
	if !found || !ok {
		return address{}, errors.New("redis: a URL begins with redis://, redis+sentinel:// or redis+cluster://, or with rediss for TLS")
	}
	a := address{mode: mode, encrypted: encrypted}
	authority, tail := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, tail = rest[:end], rest[end:]
	}
	if strings.Contains(tail, "@") { // the host could be the first half of a password
		return address{}, errUnreadable
	}
	hosts := authority
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		hosts = authority[at+1:]
		if err := a.readUser(authority[:at]); err != nil {
			return address{}, err
		}
	}
	if err := a.readHosts(hosts); err != nil {
		return address{}, err
	}
	return a, a.readTail(tail)
}

func (a *address) readUser(text string) error {
	user, password, _ := strings.Cut(text, ":")
	var errUser, errPassword error
	a.user, errUser = url.PathUnescape(user)
	a.password, errPassword = url.PathUnescape(password)
	if errUser != nil || errPassword != nil {
		return errUnreadable
	}
	return nil
}

func (a *address) readHosts(text string) error {
	standard := "6379"
	if a.mode == sentinel {
		standard = "26379"
	}
	for host := range strings.SplitSeq(text, ",") {
		complete, err := withPort(host, standard)
		if err != nil {
			return err
		}
		a.hosts = append(a.hosts, complete)
	}
	if a.mode == single && len(a.hosts) > 1 {
		return errors.New("redis: several hosts need redis+sentinel:// or redis+cluster://")
	}
	return nil
}

func withPort(text, standard string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port, err = net.SplitHostPort(text + ":" + standard)
	}
	number, errPort := strconv.ParseUint(port, 10, 16)
	if err != nil || errPort != nil || number == 0 || host == "" || strings.ContainsAny(host, " %[]") {
		return "", fmt.Errorf("redis: %q is not HOST or HOST:PORT", text)
	}
	return net.JoinHostPort(host, port), nil
}

// readTail parses the rest of the URL after the hosts: a path and query parameters.
func (a *address) readTail(text string) error {
	secret := strings.Contains(text, sentinelPassword)
	u, err := url.Parse(text)
	var settings url.Values
	if err == nil {
		settings, err = url.ParseQuery(u.RawQuery)
	}
	switch wrong := err != nil || u.Fragment != ""; {
	case wrong && secret:
		return errUnreadable
	case wrong:
		return fmt.Errorf("redis: %q cannot stand behind the host", text)
	}
	var parts []string
	if path := strings.Trim(u.Path, "/"); path != "" {
		parts = strings.Split(path, "/")
	}
	if a.mode == sentinel {
		if len(parts) == 0 {
			return errors.New("redis: with redis+sentinel:// the path names the master, as in /mymaster")
		}
		a.master, parts = parts[0], parts[1:]
	}
	if err := a.readDatabase(parts); err != nil {
		return err
	}
	if a.mode == sentinel {
		a.sentinelUser = settings.Get("sentinel_user")
		a.sentinelSecret = settings.Get(sentinelPassword)
		delete(settings, "sentinel_user")
		delete(settings, sentinelPassword)
	}
	for name := range settings {
		if secret && a.mode == sentinel { // the name could be part of the password
			return errUnreadable
		}
		return fmt.Errorf("redis: there is no setting %q", name)
	}
	return nil
}

func (a *address) readDatabase(parts []string) error {
	if len(parts) == 0 {
		return nil
	}
	number, err := strconv.ParseUint(parts[0], 10, 16)
	if err != nil || len(parts) > 1 {
		return fmt.Errorf("redis: %q is not the number of a database", strings.Join(parts, "/"))
	}
	if a.mode == cluster && number != 0 {
		return fmt.Errorf("redis: database %d, a cluster has only 0", number)
	}
	a.database = int(number)
	return nil
}

// connect returns a client, which connects on first use.
func connect(o Options) (redis.UniversalClient, error) {
	a, err := parse(o.URL)
	if err != nil {
		return nil, err
	}
	if o.TLS != nil && !a.encrypted {
		return nil, errors.New("redis: settings of TLS are of use only with rediss")
	}
	universal := &redis.UniversalOptions{
		Addrs: a.hosts, MasterName: a.master, IsClusterMode: a.mode == cluster,
		DB: a.database, Username: a.user, Password: a.password,
		SentinelUsername: a.sentinelUser, SentinelPassword: a.sentinelSecret,

		// The guard limits a call, and only its caller knows whether a retry is safe.
		ContextTimeoutEnabled: true,
		ReadTimeout:           o.Timeout,
		WriteTimeout:          o.Timeout,
		MaxRetries:            -1,
		// Connecting may take longer than a call, which does not wait for it.
		DialTimeout:   max(o.Timeout, time.Second),
		DialerRetries: 1,
		// Almost all calls are pipelines, so that they need no connections of their own.
		PipelinePoolSize: -1,
		PoolSize:         concurrent,
		MaxActiveConns:   concurrent,
		PoolTimeout:      o.Timeout,
		ConnMaxIdleTime:  5 * time.Minute,
		ReadBufferSize:   bufferSize,
		WriteBufferSize:  bufferSize,

		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if a.encrypted {
		universal.TLSConfig = tlsFor(o.TLS)
	}
	return redis.NewUniversalClient(universal), nil
}

// bufferSize is the size of the buffers of a connection, which transfer a page of documents in a few reads.
const bufferSize = 64 << 10

func tlsFor(given *tls.Config) *tls.Config {
	if given == nil {
		return &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return given.Clone()
}

// The log of the client has a line with addresses for each attempt to connect. The guard and Check report everything
// relevant.
func init() { logging.Disable() }
