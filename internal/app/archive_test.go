package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/archive"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestServerArchives verifies that a server moves a sealed month to the archive, reads it there, and reports an archive that
// it cannot read.
func TestServerArchives(t *testing.T) {
	t.Parallel()
	data, place := t.TempDir(), filepath.Join(t.TempDir(), "archive")
	reported := usage.MonthNumber(usage.MonthOf(event.InstantOf(time.Now())).Number() - 3).Start()
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, EventsFile)))(t)
	apptest.Must(log.Append(t.Context(), []event.Submission{{
		Received: reported, Events: []event.Event{{Kind: event.PageRender, At: reported, Received: reported}},
	}}))(t)
	apptest.Must(0, log.Close())(t)
	apptest.Succeed(t, "migrate", "--data", data)
	apptest.Succeed(t, "usage", "seal", "--month", usage.MonthOf(reported).String(), "--data", data)
	p := admitAsItIs(t, "--data", data, "--archive", place, "--archive-after", "1")
	apptest.Await(p, "the month is in the archive", func() bool { return p.stores.archive.Stats().Events == 1 })
	if events := apptest.Must(p.stores.Events.Read(t.Context(), store.EventQuery{}, 0, 10))(t); len(events) != 1 || events[0].Received != reported {
		t.Errorf("%d events are read", len(events))
	}
	apptest.Await(p, "the archive is ready", func() bool { return p.engineStates(t.Context())["archive"].Status == stateUp })
	apptest.Must(0, os.WriteFile(filepath.Join(place, archive.ManifestName), []byte("{"), 0o600))(t)
	if state := p.engineStates(t.Context())["archive"]; state.Status != stateDegraded || !strings.Contains(state.Detail, "archive") {
		t.Errorf("with a damaged manifest: %+v", state)
	}
}

// TestArchiveSettings verifies that wrong settings are refused with their names, and never with a key.
func TestArchiveSettings(t *testing.T) {
	for says, c := range map[string]archiveSettings{
		"--archive \"gs://films\" is neither":                   {Archive: "gs://films"},
		"--archive \"s3://\" is neither":                        {Archive: "s3://"},
		"--archive-endpoint \"ftp://x\" is not":                 {Archive: "s3://films/events", ArchiveEndpoint: "ftp://x"},
		"--archive-access-key and --archive-secret-key require": {Archive: "s3://films", ArchiveEndpoint: "https://s3.example", ArchiveAccessKey: "TOP"},
		"--archive-secret-key requires --archive s3":            {Archive: "folder", ArchiveSecretKey: "TOP"},
	} {
		if err := c.check(); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "TOP") {
			t.Errorf("%s: %v", says, err)
		}
	}
	c := archiveSettings{Archive: "s3://films/a/b/", ArchiveEndpoint: "http://127.0.0.1:9000", ArchiveAccessKey: "k", ArchiveSecretKey: "s"}
	got, err := c.bucket()
	if want := (archive.S3Options{Endpoint: "127.0.0.1:9000", Plain: true, Bucket: "films", Prefix: "a/b/", AccessKey: "k", SecretKey: "s"}); got != want || err != nil {
		t.Errorf("got %+v (%v)", got, err)
	}
	settings := Settings{Addr: "127.0.0.1:0"}
	settings.Archive, settings.ArchiveAfter, settings.KeepAddresses = "folder", 1, 29*24*time.Hour
	if err := settings.checkArchive(); err == nil || !strings.Contains(err.Error(), "--keep-addresses 696h0m0s is longer than --archive-after 1 months") {
		t.Errorf("got %v", err)
	}
}
