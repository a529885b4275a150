package apptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// folder is the temporary directory of this test process.
var folder string

// Main runs the tests of a package and returns the exit status. The release must come from package app.
func Main(m *testing.M, release string) int {
	if release == "" {
		fmt.Fprintln(os.Stderr, "apptest: Main needs the release of package app")
		return 1
	}
	var err error
	if folder, err = os.MkdirTemp("", "filmstrip-apptest-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	// Tests count the events and searches that they send.
	if err := os.Setenv("FILMSTRIP_DEMO_PAST", "false"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	http.DefaultClient.Timeout = 2 * time.Minute // no test waits forever for a response
	return testservers.Main(m)
}

// Binary returns the path of the program. The first call builds it; test packages share the build.
func Binary(t testing.TB) string {
	t.Helper()
	return Must(binary())(t)
}

// NextRelease returns the path of the program of a made-up next release: the sources of this one, and the files in
// testdata/nextrelease, a migration and the code that writes its column.
func NextRelease(t testing.TB) string {
	t.Helper()
	return Must(nextRelease())(t)
}

var (
	binary      = sync.OnceValues(func() (string, error) { return build("filmstrip") })
	nextRelease = sync.OnceValues(buildNextRelease)
)

func buildNextRelease() (string, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for place, name := range map[string]string{"": "next_look.go", "migrations": "00099_next_look.sql"} {
		added := Path("internal", "apptest", "testdata", "nextrelease", name)
		if _, err := os.Stat(added); err != nil { // noteSources passes over testdata
			return "", err
		}
		overlay.Replace[Path("store", "postgres", place, name)] = added
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "nextrelease.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	return build("filmstrip-next", "-overlay", file)
}

// build builds the program under a name, unless another test process has built it from the same sources. It links only
// if something changed, and shares the compiled packages with go test.
func build(name string, flags ...string) (string, error) {
	if err := noteSources(); err != nil {
		return "", err
	}
	shared, err := sharedFolder()
	if err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(shared, "lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }()
	built := filepath.Join(shared, name)
	command := exec.Command("go", append(append([]string{"build", "-o", built}, flags...), "./cmd/filmstrip")...)
	command.Dir = Path()
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, output)
	}
	file := filepath.Join(folder, name)
	return file, linkOrCopy(built, file)
}

// noteSources reads the attributes of the sources of the program, which the test packages do not link: go test repeats
// cached results only while the attributes of all files that the tests looked at are unchanged.
func noteSources() error {
	root := Path()
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			name := entry.Name()
			if path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || filepath.Dir(path) == root && notSources[name]) {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(path, "_test.go"):
			return nil
		}
		_, err = os.Stat(path)
		return err
	})
}

// notSources are the folders of the checkout that contain no source of the program.
var notSources = map[string]bool{"bin": true, "deploy": true, "dist": true, "docs": true, "examples": true, "tools": true}

// sharedFolder returns the folder in which all test processes of this checkout find the program. It lies outside the
// checkout, because go test repeats a cached result only while all files of the checkout that the test looked at are
// unchanged, folders included. `make clean` removes it.
func sharedFolder() (string, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	checkout := fnv.New64()
	_, _ = io.WriteString(checkout, Path())
	shared := filepath.Join(caches, "filmstrip-apptest", fmt.Sprintf("%x", checkout.Sum64()))
	return shared, os.MkdirAll(shared, 0o700)
}

// linkOrCopy gives a file a second name, so that a later build does not replace the program of running tests.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Path returns the absolute path of a file of the checkout, given as elements below its root.
func Path(elements ...string) string {
	root, err := filepath.Abs(".")
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			return filepath.Join(append([]string{root}, elements...)...)
		}
		if filepath.Dir(root) == root {
			break
		}
		root = filepath.Dir(root)
	}
	panic("apptest: there is no go.mod above the working directory")
}
