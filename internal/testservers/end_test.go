//go:build system

package testservers_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestHold is the process that the tests below run and kill. It starts servers, prints their process IDs, and waits.
func TestHold(t *testing.T) {
	if os.Getenv("FILMSTRIP_TEST_HOLD") == "" {
		t.Skip("other tests run it")
	}
	pids := []int{os.Getpid(), testservers.Redis(t).PID(), testservers.PostgreSQL(t).PID(), testservers.SharedRedis(t).PID()}
	if s := testservers.Typesense(t); s.PID() != 0 {
		pids = append(pids, s.PID())
	}
	testservers.SharedPostgreSQL(t)
	fmt.Println("\nholds", strings.Trim(fmt.Sprint(pids), "[]"))
	if os.Getenv("FILMSTRIP_TEST_HOLD") == "fail" {
		panic("a test that panics")
	}
	time.Sleep(time.Minute)
}

// runTestHold runs TestHold with a shell command line, in which $0 is this binary, and uses temporary as the folder of
// temporary files. It returns the process IDs that TestHold printed.
func runTestHold(t *testing.T, line, how, temporary string) (command *exec.Cmd, pids []int) {
	t.Helper()
	command = exec.Command("sh", "-c", line, os.Args[0], "-test.run=^TestHold$", "-test.v")
	command.Env = append(os.Environ(), "FILMSTRIP_TEST_HOLD="+how, "TMPDIR="+temporary)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	var said []string
	for lines := bufio.NewScanner(output); lines.Scan(); {
		said = append(said, lines.Text())
		if named, ok := strings.CutPrefix(lines.Text(), "holds "); ok {
			for _, pid := range strings.Fields(named) {
				number, err := strconv.Atoi(pid)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, number)
			}
			return command, pids
		}
	}
	if strings.Contains(strings.Join(said, "\n"), "NOT TESTED") {
		t.Skip(strings.Join(said, "\n"))
	}
	t.Fatalf("the test started no servers: %s", strings.Join(said, "\n"))
	return nil, nil
}

// TestNothingIsLeft checks that the servers of a test process end with it and their data is removed, however it ends.
func TestNothingIsLeft(t *testing.T) {
	for _, test := range []struct {
		name, line, how string
		kill            bool
	}{
		{"the process of the tests is killed", `exec "$0" "$@"`, "sleep", true},
		{"its parent is killed", `"$0" "$@"; true`, "sleep", true},
		{"a test panics", `exec "$0" "$@"`, "fail", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			temporary, err := os.MkdirTemp("", "held-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(temporary) })
			if err := os.Chmod(temporary, 0o755); err != nil { // PostgreSQL may run as another user
				t.Fatal(err)
			}
			command, pids := runTestHold(t, test.line, test.how, temporary)
			if test.kill {
				if err := command.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			deadline := time.Now().Add(20 * time.Second)
			for _, pid := range pids {
				if pid != command.Process.Pid { // a zombie until this test waits for it
					awaitGone(t, pid, deadline)
				}
			}
			for {
				left, err := filepath.Glob(filepath.Join(temporary, "filmstrip-*"))
				if err != nil {
					t.Fatal(err)
				}
				if len(left) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("data remains: %q", left)
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

func awaitGone(t *testing.T, pid int, deadline time.Time) {
	t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		gone := err != nil && syscall.Kill(pid, 0) == syscall.ESRCH
		if gone || strings.Contains(string(text), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d remains: %s", pid, text)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestDataIsRemovedAfterTheTest checks that the data of a test's own servers is removed when the test ends, not only when the
// process ends.
func TestDataIsRemovedAfterTheTest(t *testing.T) {
	temporary, err := os.MkdirTemp("", "held-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	if err := os.Chmod(temporary, 0o755); err != nil { // PostgreSQL may run as another user
		t.Fatal(err)
	}
	t.Run("the data folder that all PostgreSQL servers copy", func(t *testing.T) { testservers.PostgreSQL(t) }) // it remains
	t.Setenv("TMPDIR", temporary)
	for name, start := range map[string]func(testing.TB, ...testservers.Option) *testservers.Server{
		"redis": testservers.Redis, "postgresql": testservers.PostgreSQL, "typesense": testservers.Typesense,
	} {
		t.Run(name, func(t *testing.T) { start(t) })
		left, err := filepath.Glob(filepath.Join(temporary, "filmstrip-"+name+"-[0-9]*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%q remain, %v", left, err)
		}
	}
}

// TestMissingEngines checks that a test whose engine is missing is skipped, or fails if every engine is required.
func TestMissingEngines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ required, result string }{
		{"0", "--- SKIP: TestRedisPauses"},
		{"1", "--- FAIL: TestRedisPauses"},
	} {
		command := exec.Command(os.Args[0], "-test.run=^TestRedisPauses$", "-test.v")
		command.Env = append(os.Environ(), "PATH=/nowhere", "FILMSTRIP_TEST_REQUIRED="+test.required)
		output, err := command.CombinedOutput()
		if (err != nil) != (test.required == "1") || !strings.Contains(string(output), test.result) ||
			!strings.Contains(string(output), "redis: there is no redis-server") {
			t.Errorf("required %s: %v: %s", test.required, err, output)
		}
	}
}

// TestExternalServers checks that tests use a server that already runs, and that it keeps running after them.
func TestExternalServers(t *testing.T) {
	t.Parallel()
	redis, postgres := testservers.Redis(t), testservers.PostgreSQL(t)
	command := exec.Command(os.Args[0], "-test.run=^TestShared(Redis|PostgreSQL)", "-test.v")
	command.Env = append(os.Environ(), "FILMSTRIP_TEST_REDIS_URL="+redis.URL, "FILMSTRIP_TEST_POSTGRES_URL="+postgres.URL)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	keys, err := redisClient(t, redis).Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 {
		t.Errorf("the tests left %q, %v, not one key", keys, err)
	}
	wantQuery(t, postgres.URL, "SELECT count(*)::text FROM pg_database WHERE datname LIKE 't%' AND NOT datistemplate", "0")
}
