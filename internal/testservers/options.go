package testservers

import (
	"fmt"
	"slices"
)

// Option changes how a server is started. An engine that does not know an option fails the test.
type Option struct {
	name    string
	engines []string
	apply   func(*settings)
}

type settings struct {
	shared   bool
	durable  bool
	password string
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

func settle(engine string, options []Option) (settings, error) {
	var s settings
	for _, option := range options {
		if !slices.Contains(option.engines, engine) {
			return s, fmt.Errorf("testservers: %s is no option of %s", option.name, engine)
		}
		option.apply(&s)
	}
	return s, nil
}
