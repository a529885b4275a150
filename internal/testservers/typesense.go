package testservers

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Typesense starts a Typesense for this test. After Start, it answers before its documents are loaded.
func Typesense(t testing.TB, options ...Option) *Server {
	t.Helper()
	set, err := applyOptions(typesenseEngine, options)
	if err != nil {
		t.Fatal(err)
	}
	s, err := startTypesense(set)
	return endWithTest(t, s, err)
}

func startTypesense(set settings) (*Server, error) {
	binary, err := typesenseBinary()
	if err != nil {
		return nil, err
	}
	return launch(typesenseEngine, func(folder string) (*Server, error) {
		nodes, err := typesenseNodes(binary, folder, max(1, set.nodes))
		if err != nil {
			return nil, err
		}
		if set.nodes > 0 {
			nodes[0].Nodes = nodes
		}
		return nodes[0], nil
	})
}

// typesenseNodes returns n servers that know one another, each in its own folder, with one key.
func typesenseNodes(binary, folder string, n int) ([]*Server, error) {
	key := uniqueName()
	var nodes []*Server
	var members []string
	list := filepath.Join(folder, "nodes")
	for i := range n {
		own := filepath.Join(folder, strconv.Itoa(i))
		data := filepath.Join(own, "data")
		if err := os.MkdirAll(data, rightsOfFolder); err != nil {
			return nil, err
		}
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		peering, err := freePort()
		if err != nil {
			return nil, err
		}
		arguments := []string{"--data-dir", data, "--log-dir", own, "--api-key", key,
			"--api-address", onlyThisMachine, "--api-port", strconv.Itoa(port),
			"--peering-address", onlyThisMachine, "--peering-port", strconv.Itoa(peering)}
		if n > 1 {
			arguments = append(arguments, "--nodes", list)
		}
		members = append(members, fmt.Sprintf("%s:%d:%d", onlyThisMachine, peering, port))
		base := "http://" + address(port)
		nodes = append(nodes, &Server{URL: base, Addr: address(port), Key: key, folder: own, program: program{
			name:    typesenseEngine,
			command: func() *exec.Cmd { return exec.Command(binary, arguments...) },
			answers: func(ctx context.Context, _ int) error { return typesenseAnswers(ctx, base, key) },
			stop:    syscall.SIGTERM,
		}})
	}
	return nodes, os.WriteFile(list, []byte(strings.Join(members, ",")), rightsOfTextFile)
}

// typesenseAnswers also checks the key, because another server might have taken the port.
func typesenseAnswers(ctx context.Context, base, key string) error {
	for _, path := range []string{"/health", "/collections"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return err
		}
		request.Header.Set("X-TYPESENSE-API-KEY", key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", path, response.Status)
		}
	}
	return nil
}

// typesenseBinary finds the server: the one on the PATH, or else the one that tools/setup.sh installed.
func typesenseBinary() (string, error) {
	if binary, err := exec.LookPath("typesense-server"); err == nil {
		return binary, nil
	}
	if binary, err := installed(filepath.Join("typesense-server-0.24.1", "typesense-server")); err == nil {
		return binary, nil
	}
	if os.Getenv(typesenseElsewhere) != "" {
		return "", &missingError{typesenseEngine, "there is no typesense-server, and a test must not break the one at TYPESENSE_URL"}
	}
	return "", &missingError{typesenseEngine, "there is no typesense-server (make setup)"}
}

// installed returns the path of a program that make setup installs into the folder .tools at the root of the project.
func installed(program string) (string, error) {
	folder, err := os.Getwd() // tests run in the folder of their package
	if err != nil {
		return "", err
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if binary, err := exec.LookPath(filepath.Join(folder, ".tools", program)); err == nil {
			return binary, nil
		}
	}
	return "", exec.ErrNotFound
}
