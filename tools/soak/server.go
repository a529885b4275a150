package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// server is the process under load.
type server struct {
	*program.Process
	metrics string
	log     *os.File
}

// startServer imports a generated catalogue into the folder and starts a server with the accounts of the demo.
func startServer(ctx context.Context, s settings, folder string) (*server, error) {
	data := filepath.Join(folder, "data")
	if err := program.Import(ctx, s.binary, data, generate.Options{Videos: s.videos, Seed: s.seed}); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return nil, err
	}
	serve := exec.Command(s.binary, "serve", "--demo", "--no-demo-past", "--addr", "127.0.0.1:0", "--data", data, "--client-rate", "0",
		"--memory", strconv.Itoa(s.memory), "--metrics-addr", s.metrics, "--log-level", "warn")
	serve.Stderr = log
	process, err := program.Start(serve)
	if err != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return &server{Process: process, metrics: s.metrics, log: log}, nil
}

const mebibyte = 1 << 20

// memory is the memory of the server, in bytes.
type memory struct {
	program.Memory
	heap int64 // live and not yet collected objects
	goes int64 // everything that Go holds of the system
}

// memory reads the memory of the server from /proc and its metrics.
func (s *server) memory(ctx context.Context) (m memory, err error) {
	if m.Memory, err = s.Memory(); err != nil {
		return m, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.metrics+"/metrics", nil)
	if err != nil {
		return m, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return m, err
	}
	defer response.Body.Close()
	values := map[string]float64{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if name, value, found := bytes.Cut(lines.Bytes(), []byte(" ")); found && bytes.HasPrefix(name, []byte("go_memstats_")) {
			values[string(name)], _ = strconv.ParseFloat(string(value), 64)
		}
	}
	m.heap = int64(values["go_memstats_heap_alloc_bytes"])
	m.goes = int64(values["go_memstats_sys_bytes"] - values["go_memstats_heap_released_bytes"])
	return m, nil
}
