package testservers

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL starts a PostgreSQL of the test's own. Its user may do everything. Unless it is Durable, a
// kill may lose data, or leave them damaged where the machine goes down too.
func PostgreSQL(t testing.TB, options ...Option) *Server {
	t.Helper()
	set, err := settle(postgresEngine, options)
	if err != nil {
		t.Fatal(err)
	}
	s, err := startPostgreSQL(set)
	return own(t, s, err)
}

func startPostgreSQL(set settings) (*Server, error) {
	origin, err := postgresSeed()
	if err != nil {
		return nil, err
	}
	return launch(postgresEngine, func(folder string) (*Server, error) {
		if err := origin.as.give(folder); err != nil {
			return nil, err
		}
		data := filepath.Join(folder, "data")
		if err := run(origin.as.command("cp", "-a", origin.folder, data)); err != nil {
			return nil, err
		}
		return postgresOn(origin, data, set)
	})
}

// postgresOn is a server on a data folder that is there.
func postgresOn(origin *seed, data string, set settings) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	addr := address(port)
	where := (&url.URL{Scheme: "postgres", Host: addr, Path: "/postgres", RawQuery: "sslmode=disable",
		User: url.UserPassword(postgresUser, origin.password)}).String()
	arguments := []string{"-D", data, "-c", "listen_addresses=" + onlyThisMachine, "-c", "port=" + strconv.Itoa(port),
		"-c", "unix_socket_directories=" + data, "-c", "max_connections=100", "-c", "shared_buffers=32MB"}
	if !set.durable {
		arguments = append(arguments, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	return &Server{URL: where, Addr: addr, program: program{
		name:    postgresEngine,
		command: func() *exec.Cmd { return origin.as.command(origin.binary("postgres"), arguments...) },
		answers: func(ctx context.Context, _ int) error { return postgresAnswers(ctx, where, data) },
		stop:    syscall.SIGINT,
	}}, nil
}

// postgresAnswers asks for the data, too: it could be another server on the same port.
func postgresAnswers(ctx context.Context, where, data string) error {
	connection, err := pgx.Connect(ctx, where)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	var found string
	if err := connection.QueryRow(ctx, "SELECT current_setting('data_directory')").Scan(&found); err != nil {
		return err
	}
	if found != data {
		return fmt.Errorf("another PostgreSQL answers: its data are in %s", found)
	}
	return nil
}

const postgresUser = "filmstrip"

// seed is a data folder that every server of this process starts from: copying is quicker than
// making one.
type seed struct {
	folder, password string
	binaries         string
	as               account
}

var postgresSeed = sync.OnceValues(func() (*seed, error) {
	binaries, err := postgresBinaries()
	if err != nil {
		return nil, err
	}
	as, err := postgresAccount()
	if err != nil {
		return nil, err
	}
	folder, err := newFolder("postgresql-template")
	if err != nil {
		return nil, err
	}
	password := filepath.Join(folder, "password")
	made := &seed{folder: filepath.Join(folder, "data"), password: random(), binaries: binaries, as: as}
	if err := os.WriteFile(password, []byte(made.password), rightsOfTextFile); err != nil {
		return nil, err
	}
	if err := as.give(folder, password); err != nil {
		return nil, err
	}
	return made, run(as.command(made.binary("initdb"), "--pgdata", made.folder, "--username", postgresUser,
		"--pwfile", password, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"))
})

func (o *seed) binary(name string) string { return filepath.Join(o.binaries, name) }

// postgresBinaries is the folder of initdb and postgres: that of PATH, else Debian's newest.
func postgresBinaries() (string, error) {
	if binary, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(binary), nil
	}
	newest, folder := 0, ""
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is well-formed
	for _, binary := range found {
		bin := filepath.Dir(binary)
		if version, err := strconv.Atoi(filepath.Base(filepath.Dir(bin))); err == nil && version > newest {
			newest, folder = version, bin
		}
	}
	if folder == "" {
		return "", &missing{postgresEngine, "there is no initdb in PATH or /usr/lib/postgresql"}
	}
	return folder, nil
}

// account is who PostgreSQL runs as. It refuses to be root.
type account struct{ credential *syscall.Credential } // nil: whoever runs the test

func postgresAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		return account{}, &missing{postgresEngine, "it does not run as root, and there is no user postgres"}
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return account{}, err
	}
	return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// command is a program that runs as the account, in a folder that everybody may enter.
func (a account) command(name string, arguments ...string) *exec.Cmd {
	command := exec.Command(name, arguments...)
	command.Dir = "/"
	command.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	command.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	return command
}

// give makes the account the owner of files.
func (a account) give(names ...string) error {
	if a.credential == nil {
		return nil
	}
	for _, name := range names {
		if err := os.Chown(name, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
			return err
		}
	}
	return nil
}
