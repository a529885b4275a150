package testservers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis starts a Redis for this test, with default persistence: an orderly stop saves, a kill loses the writes since
// the last save.
func Redis(t testing.TB, options ...Option) *Server {
	t.Helper()
	set, err := applyOptions(redisEngine, options)
	if err != nil {
		t.Fatal(err)
	}
	s, err := startRedis(set)
	return endWithTest(t, s, err)
}

func startRedis(set settings) (*Server, error) {
	switch {
	case set.nodes > 0:
		return startRedisCluster(set)
	case set.sentinel:
		return startRedisSentinel(set)
	default:
		return startRedisServer(set)
	}
}

// startRedisServer starts one process with additional arguments.
func startRedisServer(set settings, more ...string) (*Server, error) {
	binary, err := redisBinary()
	if err != nil {
		return nil, err
	}
	return launch(redisEngine, func(folder string) (*Server, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		s := &Server{Addr: address(port), folder: folder}
		arguments := []string{"--bind", onlyThisMachine, "--dir", folder}
		scheme := "redis"
		if set.tls {
			scheme = "rediss"
			files, err := newCertificate(folder)
			if err != nil {
				return nil, err
			}
			s.CAFile = files.authority
			arguments = append(arguments, "--port", "0", "--tls-port", strconv.Itoa(port), "--tls-auth-clients", "no",
				"--tls-cert-file", files.server, "--tls-key-file", files.key, "--tls-ca-cert-file", files.authority)
		} else {
			arguments = append(arguments, "--port", strconv.Itoa(port))
		}
		where := url.URL{Scheme: scheme, Host: s.Addr}
		if set.password != "" {
			where.User = url.UserPassword("", set.password)
			arguments = append(arguments, "--requirepass", set.password, "--masterauth", set.password)
		}
		if set.shared {
			arguments = append(arguments, "--save", "")
		}
		if set.maxMemory > 0 {
			arguments = append(arguments, "--maxmemory", strconv.FormatInt(set.maxMemory, 10), "--maxmemory-policy", set.maxMemoryBy)
		}
		arguments = append(arguments, more...)
		s.URL = where.String()
		s.program = program{
			name:    redisEngine,
			command: func() *exec.Cmd { return exec.Command(binary, arguments...) },
			answers: func(ctx context.Context, pid int) error { return redisAnswers(ctx, s, pid) },
			stop:    syscall.SIGTERM,
		}
		return s, nil
	})
}

func redisBinary() (string, error) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		return "", &missingError{redisEngine, "there is no redis-server"}
	}
	return binary, nil
}

// redisClient returns a client that tries once and logs nothing.
func redisClient(s *Server) (*redis.Client, error) {
	options, err := redis.ParseURL(s.URL)
	if err != nil {
		return nil, err
	}
	options.MaxRetries, options.DialerRetries, options.DisableIdentity = -1, 1, true
	if s.CAFile != "" {
		authority, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		options.TLSConfig = &tls.Config{RootCAs: roots, ServerName: onlyThisMachine, MinVersion: tls.VersionTLS12}
	}
	return redis.NewClient(options), nil
}

var redisProcess = regexp.MustCompile(`(?m)^process_id:(\d+)\r?$`)

// redisAnswers also checks the process, because another server might have taken the port. It dials before it creates a
// client, which would log that the server is not there yet.
func redisAnswers(ctx context.Context, s *Server, pid int) error {
	knock, err := net.DialTimeout("tcp", s.Addr, time.Second)
	if err != nil {
		return err
	}
	_ = knock.Close() // nothing was sent
	client, err := redisClient(s)
	if err != nil {
		return err
	}
	defer client.Close()
	info, err := client.Info(ctx, "server").Result()
	if err != nil {
		return err
	}
	if found := redisProcess.FindStringSubmatch(info); found == nil || found[1] != strconv.Itoa(pid) {
		return fmt.Errorf("another Redis answers on %s", s.Addr)
	}
	return client.Ping(ctx).Err()
}
