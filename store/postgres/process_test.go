package postgres_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// The test binary also serves as the other process: if these variables are set, it writes instead of running tests.
const (
	childTask = "FILMSTRIP_TEST_TASK"
	childURL  = "FILMSTRIP_TEST_DATABASE"
)

// childBatch is the number of videos that the other process writes per transaction.
const childBatch = 200

func TestMain(m *testing.M) {
	if task := os.Getenv(childTask); task != "" {
		if err := runChild(task, os.Getenv(childURL)); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// A case costs many times as much as on SQLite, where the same properties run with rapid's 100 cases. The
	// command-line flag is parsed later and overrides this value.
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err)
	}
	os.Exit(testservers.Main(m, dropDatabases))
}

// runChild runs a task of the other process. For "batches", it writes batch after batch, from the first that is not
// stored yet, and prints the number of each batch once Write has returned. For "open", it puts one transaction, reports
// it, and keeps it open. Other tasks do the same with collections.
func runChild(task, url string) error {
	ctx := context.Background()
	d, err := postgres.Open(ctx, url)
	if err != nil {
		return err
	}
	if task == "collections" {
		return storetest.ChangeCollections(ctx, d.Collections(), func(head store.Position) { fmt.Println(head) })
	}
	if task == "one collection" {
		return holdCollection(ctx, d.Collections())
	}
	c := d.Catalogue()
	stored, err := c.CountVideos(ctx)
	if err != nil {
		return err
	}
	for batch := stored / childBatch; task == "batches"; batch++ {
		if err := put(ctx, c, append(directory(), videos(batch*childBatch, (batch+1)*childBatch)...)); err != nil {
			return err
		}
		fmt.Println(batch)
	}
	return c.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Put(ctx, append(directory(), videos(1_000_000, 1_000_000+childBatch)...)); err != nil {
			return err
		}
		fmt.Println("written")
		select {}
	})
}

// child starts the other process on a database.
func child(t *testing.T, task, url string) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), childTask+"="+task, childURL+"="+url)
	output, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(output)
}

// TestKilled kills a writing process again and again on the same database. It checks that every acknowledged batch is
// stored in full, and that no batch is stored in part.
func TestKilled(t *testing.T) {
	url := emptyDatabase(t)
	c := open(t, url).Catalogue()
	for round := range 3 {
		cmd, lines := child(t, "batches", url)
		acknowledged := -1
		timer := time.AfterFunc(time.Duration(200+rand.IntN(600))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			batch, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the other process says %q", lines.Text())
			}
			acknowledged = batch
		}
		_ = cmd.Wait()
		timer.Stop()
		must(t, put(t.Context(), c, nil)) // waits until the server has processed the killed process's last statements
		found := wholeBatches(t, c, childBatch)
		t.Logf("round %d: up to batch %d acknowledged, %d stored", round, acknowledged, found)
		if found < acknowledged+1 {
			t.Errorf("%d batches were acknowledged, %d are stored", acknowledged+1, found)
		}
	}
}

// TestKilledInTransaction checks that the uncommitted changes of a killed process are gone, and its lock with them.
func TestKilledInTransaction(t *testing.T) {
	url := emptyDatabase(t)
	c := filled(t, url, 10)
	cmd, lines := child(t, "open", url)
	if !lines.Scan() || lines.Text() != "written" {
		t.Fatalf("the other process says %q", lines.Text())
	}
	must(t, cmd.Process.Kill())
	must(t, put(t.Context(), c, videos(10, 20)))
	if found := wholeBatches(t, c, 1); found != 20 {
		t.Errorf("there are %d videos", found)
	}
	changes, err := c.Changes(t.Context(), 0, 1000)
	if err != nil || len(changes) != storetest.SampleChannels+storetest.SampleSubjects+20 {
		t.Errorf("the log has %d entries (%v)", len(changes), err)
	}
}
