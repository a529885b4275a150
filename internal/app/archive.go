package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/archive"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// archiveSettings select the place of old events.
type archiveSettings struct {
	Archive          string `help:"The directory, or s3://BUCKET/PREFIX, for the Parquet files of old months of the event log. Without it, the store keeps all events." placeholder:"DIR|s3://…"`
	ArchiveEndpoint  string `help:"The address of the S3-compatible object store of --archive." default:"https://s3.amazonaws.com" placeholder:"URL"`
	ArchiveRegion    string `help:"The region of the bucket of --archive; without it, the object store is asked." placeholder:"REGION"`
	ArchiveAccessKey string `secret:"" help:"The access key of the bucket of --archive. Without it, the program uses the AWS variables, the AWS credentials file or the role of the machine." placeholder:"KEY"`
	ArchiveSecretKey string `secret:"" help:"The secret key of the bucket of --archive; set it as a file to keep it out of the process list." placeholder:"KEY"`
	ArchiveCA        string `name:"archive-ca" help:"A PEM file with the authorities that verify the certificate of --archive-endpoint, instead of the system's." placeholder:"FILE"`
}

// check returns an error if the settings cannot select a place. The message never contains a key.
func (c *archiveSettings) check() error {
	if c.Archive == "" || !strings.Contains(c.Archive, "://") {
		const bucket = "archive s3://…"
		return errors.Join(onlyWith("archive-access-key", c.ArchiveAccessKey, bucket), onlyWith("archive-secret-key", c.ArchiveSecretKey, bucket),
			onlyWith("archive-region", c.ArchiveRegion, bucket), onlyWith("archive-ca", c.ArchiveCA, bucket))
	}
	_, err := c.bucket()
	return err
}

// ArchiveAge is the age from which on events belong to the archive.
type ArchiveAge struct {
	ArchiveAfter int `help:"The age, in months after the month of receipt, at which events move to --archive, once their month is sealed." default:"12" placeholder:"MONTHS" min:"1"`
}

// shortMonth is the shortest month.
const shortMonth = 28 * 24 * time.Hour

// checkArchive returns an error if archived events would still have addresses.
func (c *Settings) checkArchive() error {
	if c.Archive != "" && c.KeepAddresses > time.Duration(c.ArchiveAfter)*shortMonth {
		return fmt.Errorf("--keep-addresses %s is longer than --archive-after %d months: forgetting addresses would rewrite the archive again and again", c.KeepAddresses, c.ArchiveAfter)
	}
	return nil
}

// bucket returns the options of a bucket.
func (c *archiveSettings) bucket() (options archive.S3Options, err error) {
	place, err := url.Parse(c.Archive)
	if err != nil || place.Scheme != "s3" || place.Host == "" || place.User != nil || place.RawQuery != "" || place.Fragment != "" || place.Port() != "" {
		return options, fmt.Errorf("--archive %q is neither a directory nor s3://BUCKET/PREFIX", c.Archive)
	}
	endpoint, err := url.Parse(c.ArchiveEndpoint)
	if err != nil || !IsAddress(c.ArchiveEndpoint, true) || strings.Trim(endpoint.Path, "/") != "" {
		return options, fmt.Errorf("--archive-endpoint %q is not an http or https address without path", c.ArchiveEndpoint)
	}
	if (c.ArchiveAccessKey == "") != (c.ArchiveSecretKey == "") {
		return options, errors.New("--archive-access-key and --archive-secret-key require each other")
	}
	options = archive.S3Options{
		Endpoint: endpoint.Host, Plain: endpoint.Scheme == "http", Bucket: place.Host, Prefix: strings.Trim(place.Path, "/"),
		Region: c.ArchiveRegion, AccessKey: c.ArchiveAccessKey, SecretKey: c.ArchiveSecretKey,
	}
	if options.Prefix != "" {
		options.Prefix += "/"
	}
	options.TLS, err = authorities("archive-ca", c.ArchiveCA)
	return options, err
}

// archiveMark is the purpose of the key that names the archive of a log. The key is no secret. It is stored so that a
// program without --archive does not take the remaining events for all.
const archiveMark = "archive"

// movedMark is the purpose of a key that exists once events have moved to the archive. A program that then finds an empty place
// reads another one, such as the directory on which a disk is not mounted.
const movedMark = "archive-moved"

// keyReader is the method of store.Keys that reads marks.
type keyReader interface {
	Keys(ctx context.Context, purpose string) ([]account.Key, error)
}

// withArchive returns an event log together with its archive, or the log itself if it has none. accounts are those of the log.
func (c *StoreSettings) withArchive(ctx context.Context, log archive.Log, accounts keyReader, data string, logger *slog.Logger) (store.Events, *archive.Events, error) {
	if c.Archive == "" {
		return log, nil, checkNoArchive(ctx, log, accounts)
	}
	options := archive.Options{Logger: logger, Begun: func(ctx context.Context) (bool, error) {
		marks, err := accounts.Keys(ctx, movedMark)
		return len(marks) > 0, err
	}}
	if strings.Contains(c.Archive, "://") {
		bucket, err := c.bucket()
		if err != nil {
			return nil, nil, err
		}
		if options.Files, err = archive.NewS3(bucket); err != nil {
			return nil, nil, fmt.Errorf("--archive: %w", err)
		}
		if c.InFiles() {
			options.Temporary = data
		}
	} else {
		if err := os.MkdirAll(c.Archive, 0o700); err != nil {
			return nil, nil, fmt.Errorf("--archive: %w", err)
		}
		options.Files, options.Temporary = archive.NewDirectory(c.Archive), c.Archive
	}
	together := archive.New(log, options)
	return together, together, nil
}

// checkNoArchive returns an error if a log without a configured archive has moved events to one.
func checkNoArchive(ctx context.Context, log store.Events, accounts keyReader) error {
	dropped, err := log.Dropped(ctx)
	if err != nil || dropped == 0 {
		return err
	}
	marks, err := accounts.Keys(ctx, archiveMark)
	if err != nil || len(marks) == 0 {
		return err
	}
	return fmt.Errorf("older events are in the archive %s: set --archive to it", FirstSecret(marks))
}

// archivedFile is withArchive for the event log of a data directory whose accounts are not open.
func (c *StoreSettings) archivedFile(ctx context.Context, log archive.Log, data string) (store.Events, error) {
	known, err := readMarks(ctx, data)
	if err != nil {
		return nil, err
	}
	together, _, err := c.withArchive(ctx, log, known, data, slog.New(slog.DiscardHandler))
	return together, err
}

// readMarks returns the marks of the accounts in a data directory, or nil if it has none: its log stands alone.
func readMarks(ctx context.Context, data string) (found marks, err error) {
	file := filepath.Join(data, AccountsFile)
	if _, err := os.Stat(file); err != nil {
		return nil, nil
	}
	accounts, err := sqlite.OpenAccounts(ctx, file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, accounts.Close()) }()
	found = marks{}
	for _, purpose := range []string{archiveMark, movedMark} {
		if found[purpose], err = accounts.Keys(ctx, purpose); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// marks are keys by purpose.
type marks map[string][]account.Key

// Keys implements the method of store.Keys.
func (m marks) Keys(_ context.Context, purpose string) ([]account.Key, error) { return m[purpose], nil }

const (
	// archiveEvery is how often a server looks for a month to move.
	archiveEvery = 10 * time.Minute
	// archiveLease is how long other processes wait for the one that moves months. A process that continues longer only
	// works in vain.
	archiveLease = time.Hour
)

// moveOld moves old months to the archive until the context ends.
func (s *App) moveOld(ctx context.Context) {
	s.regularly(ctx, archiveEvery, "events cannot be moved to the archive", &s.usage.archiving, func(ctx context.Context) (err error) {
		if s.clock.MayDelete(ctx) {
			_, _, err = s.stores.Archive(ctx, time.Now(), s.usage.keeps.ArchiveAfter)
		}
		return err
	})
}

// errNoArchive is the error of Archive without --archive.
var errNoArchive = errors.New("--archive is not set, so there is no place for old events")

// Archive moves the sealed months that are more than a number of months older than that of now to the archive, and returns
// how many events it moved. others: another process is moving months, so Archive has moved none.
func (s *Stores) Archive(ctx context.Context, now time.Time, after int) (moved int64, others bool, err error) {
	if s.archive == nil {
		return 0, false, errNoArchive
	}
	holder := rand.Text()
	lease, err := s.leases.Lease(ctx, store.LeaseRequest{Name: archiveMark, Holder: holder, For: archiveLease})
	if err != nil || !lease.Held {
		return 0, err == nil, err
	}
	defer func() {
		err = cmp.Or(err, s.leases.Release(context.WithoutCancel(ctx), archiveMark, holder))
	}()
	if err := s.archive.Check(ctx); err != nil {
		return 0, false, err
	}
	mark := account.Key{ID: archiveMark, Secret: []byte(s.archive.Place()), CreatedAt: now}
	if err := s.Accounts.AddKey(ctx, archiveMark, mark, true); err != nil {
		return 0, false, err
	}
	seals, err := s.Usage.Seals(ctx)
	if err != nil {
		return 0, false, err
	}
	moved, err = s.archive.Move(ctx, seals, usage.MonthNumber(usage.MonthOf(event.InstantOf(now)).Number()-after))
	if s.archive.Stats().Months > 0 {
		mark.ID = movedMark
		err = errors.Join(err, s.Accounts.AddKey(ctx, movedMark, mark, true))
	}
	return moved, false, err
}

// archiveState reports whether the archive can be read and old months can be moved. The server counts and bills new events
// without it.
func (s *App) archiveState(ctx context.Context) engineState {
	state := engineState{Status: stateUp}
	err := s.stores.archive.Check(ctx)
	if moving := s.usage.archiving.Load(); err == nil && moving != nil {
		err = *moving
	}
	if err != nil {
		state.Status, state.Detail = stateDegraded, "old events cannot be read or moved: "+publicReason(err)
		state.Remedy = "the server's log names the file; check the place of --archive and its credentials, and restore missing files from a copy"
	}
	return state
}

// archived returns the metrics of the archive.
func (s *App) archived() telemetry.Archive {
	stats := s.stores.archive.Stats()
	return telemetry.Archive{Months: stats.Months, Files: stats.Files, Events: stats.Events, Bytes: stats.Bytes}
}
