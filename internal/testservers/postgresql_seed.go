package testservers

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

const postgresUser = "filmstrip"

// seed is a data folder that every server of this process copies, which is faster than initdb.
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
	made := &seed{folder: filepath.Join(folder, "data"), password: uniqueName(), binaries: binaries, as: as}
	if err := os.WriteFile(password, []byte(made.password), rightsOfTextFile); err != nil {
		return nil, err
	}
	if err := as.chown(folder, password); err != nil {
		return nil, err
	}
	return made, run(as.command(made.binary("initdb"), "--pgdata", made.folder, "--username", postgresUser,
		"--pwfile", password, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"))
})

func (o *seed) binary(name string) string { return filepath.Join(o.binaries, name) }

// postgresBinaries returns the folder of initdb and postgres: the one on the PATH, or else Debian's newest.
func postgresBinaries() (string, error) {
	if binary, err := exec.LookPath("initdb"); err == nil {
		program, err := filepath.EvalSymlinks(binary) // a link to initdb does not show where postgres is
		return filepath.Dir(program), err
	}
	newest, folder := 0, ""
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is valid
	for _, binary := range found {
		bin := filepath.Dir(binary)
		if version, err := strconv.Atoi(filepath.Base(filepath.Dir(bin))); err == nil && version > newest {
			newest, folder = version, bin
		}
	}
	if folder == "" {
		return "", &missingError{postgresEngine, "there is no initdb in PATH or /usr/lib/postgresql"}
	}
	return folder, nil
}

// account is the user who runs PostgreSQL, which refuses to run as root.
type account struct{ credential *syscall.Credential } // nil: the user who runs the test

func postgresAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		return account{}, &missingError{postgresEngine, "it does not run as root, and there is no user postgres"}
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

// command returns a command that runs as the account, in a folder that everybody may read, and without the home of the
// user who runs the test, which may contain keys and passwords for other servers.
func (a account) command(name string, arguments ...string) *exec.Cmd {
	command := exec.Command(name, arguments...)
	command.Dir = "/"
	command.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME=/")
	command.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	return command
}

// chown makes the account the owner of files.
func (a account) chown(names ...string) error {
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
