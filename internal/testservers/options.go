package testservers

import (
	"fmt"
	"slices"
)

// Option changes how a server is started. An option that is not the engine's fails the test.
type Option struct {
	name    string
	engines []string
	apply   func(*settings)
}

type settings struct {
	shared      bool
	durable     bool
	tls         bool
	replica     bool
	sentinel    bool
	nodes       int // 0: one server, no cluster
	password    string
	maxMemory   int64
	maxMemoryBy string
	disk        int64 // 0: that of temporary folders
}

const (
	redisEngine      = "redis"
	postgresEngine   = "postgresql"
	typesenseEngine  = "typesense"
	onlyThisMachine  = "127.0.0.1"
	rightsOfFolder   = 0o700
	rightsOfTextFile = 0o600
)

// Durable keeps fsync on, so that PostgreSQL loses no acknowledged write when it is killed.
func Durable() Option {
	return Option{"Durable", []string{postgresEngine}, func(s *settings) { s.durable = true }}
}

// Password asks of clients of Redis that they name this password. PostgreSQL and Typesense have one
// always, made up for the server.
func Password(password string) Option {
	return Option{"Password", []string{redisEngine}, func(s *settings) { s.password = password }}
}

// MaxMemory bounds what a Redis keeps, in bytes, and says by which policy it evicts (allkeys-lru,
// noeviction …).
func MaxMemory(bytes int64, policy string) Option {
	return Option{"MaxMemory", []string{redisEngine}, func(s *settings) { s.maxMemory, s.maxMemoryBy = bytes, policy }}
}

// TLS lets Redis and PostgreSQL be reached over TLS only, with a certificate that Server.CAFile vouches
// for. It does not go with ClusterOf and Sentinel.
func TLS() Option {
	return Option{"TLS", []string{redisEngine, postgresEngine}, func(s *settings) { s.tls = true }}
}

// Replica starts a second PostgreSQL, Server.Replica, that follows the first and answers reads.
func Replica() Option {
	return Option{"Replica", []string{postgresEngine}, func(s *settings) { s.replica = true }}
}

// SmallDisk puts all that PostgreSQL writes, its log of writes with it, on a file system of so many bytes,
// which a test fills by Server.Ballast. An empty server takes some 40 MiB, and up to 32 MiB more as it writes. Where
// nothing may be mounted, the test is skipped.
func SmallDisk(bytes int64) Option {
	return Option{"SmallDisk", []string{postgresEngine}, func(s *settings) { s.disk = bytes }}
}

// ClusterOf starts a Redis Cluster of n masters, at least 3, and no replicas: Server.Nodes.
func ClusterOf(n int) Option {
	return Option{"ClusterOf", []string{redisEngine}, func(s *settings) { s.nodes = n }}
}

// Sentinel starts a Redis with a replica, Server.Replica, and one sentinel, Server.Sentinels, that
// watches both under the name SentinelMaster. It makes the replica the master about two seconds after
// the master is gone; the old one, started again, becomes its replica within some ten more. The
// sentinel asks for no password.
func Sentinel() Option {
	return Option{"Sentinel", []string{redisEngine}, func(s *settings) { s.sentinel = true }}
}

// SentinelMaster is the name under which a sentinel knows its master.
const SentinelMaster = "filmstrip"

// Nodes starts a Typesense cluster of n servers, an odd number: Server.Nodes.
func Nodes(n int) Option {
	return Option{"Nodes", []string{typesenseEngine}, func(s *settings) { s.nodes = n }}
}

func settle(engine string, options []Option) (settings, error) {
	var s settings
	for _, option := range options {
		if !slices.Contains(option.engines, engine) {
			return s, fmt.Errorf("testservers: %s is no option of %s", option.name, engine)
		}
		option.apply(&s)
	}
	if several := s.nodes > 0; several && s.sentinel || s.tls && (s.sentinel || several) {
		return s, fmt.Errorf("testservers: these options of %s do not go together", engine)
	}
	return s, nil
}
