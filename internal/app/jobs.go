package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/internal/uploads"
)

// UploadSettings are the settings of uploads and jobs.
type UploadSettings struct {
	UploadLimit int    `help:"The maximum size of an upload, in MiB." default:"1024" min:"1"`
	UploadDays  int    `help:"The number of days for which the server keeps uploads, and the files and details of jobs; the jobs themselves stay for a year." default:"7" placeholder:"DAYS" min:"1"`
	BackupDir   string `help:"The directory of the backups that operators start in the console; each gets a folder of its own." placeholder:"DIR"`
}

// keepJobs is how long jobs that have ended stay.
const keepJobs = 366 * 24 * time.Hour

// openJobs starts to run jobs. Maintenance has a runner of its own, because editors do not wait for hours.
func (s *App) openJobs(ctx context.Context, settings *Settings) error {
	for _, kinds := range []map[string]jobs.Func{s.jobKinds, maintenance{s, settings}.kinds()} {
		runner := jobs.New(jobs.Options{Store: s.stores.Jobs, Kinds: kinds, Logger: s.logger})
		s.jobs = append(s.jobs, runner)
		s.whileOpen(ctx, runner.Run)
	}
	return nil
}

func (s *App) wakeJobs() {
	for _, runner := range s.jobs {
		runner.Wake()
	}
}

// maxPlain returns the maximum size of a decompressed upload in bytes: text rarely shrinks to less than a tenth.
func maxPlain(settings *Settings) int64 { return 10 * int64(settings.UploadLimit) << 20 }

// forgetJobs deletes files and jobs that the settings no longer keep at a time.
func (s *App) forgetJobs(ctx context.Context, now time.Time) error {
	files := now.AddDate(0, 0, -s.uploads.UploadDays)
	return errors.Join(s.stores.Jobs.SweepFiles(ctx, files), s.stores.Jobs.SweepJobs(ctx, files, now.Add(-keepJobs)))
}

// uploadMounts returns the mount of uploads, and of files that jobs wrote.
func (s *App) uploadMounts(base *httpserver.Base, settings *Settings) ([]httpserver.Mount, error) {
	handler, err := uploads.Handler(uploads.Config{Store: s.stores.Jobs, MaxSize: int64(settings.UploadLimit) << 20, BaseOf: base.Of})
	return []httpserver.Mount{{
		Path: uploads.Path, Prefix: true, Handler: handler, StreamsBody: true, Timeout: streamTimeout,
		Methods: []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions},
	}}, err
}
