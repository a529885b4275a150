package testservers

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Redis starts a Redis of the test's own. It keeps what Redis keeps by default: an orderly stop saves,
// a kill loses what was written since the last save.
func Redis(t testing.TB, options ...Option) *Server {
	t.Helper()
	set, err := settle(redisEngine, options)
	if err != nil {
		t.Fatal(err)
	}
	s, err := startRedis(set)
	return own(t, s, err)
}

func startRedis(set settings) (*Server, error) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, &missing{redisEngine, "there is no redis-server"}
	}
	return launch(redisEngine, func(folder string) (*Server, error) {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		addr := address(port)
		where := url.URL{Scheme: "redis", Host: addr}
		arguments := []string{"--bind", onlyThisMachine, "--port", strconv.Itoa(port), "--dir", folder}
		if set.shared {
			arguments = append(arguments, "--save", "")
		}
		if set.password != "" {
			arguments = append(arguments, "--requirepass", set.password)
			where.User = url.UserPassword("", set.password)
		}
		return &Server{URL: where.String(), Addr: addr, program: program{
			name:    redisEngine,
			command: func() *exec.Cmd { return exec.Command(binary, arguments...) },
			answers: func(ctx context.Context, pid int) error { return redisAnswers(ctx, addr, set.password, pid) },
			stop:    syscall.SIGTERM,
		}}, nil
	})
}

var redisProcess = regexp.MustCompile(`(?m)^process_id:(\d+)\r?$`)

// redisAnswers asks who answers, too: it could be the server of another process on the same port.
func redisAnswers(ctx context.Context, addr, password string, pid int) error {
	client := redis.NewClient(&redis.Options{Addr: addr, Password: password, MaxRetries: -1, DisableIdentity: true})
	defer client.Close()
	info, err := client.Info(ctx, "server").Result()
	if err != nil {
		return err
	}
	if found := redisProcess.FindStringSubmatch(info); found == nil || found[1] != strconv.Itoa(pid) {
		return fmt.Errorf("another Redis answers on %s", addr)
	}
	return client.Ping(ctx).Err()
}
