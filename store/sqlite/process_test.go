package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// The test binary also serves as the other process: if these variables are set, it writes instead of running tests.
const (
	childTask = "FILMSTRIP_TEST_TASK"
	childFile = "FILMSTRIP_TEST_FILE"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(childTask); task != "" {
		run := map[string]func(task, file string) error{"events": runEvents, "usage": runUsage, "collections": runCollections}[task]
		if run == nil {
			run = runChild
		}
		if err := run(task, os.Getenv(childFile)); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childBatch is the number of videos that the other process writes per transaction.
const childBatch = 200

// runChild runs a task of the other process. For "batches", it writes batch after batch, from the first that is not
// stored yet, and prints the number of each batch once Write has returned. For "long", it puts one long transaction,
// reports it, and commits it when its input ends.
func runChild(task, file string) error {
	ctx := context.Background()
	c, err := sqlite.OpenCatalogue(ctx, file)
	if err != nil {
		return err
	}
	stored, err := c.CountVideos(ctx)
	if err != nil {
		return err
	}
	for batch := stored / childBatch; task == "batches"; batch++ {
		if err := storetest.PutAll(ctx, c, childItems(batch)); err != nil {
			return err
		}
		fmt.Println(batch)
	}
	err = c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		for batch := range 20 {
			if _, err := tx.Put(ctx, childItems(batch)); err != nil {
				return err
			}
		}
		fmt.Println("written")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
	return errors.Join(err, c.Close())
}

func childItems(batch int) []catalogue.Item {
	items := storetest.SampleDirectory()
	for n := batch * childBatch; n < (batch+1)*childBatch; n++ {
		v := storetest.SampleVideo(n)
		v.Transcript = &v.Description
		items = append(items, v)
	}
	return items
}

// child starts the other process on a file.
func child(t *testing.T, task, file string) (cmd *exec.Cmd, lines *bufio.Scanner, input io.WriteCloser) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), childTask+"="+task, childFile+"="+file)
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if input, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(output), input
}

func openFile(t *testing.T, file string, options ...sqlite.Option) *sqlite.Catalogue {
	t.Helper()
	c, err := sqlite.OpenCatalogue(t.Context(), file, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestKilled kills a writing process again and again on the same file. It checks that every acknowledged batch is
// stored in full, and that no batch is stored in part.
func TestKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalogue.db")
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		cmd, lines, _ := child(t, "batches", file)
		acknowledged, written := -1, 0
		timer := time.AfterFunc(time.Duration(100+rand.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			batch, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the other process says %q", lines.Text())
			}
			acknowledged = batch
			written++
		}
		_ = cmd.Wait()
		timer.Stop()
		c := openFile(t, file)
		found := wholeBatches(t, c)
		t.Logf("round %d: %d batches written and acknowledged, %d stored", round, written, found)
		if found < acknowledged+1 {
			t.Errorf("%d batches were acknowledged, %d are stored", acknowledged+1, found)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// wholeBatches returns the number of batches. It fails the test if any table contains only part of a batch.
func wholeBatches(t *testing.T, c *sqlite.Catalogue) int {
	t.Helper()
	videos, err := c.Scan(t.Context(), 0, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	count, err := c.CountVideos(t.Context())
	if err != nil || count != len(videos) || count%childBatch != 0 {
		t.Errorf("%d videos with bodies of %d, in batches of %d (%v)", len(videos), count, childBatch, err)
	}
	for _, v := range videos {
		if v.Transcript == nil || *v.Transcript != v.Description {
			t.Fatalf("video %s came without its transcript", v.Reference)
		}
	}
	head, err := c.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changes, err := c.Changes(t.Context(), 0, 1_000_000)
	if err != nil || int64(len(changes)) != head || (count > 0 && len(changes) != count+storetest.SampleChannels+storetest.SampleSubjects) {
		t.Errorf("%d entries of the log up to %d for %d videos (%v)", len(changes), head, count, err)
	}
	return count / childBatch
}

// TestLongWrite keeps a long transaction open in another process. It checks that readers in this process still see the
// previous state, that a writer whose patience ends gets Unavailable, and that a patient writer succeeds.
func TestLongWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalogue.db")
	impatient := openFile(t, file, sqlite.WithPatience(200*time.Millisecond))
	patient := openFile(t, file, sqlite.WithPatience(time.Minute))
	if err := storetest.PutAll(t.Context(), impatient, storetest.SampleDirectory()); err != nil {
		t.Fatal(err)
	}
	before, err := impatient.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd, lines, input := child(t, "long", file)
	if !lines.Scan() || lines.Text() != "written" {
		t.Fatalf("the other process says %q", lines.Text())
	}
	for range 100 {
		started := time.Now()
		head, err := impatient.Head(t.Context())
		page, errFeed := impatient.Feed(t.Context(), store.FeedQuery{Size: 10})
		if err := errors.Join(err, errFeed); err != nil || head != before || len(page.Refs) > 0 {
			t.Fatalf("the head is at %d, the feed has %d videos (%v)", head, len(page.Refs), err)
		}
		if took := time.Since(started); took > 2*time.Second {
			t.Errorf("a read took %s", took)
		}
	}
	another := []catalogue.Item{storetest.SampleVideo(1_000_000)}
	if err := storetest.PutAll(t.Context(), impatient, another); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a writer that cannot wait: %v", err)
	}
	ended, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := storetest.PutAll(ended, patient, another); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a writer whose context ends: %v", err)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if err := storetest.PutAll(t.Context(), patient, another); err != nil {
			t.Errorf("a patient writer: %v", err)
		}
	})
	_ = input.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the other process: %v", err)
	}
	waiting.Wait()
	if n, err := impatient.CountVideos(t.Context()); err != nil || n != 20*childBatch+1 {
		t.Errorf("there are %d videos (%v)", n, err)
	}
}

// TestTwoHandles checks that one handle sees at once what another handle on the same file has written.
func TestTwoHandles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalogue.db")
	a, b := openFile(t, file), openFile(t, file)
	var both sync.WaitGroup
	for i, c := range []*sqlite.Catalogue{a, b} {
		both.Go(func() {
			for n := range 20 {
				items := append(storetest.SampleDirectory(), storetest.SampleVideo(i*20+n))
				if err := storetest.PutAll(t.Context(), c, items); err != nil {
					t.Error(err)
				}
				if states, err := c.States(t.Context(), []catalogue.ID{items[len(items)-1].Head().ID}); err != nil || len(states) != 1 {
					t.Errorf("the video that was just written is missing (%v)", err)
				}
			}
		})
	}
	both.Wait()
	for _, c := range []*sqlite.Catalogue{a, b} {
		head, err := c.Head(t.Context())
		if n, errCount := c.CountVideos(t.Context()); errors.Join(err, errCount) != nil || n != 40 || head != 40+storetest.SampleChannels+storetest.SampleSubjects {
			t.Errorf("%d videos, the log is at %d (%v, %v)", n, head, err, errCount)
		}
	}
}

// TestOpenTogether checks that handles that open a new file at the same time agree on one schema.
func TestOpenTogether(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a folder? with #%odd name", "catalogue.db")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c, err := sqlite.OpenCatalogue(t.Context(), file)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(storetest.PutAll(t.Context(), c, storetest.SampleDirectory()), c.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c := openFile(t, file); len(mustDirectory(t, c).Channels) != storetest.SampleChannels {
		t.Error("the schema or the channels are missing")
	}
}

func mustDirectory(t *testing.T, c *sqlite.Catalogue) *catalogue.Directory {
	t.Helper()
	d, err := c.Directory(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMigrate checks that each step of a schema runs once and is always listed.
func TestMigrate(t *testing.T) {
	for _, name := range []string{"catalogue", "accounts", "events", "usage"} {
		file := filepath.Join(t.TempDir(), name+".db")
		for _, first := range []bool{true, false} {
			steps, err := sqlite.Migrate(t.Context(), file, name)
			if err != nil || len(steps) == 0 {
				t.Fatalf("%s: %d steps (%v)", name, len(steps), err)
			}
			for i, step := range steps {
				if step.Version < 1 || i > 0 && step.Version <= steps[i-1].Version || !strings.HasSuffix(step.Name, ".sql") || step.AppliedAt.IsZero() || step.Now != first {
					t.Errorf("%s, for the first time: %t: %+v", name, first, step)
				}
			}
		}
	}
	if _, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "no such folder", "catalogue.db")); err == nil {
		t.Error("a missing folder is no error")
	}
	garbage := filepath.Join(t.TempDir(), "catalogue.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.OpenCatalogue(t.Context(), garbage); err == nil {
		t.Error("a file that is no database is no error")
	}
}
