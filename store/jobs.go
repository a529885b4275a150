package store

import (
	"context"
	"io"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// Jobs is the system of record for jobs, work that outlives the request that started it, and for the files that jobs read
// and write. Any process can continue a job or a file that another began. Errors are those of Catalogue. Every method may
// be called concurrently, and by several processes.
//
// All times that decide who runs a job are those of the store's clock.
type Jobs interface {
	// AddJob stores a job, which waits, and sets its CreatedAt. The error has code Conflict if one with its ID exists.
	AddJob(ctx context.Context, job *Job) error
	// Job returns a job with its Details, or nil if there is none.
	Job(ctx context.Context, id string) (*Job, error)
	// Jobs returns jobs without Details, the newest first.
	Jobs(ctx context.Context, query JobQuery) ([]*Job, error)
	// OpenJobs returns how many jobs wait and how many run.
	OpenJobs(ctx context.Context) (waiting, running int64, err error)
	// ClaimJob gives the oldest job of these kinds that waits, or whose holder has not sent a heartbeat in time, to a
	// holder for a duration, and adds 1 to its Attempts. It returns nil if there is none, without a write: processes ask all
	// the time, and while a database is away, their writes would open the circuit breaker that sign-ins share.
	ClaimJob(ctx context.Context, kinds []string, holder string, lasting time.Duration) (*Job, error)
	// HeartbeatJob stores progress and prolongs the claim of a holder to a duration from now; 0 gives the job back.
	// cancel reports whether somebody asked to cancel the job. The error has code Conflict if the holder has lost the
	// claim.
	HeartbeatJob(ctx context.Context, id, holder string, progress JobProgress, lasting time.Duration) (cancel bool, err error)
	// FinishJob ends a job. The error has code Conflict if the holder has lost the claim.
	FinishJob(ctx context.Context, id, holder string, end JobEnd) error
	// CancelJob cancels a job that waits, asks the holder of a running job to cancel it, and does nothing to a job that
	// has ended. The error has code NotFound if there is no such job.
	CancelJob(ctx context.Context, id string) error
	// SweepJobs deletes the Details of jobs that ended before a time, and jobs that ended before another.
	SweepJobs(ctx context.Context, details, jobs time.Time) error

	// AddFile stores an empty file and sets its CreatedAt. The error has code Conflict if one with its ID exists.
	AddFile(ctx context.Context, file *File) error
	// File returns a file, or nil if there is none.
	File(ctx context.Context, id string) (*File, error)
	// FilesOf returns the files that jobs wrote, in the order of the jobs, then the oldest first, at most MaxJobFiles of each.
	FilesOf(ctx context.Context, jobs ...string) ([]*File, error)
	// UnfinishedUploads returns the uploads that lack bytes and that an actor of the account with the ID of began, the oldest first, at most
	// limit.
	UnfinishedUploads(ctx context.Context, of string, actor account.Actor, limit int) ([]*File, error)
	// AppendFile adds up to MaxChunk bytes at an offset, all or none. The error has code NotFound if there is no such
	// file, Conflict if it has not received exactly offset bytes, and Invalid if it would exceed its size.
	AppendFile(ctx context.Context, id string, offset int64, bytes []byte) error
	// ReadFile returns bytes from an offset on, at least 1 and at most MaxChunk, or none at the end of the file or if
	// there is no such file.
	ReadFile(ctx context.Context, id string, offset int64) ([]byte, error)
	// DeleteFile deletes a file, if it exists.
	DeleteFile(ctx context.Context, id string) error
	// SweepFiles deletes files that were created before a time. After an interrupted call, call it again.
	SweepFiles(ctx context.Context, before time.Time) error

	io.Closer
}

// JobState is a state of a Job.
type JobState string

// The states.
const (
	JobWaiting   JobState = "WAITING"
	JobRunning   JobState = "RUNNING"
	JobDone      JobState = "DONE"
	JobFailed    JobState = "FAILED"
	JobCancelled JobState = "CANCELLED"
)

// Ended reports whether a job in this state will not change any more.
func (s JobState) Ended() bool { return s != JobWaiting && s != JobRunning }

// Job is a piece of work.
type Job struct {
	// ID has 24 lower-case hexadecimal digits.
	ID   string
	Kind string
	// Account is the ID of the account whose staff started the job; Actor is who did.
	Account string
	Actor   account.Actor
	// Input is a small JSON object, which depends on the kind.
	Input []byte

	// Number increases with each job; the store sets it.
	Number int64
	State  JobState
	// CreatedAt, StartedAt and EndedAt are in UTC with microseconds; zero if the job has not come so far.
	CreatedAt, StartedAt, EndedAt time.Time
	Progress                      JobProgress
	// Attempts counts how often a process began or continued the job.
	Attempts int64
	// CancelRequested reports whether somebody asked to cancel the job.
	CancelRequested bool
	JobResult
}

// JobProgress is how far a job is, in units that depend on its kind. Total is 0 if unknown.
type JobProgress struct{ Done, Total int64 }

// JobResult is what a job leaves behind.
type JobResult struct {
	// Result and Details are JSON, or nil. Details are deleted earlier than the job.
	Result, Details []byte
	// Error is why the job failed, for the person who started it; "" if it did not.
	Error string
}

// JobEnd is the end of a job.
type JobEnd struct {
	State    JobState
	Progress JobProgress
	JobResult
}

// JobQuery selects jobs.
type JobQuery struct {
	// Account is the account whose jobs to return. Kind limits them to one kind; "": all.
	Account, Kind string
	// Below limits the jobs to lower numbers; 0: none.
	Below int64
	// Limit is the maximum number of jobs to return, at most MaxJobs.
	Limit int
}

// The bounds of what one call reads or writes.
const (
	MaxJobs     = 1_000
	MaxJobFiles = 100
	MaxChunk    = 1 << 20
)

// File is a file that somebody uploads, or that a job writes.
type File struct {
	// ID has 24 lower-case hexadecimal digits.
	ID string
	// Account and Actor are those of the Job, or of the upload.
	Account string
	Actor   account.Actor
	// Job is the ID of the job that wrote the file; "" for an upload.
	Job  string
	Name string
	// Metadata is what the uploader said about the file.
	Metadata map[string]string
	// Size is the number of bytes that the file will have, or -1 if it is unknown; Received is how many it has.
	Size, Received int64
	// CreatedAt is in UTC with microseconds.
	CreatedAt time.Time
}

// Complete reports whether an upload has all its bytes.
func (f *File) Complete() bool { return f.Size < 0 || f.Received == f.Size }
