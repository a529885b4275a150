package testservers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL starts a PostgreSQL for this test. Its user is a superuser. Unless it is Durable, a kill may lose data, or
// corrupt it if the machine goes down too.
func PostgreSQL(t testing.TB, options ...Option) *Server {
	t.Helper()
	set, err := applyOptions(postgresEngine, options)
	if err != nil {
		t.Fatal(err)
	}
	s, err := startPostgreSQL(set)
	return endWithTest(t, s, err)
}

func startPostgreSQL(set settings) (*Server, error) {
	origin, err := postgresSeed()
	if err != nil {
		return nil, err
	}
	s, err := origin.launch(set, func(data string) error {
		return run(origin.as.command("cp", "-a", origin.folder, data))
	})
	if err != nil || !set.replica {
		return s, err
	}
	if s.Replica, err = startStandby(origin, set, s.URL); err != nil {
		return nil, abandon([]*Server{s}, err)
	}
	return s, nil
}

// launch starts a server on the data folder that fill creates.
func (o *seed) launch(set settings, fill func(data string) error) (*Server, error) {
	return launch(postgresEngine, func(folder string) (*Server, error) {
		if err := o.as.chown(folder); err != nil {
			return nil, err
		}
		s := &Server{folder: folder}
		data := filepath.Join(folder, "data")
		if set.disk > 0 {
			disk, err := o.as.newDisk(postgresEngine, folder, set.disk)
			if err != nil {
				return nil, err
			}
			s.disk, s.Ballast, data = disk, disk.ballast(), filepath.Join(disk.root, "data")
		}
		if err := fill(data); err != nil {
			return nil, errors.Join(err, s.disk.end())
		}
		if err := o.prepare(s, data, set); err != nil {
			return nil, errors.Join(err, s.disk.end())
		}
		return s, nil
	})
}

// prepare sets how a server is run on a data folder, and its address.
func (o *seed) prepare(s *Server, data string, set settings) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	arguments := []string{"-D", data, "-c", "listen_addresses=" + onlyThisMachine, "-c", "port=" + strconv.Itoa(port),
		"-c", "unix_socket_directories=" + data, "-c", "shared_buffers=32MB"}
	if !set.durable {
		arguments = append(arguments, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	if set.disk > 0 {
		// The minimum, two segments of 16 MiB: otherwise the write-ahead log alone would fill the disk before a
		// checkpoint.
		arguments = append(arguments, "-c", "min_wal_size=32MB", "-c", "max_wal_size=32MB",
			"-c", "restart_after_crash=off") // otherwise it may come back to a disk that is still full, again and again
	} else {
		// Segments of shared memory are files in the data folder, which the test removes. A killed server would leave them in
		// /dev/shm.
		arguments = append(arguments, "-c", "dynamic_shared_memory_type=mmap")
	}
	query := url.Values{"sslmode": {"disable"}}
	if set.tls {
		files, err := o.certify(s.folder, data)
		if err != nil {
			return err
		}
		s.CAFile = files.authority
		query = url.Values{"sslmode": {"verify-full"}, "sslrootcert": {files.authority}}
		arguments = append(arguments, "-c", "ssl=on", "-c", "ssl_cert_file="+files.server, "-c", "ssl_key_file="+files.key)
	}
	s.Addr = address(port)
	s.URL = (&url.URL{Scheme: "postgres", Host: s.Addr, Path: "/postgres", RawQuery: query.Encode(),
		User: url.UserPassword(postgresUser, o.password)}).String()
	s.program = program{
		name:    postgresEngine,
		command: func() *exec.Cmd { return o.as.command(o.binary("postgres"), arguments...) },
		answers: func(ctx context.Context, _ int) error { return postgresAnswers(ctx, s.URL, data) },
		stop:    syscall.SIGINT,
	}
	return nil
}

// certify writes a certificate, and allows connections over TLS only.
func (o *seed) certify(folder, data string) (certificate, error) {
	files, err := newCertificate(folder)
	if err != nil {
		return files, err
	}
	if err := o.as.chown(files.authority, files.server, files.key); err != nil {
		return files, err
	}
	const rules = "hostssl all all 127.0.0.1/32 scram-sha-256\nhostssl replication all 127.0.0.1/32 scram-sha-256\n"
	return files, os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(rules), rightsOfTextFile)
}

// startStandby starts a replica of the server at primary.
func startStandby(origin *seed, set settings, primary string) (*Server, error) {
	standby, err := origin.launch(set, func(data string) error {
		return run(origin.as.command(origin.binary("pg_basebackup"), "--dbname", primary, "--pgdata", data,
			"--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast", "--no-sync"))
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Second)
	defer cancel()
	if err := awaitStreaming(ctx, standby.URL); err != nil {
		return nil, abandon([]*Server{standby}, err)
	}
	return standby, nil
}

func awaitStreaming(ctx context.Context, where string) error {
	connection, err := pgx.Connect(ctx, where)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(ctx) }() // a read-only connection
	for {
		var streams bool
		const question = "SELECT pg_is_in_recovery() AND EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')"
		if err := connection.QueryRow(ctx, question).Scan(&streams); err != nil {
			return fmt.Errorf("testservers: the standby does not follow: %w", err)
		}
		if streams {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// postgresAnswers also checks the data directory, because another server might have taken the port.
func postgresAnswers(ctx context.Context, where, data string) error {
	connection, err := pgx.Connect(ctx, where)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(ctx) }() // a read-only connection
	var found string
	if err := connection.QueryRow(ctx, "SELECT current_setting('data_directory')").Scan(&found); err != nil {
		return err
	}
	if found != data {
		return fmt.Errorf("another PostgreSQL answers: its data are in %s", found)
	}
	return nil
}
