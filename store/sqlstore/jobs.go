package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Jobs implements store.Jobs. It is safe for concurrent use.
type Jobs struct{ on[Database] }

var _ store.Jobs = (*Jobs)(nil)

// NewJobs returns the jobs of a database.
func NewJobs(db Database) *Jobs { return &Jobs{on[Database]{db}} }

// jobColumns are the columns of a job in a list; the columns of wholeJob follow.
const (
	jobColumns = `number, id, kind, account, client, user_name, state, created_at, started_at, ended_at,
		done, total, attempts, cancel, input, result, error`
	wholeJob = jobColumns + `, details`
)

var (
	insertJob = define(`
		INSERT INTO jobs (id, kind, account, client, user_name, state, open, created_at, started_at, ended_at,
			done, total, attempts, cancel, holder, until, input, result, details, error)
		VALUES ($1, $2, $3, $4, $5, $6, true, $7, 0, 0, 0, 0, 0, false, '', 0, $8, $9, $9, '')
		ON CONFLICT (id) DO NOTHING`)
	selectJob        = define(`SELECT ` + wholeJob + ` FROM jobs WHERE id = $1`)
	selectJobs       = define(`SELECT ` + jobColumns + ` FROM jobs WHERE account = $1 AND number < $2 ORDER BY number DESC LIMIT $3`)
	selectJobsOfKind = define(`
		SELECT ` + jobColumns + ` FROM jobs WHERE account = $1 AND kind = $2 AND number < $3 ORDER BY number DESC LIMIT $4`)
	// A condition on numbers makes SQLite search the index of open jobs.
	countJobs     = define(`SELECT COUNT(*) FROM jobs WHERE open AND number > 0 AND state = $1`)
	selectNextJob = DefinePer(`
		SELECT number FROM jobs WHERE open AND number > 0 AND kind IN (SELECT value FROM json_each($1)) AND until <= $2 ORDER BY number LIMIT 1`, `
		SELECT number FROM jobs WHERE open AND number > 0 AND kind = ANY ($1::bytea[]) AND until <= $2 ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED`)
	countClaimable = DefinePer(`
		SELECT COUNT(*) FROM jobs WHERE open AND number > 0 AND kind IN (SELECT value FROM json_each($1)) AND until <= $2`, `
		SELECT COUNT(*) FROM jobs WHERE open AND number > 0 AND kind = ANY ($1::bytea[]) AND until <= $2`)
	claimJob = define(`
		UPDATE jobs SET state = $2, holder = $3, until = $4, attempts = attempts + 1,
			started_at = CASE WHEN started_at = 0 THEN $5 ELSE started_at END
		WHERE number = $1`)
	selectJobByNumber = define(`SELECT ` + wholeJob + ` FROM jobs WHERE number = $1`)
	heartbeatJob      = define(`UPDATE jobs SET done = $4, total = $5, until = $6 WHERE id = $1 AND holder = $2 AND state = $3`)
	selectCancel      = define(`SELECT COUNT(*) FROM jobs WHERE id = $1 AND cancel`)
	finishJob         = define(`
		UPDATE jobs SET state = $4, open = false, holder = '', until = 0, ended_at = $5, done = $6, total = $7, result = $8, details = $9, error = $10
		WHERE id = $1 AND holder = $2 AND state = $3`)
	cancelWaitingJob = define(`UPDATE jobs SET state = $3, open = false, cancel = true, ended_at = $4 WHERE id = $1 AND state = $2`)
	cancelRunningJob = define(`UPDATE jobs SET cancel = true WHERE id = $1 AND state = $2`)
	sweepDetails     = define(`UPDATE jobs SET details = $1 WHERE NOT open AND ended_at < $2 AND length(details) > 0`)
	sweepJobs        = define(`DELETE FROM jobs WHERE NOT open AND ended_at < $1`)
)

// write is like Database.Write, and passes the time by the clock that all processes share.
func (j *Jobs) write(ctx context.Context, fn func(ctx context.Context, c Conn, now time.Time) error) error {
	return j.db.Write(ctx, func(ctx context.Context, c Conn) error {
		now, err := c.SharedTime(ctx)
		if err != nil {
			return err
		}
		return fn(ctx, c, now)
	})
}

// AddJob implements store.Jobs.
func (j *Jobs) AddJob(ctx context.Context, job *store.Job) error {
	return j.write(ctx, func(ctx context.Context, c Conn, now time.Time) error {
		job.State, job.CreatedAt = store.JobWaiting, instant(micros(now))
		return insertNew(ctx, c, fmt.Sprintf("a job %q", job.ID), insertJob, job.ID, job.Kind, job.Account, job.Actor.Client, job.Actor.User, string(store.JobWaiting),
			micros(now), notNull(job.Input), notNull(nil))
	})
}

// notNull returns bytes as a column stores them.
func notNull(bytes []byte) []byte {
	if bytes == nil {
		return []byte{}
	}
	return bytes
}

// orNil is the reverse of notNull.
func orNil(bytes []byte) []byte {
	if len(bytes) == 0 {
		return nil
	}
	return bytes
}

func scanJob(row Row) (*store.Job, error) { return scanJobInto(row, &store.Job{}) }

func scanWholeJob(row Row) (*store.Job, error) {
	job := &store.Job{}
	return scanJobInto(row, job, &job.Details)
}

func scanJobInto(row Row, job *store.Job, more ...any) (*store.Job, error) {
	var created, started, ended int64
	err := row.Scan(append([]any{&job.Number, &job.ID, &job.Kind, &job.Account, &job.Actor.Client, &job.Actor.User, (*string)(&job.State),
		&created, &started, &ended, &job.Progress.Done, &job.Progress.Total, &job.Attempts, &job.CancelRequested, &job.Input, &job.Result, &job.Error}, more...)...)
	job.CreatedAt, job.StartedAt, job.EndedAt = instant(created), optionalInstant(started), optionalInstant(ended)
	job.Input, job.Result, job.Details = orNil(job.Input), orNil(job.Result), orNil(job.Details)
	return job, err
}

// Job implements store.Jobs.
func (j *Jobs) Job(ctx context.Context, id string) (*store.Job, error) {
	return readOne(ctx, j.db, scanWholeJob, selectJob, id)
}

// Jobs implements store.Jobs.
func (j *Jobs) Jobs(ctx context.Context, query store.JobQuery) ([]*store.Job, error) {
	below, limit := query.Below, min(max(0, query.Limit), store.MaxJobs)
	if below == 0 {
		below = math.MaxInt64
	}
	if query.Kind != "" {
		return readAll(ctx, j.db, scanJob, selectJobsOfKind, query.Account, query.Kind, below, limit)
	}
	return readAll(ctx, j.db, scanJob, selectJobs, query.Account, below, limit)
}

// OpenJobs implements store.Jobs.
func (j *Jobs) OpenJobs(ctx context.Context) (waiting, running int64, err error) {
	err = j.db.Read(ctx, func(ctx context.Context, c Conn) error {
		askNumber(ctx, c, &waiting, countJobs, string(store.JobWaiting))
		askNumber(ctx, c, &running, countJobs, string(store.JobRunning))
		return c.Send(ctx)
	})
	return waiting, running, err
}

// ClaimJob implements store.Jobs.
func (j *Jobs) ClaimJob(ctx context.Context, kinds []string, holder string, lasting time.Duration) (job *store.Job, err error) {
	claimable, err := read(ctx, j.db, func(ctx context.Context, c Conn) (int64, error) {
		now, err := c.SharedTime(ctx)
		if err != nil {
			return 0, err
		}
		return selectOne(ctx, c, number, countClaimable, List(kinds), micros(now))
	})
	if err != nil || claimable == 0 {
		return nil, err
	}
	err = j.write(ctx, func(ctx context.Context, c Conn, now time.Time) error {
		job = nil
		next, err := selectOne(ctx, c, number, selectNextJob, List(kinds), micros(now))
		if err != nil || next == 0 {
			return err
		}
		c.Do(ctx, claimJob, next, string(store.JobRunning), holder, micros(now.Add(lasting)), micros(now))
		job, err = selectOne(ctx, c, scanWholeJob, selectJobByNumber, next)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

// HeartbeatJob implements store.Jobs.
func (j *Jobs) HeartbeatJob(ctx context.Context, id, holder string, progress store.JobProgress, lasting time.Duration) (cancel bool, err error) {
	err = j.write(ctx, func(ctx context.Context, c Conn, now time.Time) error {
		changed, err := c.Exec(ctx, heartbeatJob, id, holder, string(store.JobRunning), progress.Done, progress.Total, micros(now.Add(lasting)))
		if err := claimed(changed, err, id); err != nil {
			return err
		}
		requested, err := selectOne(ctx, c, number, selectCancel, id)
		cancel = requested > 0
		return err
	})
	return cancel, err
}

// claimed returns an error if a statement for the holder of a claim changed nothing.
func claimed(changed int64, err error, id string) error {
	if err == nil && changed == 0 {
		return fault.Errorf(fault.Conflict, "the job %q has another holder or has ended", id)
	}
	return err
}

// FinishJob implements store.Jobs.
func (j *Jobs) FinishJob(ctx context.Context, id, holder string, end store.JobEnd) error {
	return j.write(ctx, func(ctx context.Context, c Conn, now time.Time) error {
		changed, err := c.Exec(ctx, finishJob, id, holder, string(store.JobRunning), string(end.State), micros(now),
			end.Progress.Done, end.Progress.Total, notNull(end.Result), notNull(end.Details), end.Error)
		return claimed(changed, err, id)
	})
}

// CancelJob implements store.Jobs.
func (j *Jobs) CancelJob(ctx context.Context, id string) error {
	return j.write(ctx, func(ctx context.Context, c Conn, now time.Time) error {
		c.Do(ctx, cancelWaitingJob, id, string(store.JobWaiting), string(store.JobCancelled), micros(now))
		c.Do(ctx, cancelRunningJob, id, string(store.JobRunning))
		if job, err := selectOne(ctx, c, scanWholeJob, selectJob, id); err != nil || job != nil {
			return err
		}
		return fault.Errorf(fault.NotFound, "there is no job %q", fault.Shorten(id))
	})
}

// SweepJobs implements store.Jobs.
func (j *Jobs) SweepJobs(ctx context.Context, details, jobs time.Time) error {
	return j.db.Write(ctx, func(ctx context.Context, c Conn) error {
		c.Do(ctx, sweepDetails, notNull(nil), micros(details))
		c.Do(ctx, sweepJobs, micros(jobs))
		return nil
	})
}

const fileColumns = `id, account, client, user_name, job, name, metadata, size, received, created_at`

var (
	insertFile = define(`
		INSERT INTO job_files (` + fileColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9) ON CONFLICT (id) DO NOTHING`)
	selectFile       = define(`SELECT ` + fileColumns + ` FROM job_files WHERE id = $1`)
	lockFile         = define(`SELECT ` + fileColumns + ` FROM job_files WHERE id = $1 FOR UPDATE`)
	selectFilesOf    = define(`SELECT ` + fileColumns + ` FROM job_files WHERE job = $1 ORDER BY created_at, id LIMIT $2`)
	selectUnfinished = define(`
		SELECT ` + fileColumns + ` FROM job_files WHERE job = $1 AND account = $2 AND client = $3 AND user_name = $4 AND received < size
		ORDER BY created_at, id LIMIT $5`)
	insertChunk = define(`INSERT INTO job_file_chunks (file, at, body) VALUES ($1, $2, $3)`)
	extendFile  = define(`UPDATE job_files SET received = $2 WHERE id = $1`)
	selectChunk = define(`SELECT at, body FROM job_file_chunks WHERE file = $1 AND at <= $2 ORDER BY at DESC LIMIT 1`)
	// Deletions work in chunks, so that no writer waits for more than a moment.
	deleteChunks = DefinePer(`
		DELETE FROM job_file_chunks WHERE rowid IN (SELECT rowid FROM job_file_chunks WHERE file = $1 LIMIT $2)`, `
		DELETE FROM job_file_chunks WHERE ctid = ANY (ARRAY(SELECT ctid FROM job_file_chunks WHERE file = $1 ORDER BY at LIMIT $2 FOR UPDATE))`)
	deleteFile     = define(`DELETE FROM job_files WHERE id = $1`)
	selectOldFiles = define(`SELECT id FROM job_files WHERE created_at < $1 ORDER BY created_at LIMIT $2`)
)

// AddFile implements store.Jobs.
func (j *Jobs) AddFile(ctx context.Context, file *store.File) error {
	metadata, err := json.Marshal(file.Metadata)
	if err != nil {
		return err
	}
	return j.write(ctx, func(ctx context.Context, c Conn, now time.Time) error {
		file.Received, file.CreatedAt = 0, instant(micros(now))
		return insertNew(ctx, c, fmt.Sprintf("a file %q", file.ID), insertFile, file.ID, file.Account, file.Actor.Client, file.Actor.User, file.Job, file.Name,
			metadata, file.Size, micros(now))
	})
}

func scanFile(row Row) (*store.File, error) {
	var (
		file     store.File
		metadata []byte
		created  int64
	)
	err := row.Scan(&file.ID, &file.Account, &file.Actor.Client, &file.Actor.User, &file.Job, &file.Name, &metadata,
		&file.Size, &file.Received, &created)
	if err != nil {
		return nil, err
	}
	file.CreatedAt = instant(created)
	return &file, json.Unmarshal(metadata, &file.Metadata)
}

// File implements store.Jobs.
func (j *Jobs) File(ctx context.Context, id string) (*store.File, error) {
	return readOne(ctx, j.db, scanFile, selectFile, id)
}

// FilesOf implements store.Jobs.
func (j *Jobs) FilesOf(ctx context.Context, jobs ...string) ([]*store.File, error) {
	return read(ctx, j.db, func(ctx context.Context, c Conn) (files []*store.File, err error) {
		for _, job := range jobs {
			if job == "" { // only uploads have no job
				continue
			}
			c.Ask(ctx, selectFilesOf, func(row Row) error {
				file, err := scanFile(row)
				files = append(files, file)
				return err
			}, job, store.MaxJobFiles)
		}
		return files, c.Send(ctx)
	})
}

// UnfinishedUploads implements store.Jobs.
func (j *Jobs) UnfinishedUploads(ctx context.Context, of string, actor account.Actor, limit int) ([]*store.File, error) {
	return readAll(ctx, j.db, scanFile, selectUnfinished, "", of, actor.Client, actor.User, limit)
}

// AppendFile implements store.Jobs.
func (j *Jobs) AppendFile(ctx context.Context, id string, offset int64, bytes []byte) error {
	if len(bytes) > store.MaxChunk {
		return fault.InvalidRequest("%d bytes are more than %d", len(bytes), store.MaxChunk)
	}
	return j.db.Write(ctx, func(ctx context.Context, c Conn) error {
		file, err := selectOne(ctx, c, scanFile, lockFile, id)
		end := offset + int64(len(bytes))
		switch {
		case err != nil:
			return err
		case file == nil:
			return fault.Errorf(fault.NotFound, "there is no file %q", fault.Shorten(id))
		case file.Received != offset:
			return fault.Errorf(fault.Conflict, "the file %q has %d bytes, not %d", id, file.Received, offset)
		case file.Size >= 0 && end > file.Size:
			return fault.InvalidRequest("the file %q has %d bytes, not %d", id, file.Size, end)
		case len(bytes) == 0:
			return nil
		}
		c.Do(ctx, insertChunk, id, offset, bytes)
		c.Do(ctx, extendFile, id, end)
		return nil
	})
}

// ReadFile implements store.Jobs.
func (j *Jobs) ReadFile(ctx context.Context, id string, offset int64) ([]byte, error) {
	type chunk struct {
		at   int64
		body []byte
	}
	found, err := readOne(ctx, j.db, func(row Row) (found chunk, err error) {
		err = row.Scan(&found.at, &found.body)
		return found, err
	}, selectChunk, id, offset)
	if skip := offset - found.at; err == nil && skip >= 0 && skip < int64(len(found.body)) {
		return found.body[skip:], nil
	}
	return nil, err
}

// chunksAtOnce is the largest number of chunks that one transaction deletes.
const chunksAtOnce = 64

// DeleteFile implements store.Jobs. The row of the file goes last, so that an interrupted call is repeated by SweepFiles.
func (j *Jobs) DeleteFile(ctx context.Context, id string) error {
	for deleted := int64(chunksAtOnce); deleted == chunksAtOnce; {
		err := j.db.Write(ctx, func(ctx context.Context, c Conn) error {
			// Nobody adds a chunk between the last deletion and that of the row.
			if _, err := selectOne(ctx, c, scanFile, lockFile, id); err != nil {
				return err
			}
			var err error
			deleted, err = c.Exec(ctx, deleteChunks, id, chunksAtOnce)
			if err == nil && deleted < chunksAtOnce {
				c.Do(ctx, deleteFile, id)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// filesAtOnce is the number of files that SweepFiles looks up at once.
const filesAtOnce = 100

// SweepFiles implements store.Jobs.
func (j *Jobs) SweepFiles(ctx context.Context, before time.Time) error {
	for {
		ids, err := readAll(ctx, j.db, func(row Row) (id string, err error) {
			err = row.Scan(&id)
			return id, err
		}, selectOldFiles, micros(before), filesAtOnce)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := j.DeleteFile(ctx, id); err != nil {
				return err
			}
		}
		if len(ids) < filesAtOnce {
			return nil
		}
	}
}
