package testservers

import (
	"fmt"
	"slices"
)

// Option changes how a server is started. An option for another engine fails the test.
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
	nodes       int // 0: a single server
	password    string
	maxMemory   int64
	maxMemoryBy string
	disk        int64 // bytes; 0: the disk of temporary folders
}

const (
	redisEngine      = "redis"
	postgresEngine   = "postgresql"
	typesenseEngine  = "typesense"
	onlyThisMachine  = "127.0.0.1"
	rightsOfFolder   = 0o700
	rightsOfTextFile = 0o600
)

// Durable keeps fsync on, so that a killed PostgreSQL loses no acknowledged write.
func Durable() Option {
	return Option{"Durable", []string{postgresEngine}, func(s *settings) { s.durable = true }}
}

// Password requires this password of Redis clients. PostgreSQL and Typesense always have a generated one.
func Password(password string) Option {
	return Option{"Password", []string{redisEngine}, func(s *settings) { s.password = password }}
}

// MaxMemory limits the memory of Redis, in bytes, and sets its eviction policy (allkeys-lru, noeviction …).
func MaxMemory(bytes int64, policy string) Option {
	return Option{"MaxMemory", []string{redisEngine}, func(s *settings) { s.maxMemory, s.maxMemoryBy = bytes, policy }}
}

// TLS makes Redis and PostgreSQL accept only TLS, with a certificate signed by the authority in Server.CAFile. It
// cannot be combined with ClusterOf or Sentinel.
func TLS() Option {
	return Option{"TLS", []string{redisEngine, postgresEngine}, func(s *settings) { s.tls = true }}
}

// Replica starts a second PostgreSQL, Server.Replica, that replicates the first and answers reads.
func Replica() Option {
	return Option{"Replica", []string{postgresEngine}, func(s *settings) { s.replica = true }}
}

// SmallDisk puts all files of PostgreSQL, including its write-ahead log, on a file system of limited size, which a test
// fills through Server.Ballast. An empty server uses some 40 MiB, and up to 32 MiB more as it writes. A server
// whose write-ahead log cannot grow ends. If nothing may be mounted, the test is skipped.
func SmallDisk(bytes int64) Option {
	return Option{"SmallDisk", []string{postgresEngine}, func(s *settings) { s.disk = bytes }}
}

// ClusterOf starts a Redis Cluster of n masters, at least 3, without replicas: Server.Nodes.
func ClusterOf(n int) Option {
	return Option{"ClusterOf", []string{redisEngine}, func(s *settings) { s.nodes = n }}
}

// Sentinel starts a Redis with a replica, Server.Replica, and one sentinel, Server.Sentinels, that watches both under
// the name SentinelMaster. The sentinel promotes the replica about two seconds after the master's end; the old master,
// started again, becomes a replica within about ten more. The sentinel has no password.
func Sentinel() Option {
	return Option{"Sentinel", []string{redisEngine}, func(s *settings) { s.sentinel = true }}
}

// SentinelMaster is the name of the master at its sentinel.
const SentinelMaster = "filmstrip"

// Nodes starts a Typesense cluster of n servers, an odd number: Server.Nodes.
func Nodes(n int) Option {
	return Option{"Nodes", []string{typesenseEngine}, func(s *settings) { s.nodes = n }}
}

func applyOptions(engine string, options []Option) (settings, error) {
	var s settings
	for _, option := range options {
		if !slices.Contains(option.engines, engine) {
			return s, fmt.Errorf("testservers: %s is not an option of %s", option.name, engine)
		}
		option.apply(&s)
	}
	if several := s.nodes > 0; several && s.sentinel || s.tls && (s.sentinel || several) {
		return s, fmt.Errorf("testservers: these options of %s do not go together", engine)
	}
	return s, nil
}
