package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// EmptyJobs creates a store without jobs and files, and returns a function that opens it. Each opening represents a
// separate process. The creator closes all of them at the end of the test.
type EmptyJobs func(t *testing.T) (open func() store.Jobs)

// Jobs runs the suite of store.Jobs.
func Jobs(t *testing.T, empty EmptyJobs) {
	for name, test := range map[string]func(t *testing.T, one, other store.Jobs){
		"a job from start to end":        testJobLife,
		"a lost job is continued":        testJobContinued,
		"claims at once":                 testJobClaims,
		"jobs are canceled":              testJobCancelled,
		"jobs by pages":                  testJobPages,
		"old jobs go":                    testJobsSwept,
		"a file in pieces":               testFilePieces,
		"one of two pieces at an offset": testFileRace,
		"files of a job, and their end":  testFilesEnd,
		"ended contexts, jobs":           testJobsEnded,
		"unknown videos have no state":   testJobsUnknown,
		"unfinished uploads":             testUnfinishedUploads,
		"the size of jobs": func(t *testing.T, one, _ store.Jobs) {
			addJobs(t, one, newJob(1, "a"), newJob(2, "a"))
			checkSize(t, one, "jobs", 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			open := empty(t)
			test(t, open(), open())
		})
	}
}

// jobID returns the ID of the nth job or file.
func jobID(n int) string { return fmt.Sprintf("%024x", n) }

func newJob(n int, kind string) *store.Job {
	return &store.Job{
		ID: jobID(n), Kind: kind, Account: "operator", Actor: account.Actor{Client: "console", User: "u"}, Input: []byte(`{"a":1}`),
	}
}

func addJobs(t *testing.T, to store.Jobs, jobs ...*store.Job) {
	t.Helper()
	for _, job := range jobs {
		if err := to.AddJob(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
}

// claim claims a job for a holder, and compares its ID with want; "": none.
func claim(t *testing.T, from store.Jobs, holder string, lasting time.Duration, want string, kinds ...string) *store.Job {
	t.Helper()
	job, err := from.ClaimJob(t.Context(), kinds, holder, lasting)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	if job != nil {
		got = job.ID
	}
	if got != want {
		t.Fatalf("%s claimed %q, want %q", holder, got, want)
	}
	return job
}

// wantJobFault checks the code of an error; "": none.
func wantJobFault(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("got %v, want the code %q", err, want)
	}
}

func testJobLife(t *testing.T, one, other store.Jobs) {
	job := newJob(1, "import")
	addJobs(t, one, job)
	wantJobFault(t, one.AddJob(t.Context(), newJob(1, "import")), fault.Conflict)
	if waiting, running, err := other.OpenJobs(t.Context()); err != nil || waiting != 1 || running != 0 {
		t.Errorf("%d wait and %d run: %v", waiting, running, err)
	}
	claim(t, other, "h", time.Hour, "", "another kind")
	got := claim(t, other, "h", time.Hour, job.ID, "another kind", "import")
	if got.State != store.JobRunning || got.StartedAt.Before(got.CreatedAt) || !got.CreatedAt.Equal(job.CreatedAt) || string(got.Input) != `{"a":1}` || got.Attempts != 1 || got.Actor != job.Actor {
		t.Errorf("claimed %+v", got)
	}
	if cancel, err := other.HeartbeatJob(t.Context(), job.ID, "h", store.JobProgress{Done: 2, Total: 5}, time.Hour); err != nil || cancel {
		t.Errorf("the heartbeat returned %t, %v", cancel, err)
	}
	if waiting, running, err := one.OpenJobs(t.Context()); err != nil || waiting != 0 || running != 1 {
		t.Errorf("%d wait and %d run: %v", waiting, running, err)
	}
	end := store.JobEnd{
		State: store.JobFailed, Progress: store.JobProgress{Done: 4, Total: 5},
		JobResult: store.JobResult{Result: []byte(`{"b":2}`), Details: []byte(`[3]`), Error: "the disk is full"},
	}
	if err := other.FinishJob(t.Context(), job.ID, "h", end); err != nil {
		t.Fatal(err)
	}
	ended, err := one.Job(t.Context(), job.ID)
	if err != nil || ended.EndedAt.Before(ended.StartedAt) {
		t.Fatalf("%+v %v", ended, err)
	}
	want := *got
	want.EndedAt, want.State, want.Progress, want.JobResult = ended.EndedAt, end.State, end.Progress, end.JobResult
	if diff := cmp.Diff(&want, ended); diff != "" {
		t.Error(diff)
	}
	wantJobFault(t, other.FinishJob(t.Context(), job.ID, "h", end), fault.Conflict)
	claim(t, one, "h", time.Hour, "", "import")
}

func testJobContinued(t *testing.T, one, other store.Jobs) {
	addJobs(t, one, newJob(1, "import"), newJob(2, "import"))
	first := claim(t, one, "dead", 0, jobID(1), "import") // and its claim ends at once
	second := claim(t, other, "alive", time.Hour, jobID(1), "import")
	if second.Attempts != 2 || !second.StartedAt.Equal(first.StartedAt) {
		t.Errorf("continued %+v, which began as %+v", second, first)
	}
	claim(t, one, "third", time.Hour, jobID(2), "import")
	_, err := one.HeartbeatJob(t.Context(), jobID(1), "dead", store.JobProgress{}, time.Hour)
	wantJobFault(t, err, fault.Conflict)
	wantJobFault(t, one.FinishJob(t.Context(), jobID(1), "dead", store.JobEnd{State: store.JobDone}), fault.Conflict)
	if _, err := other.HeartbeatJob(t.Context(), jobID(1), "alive", store.JobProgress{Done: 7}, 0); err != nil { // gives it back
		t.Fatal(err)
	}
	if again := claim(t, one, "next", time.Hour, jobID(1), "import"); again.Progress.Done != 7 {
		t.Errorf("the progress is %+v", again.Progress)
	}
}

func testJobClaims(t *testing.T, one, other store.Jobs) {
	const jobs = 5
	for n := range jobs {
		addJobs(t, one, newJob(n, "import"))
	}
	var claimed [jobs]atomic.Int32
	together(8, func(i int) {
		for range 2 * jobs {
			job, err := []store.Jobs{one, other}[i%2].ClaimJob(t.Context(), []string{"import"}, fmt.Sprint("holder ", i), time.Hour)
			if err != nil {
				t.Error(err)
			}
			if job != nil {
				claimed[job.Number-1].Add(1)
			}
		}
	})
	for n := range claimed {
		if times := claimed[n].Load(); times != 1 {
			t.Errorf("job %d was claimed %d times", n, times)
		}
	}
}

func testJobCancelled(t *testing.T, one, other store.Jobs) {
	addJobs(t, one, newJob(1, "import"), newJob(2, "import"))
	claim(t, one, "h", time.Hour, jobID(1), "import")
	for n := range 2 {
		if err := other.CancelJob(t.Context(), jobID(n+1)); err != nil {
			t.Fatal(err)
		}
	}
	if cancel, err := one.HeartbeatJob(t.Context(), jobID(1), "h", store.JobProgress{}, time.Hour); err != nil || !cancel {
		t.Errorf("cancel is %t, %v", cancel, err)
	}
	claim(t, one, "h", time.Hour, "", "import") // 2 never started
	waited, err := one.Job(t.Context(), jobID(2))
	if err != nil || waited.State != store.JobCancelled || waited.EndedAt.IsZero() {
		t.Errorf("%+v %v", waited, err)
	}
	if err := one.FinishJob(t.Context(), jobID(1), "h", store.JobEnd{State: store.JobDone}); err != nil { // the holder was faster
		t.Fatal(err)
	}
	if err := one.CancelJob(t.Context(), jobID(1)); err != nil {
		t.Error(err)
	}
	if done, err := one.Job(t.Context(), jobID(1)); err != nil || done.State != store.JobDone {
		t.Errorf("%+v %v", done, err)
	}
}

func testJobPages(t *testing.T, one, _ store.Jobs) {
	foreign := newJob(9, "import")
	foreign.Account = "another"
	addJobs(t, one, newJob(1, "import"), newJob(2, "changeVideos"), foreign, newJob(3, "import"))
	ids := func(query store.JobQuery) (ids []string) {
		query.Account = "operator"
		jobs, err := one.Jobs(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range jobs {
			if string(job.Input) != `{"a":1}` || job.Details != nil {
				t.Errorf("%+v", job)
			}
			ids = append(ids, job.ID)
		}
		return ids
	}
	third, err := one.Job(t.Context(), jobID(3))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		query store.JobQuery
		want  []string
	}{
		{store.JobQuery{Limit: 10}, []string{jobID(3), jobID(2), jobID(1)}},
		{store.JobQuery{Limit: 1}, []string{jobID(3)}},
		{store.JobQuery{Limit: 10, Below: third.Number}, []string{jobID(2), jobID(1)}},
		{store.JobQuery{Limit: 10, Kind: "import"}, []string{jobID(3), jobID(1)}},
		{store.JobQuery{Limit: 10, Kind: "import", Below: third.Number}, []string{jobID(1)}},
		{store.JobQuery{Limit: -1}, nil},
	} {
		if diff := cmp.Diff(test.want, ids(test.query)); diff != "" {
			t.Errorf("%+v: %s", test.query, diff)
		}
	}
}

func testJobsSwept(t *testing.T, one, other store.Jobs) {
	addJobs(t, one, newJob(1, "import"), newJob(2, "import"))
	claim(t, one, "h", time.Hour, jobID(1), "import")
	end := store.JobEnd{State: store.JobDone, JobResult: store.JobResult{Result: []byte(`1`), Details: []byte(`2`)}}
	if err := one.FinishJob(t.Context(), jobID(1), "h", end); err != nil {
		t.Fatal(err)
	}
	ended, err := one.Job(t.Context(), jobID(1))
	if err != nil {
		t.Fatal(err)
	}
	sweep := func(details, jobs time.Time) *store.Job {
		if err := other.SweepJobs(t.Context(), details, jobs); err != nil {
			t.Fatal(err)
		}
		job, err := one.Job(t.Context(), jobID(1))
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	after := ended.EndedAt.Add(time.Microsecond)
	if job := sweep(ended.EndedAt, ended.EndedAt); string(job.Details) != "2" {
		t.Errorf("the details went too early: %+v", job)
	}
	if job := sweep(after, ended.EndedAt); job == nil || job.Details != nil || string(job.Result) != "1" {
		t.Errorf("the details remain: %+v", job)
	}
	if job := sweep(after, after); job != nil {
		t.Errorf("the job remains: %+v", job)
	}
	if waits, err := one.Job(t.Context(), jobID(2)); err != nil || waits == nil {
		t.Errorf("the waiting job is %v: %v", waits, err)
	}
}

func newFile(n int, size int64) *store.File {
	return &store.File{
		ID: jobID(n), Account: "operator", Actor: account.Actor{Client: "console", User: "u"}, Name: "a.csv", Size: size,
		Metadata: map[string]string{"filetype": "text/csv"},
	}
}

func addFile(t *testing.T, to store.Jobs, file *store.File) {
	t.Helper()
	if err := to.AddFile(t.Context(), file); err != nil {
		t.Fatal(err)
	}
}

// contents reads a whole file.
func contents(t *testing.T, of store.Jobs, id string) (all []byte) {
	t.Helper()
	for {
		piece, err := of.ReadFile(t.Context(), id, int64(len(all)))
		if err != nil {
			t.Fatal(err)
		}
		if len(piece) == 0 {
			return all
		}
		all = append(all, piece...)
	}
}

func testFilePieces(t *testing.T, one, other store.Jobs) {
	want := bytes.Repeat([]byte("0123456789\x00\xff"), 200_000)
	file := newFile(1, int64(len(want)))
	addFile(t, one, file)
	wantJobFault(t, one.AddFile(t.Context(), newFile(1, 1)), fault.Conflict)
	for at, n := 0, 0; at < len(want); n++ {
		piece := want[at:min(len(want), at+700_000)]
		by := []store.Jobs{one, other}[n%2]
		wantJobFault(t, by.AppendFile(t.Context(), file.ID, int64(at+1), piece[:1]), fault.Conflict)
		if err := by.AppendFile(t.Context(), file.ID, int64(at), piece); err != nil {
			t.Fatal(err)
		}
		wantJobFault(t, by.AppendFile(t.Context(), file.ID, int64(at), piece), fault.Conflict)
		at += len(piece)
	}
	wantJobFault(t, one.AppendFile(t.Context(), file.ID, file.Size, []byte("x")), fault.Invalid)
	wantJobFault(t, one.AppendFile(t.Context(), file.ID, file.Size, make([]byte, store.MaxChunk+1)), fault.Invalid)
	if !bytes.Equal(contents(t, other, file.ID), want) {
		t.Error("the contents differ")
	}
	if piece, err := one.ReadFile(t.Context(), file.ID, 3); err != nil || !bytes.HasPrefix(piece, want[3:100]) {
		t.Errorf("%.100q %v", piece, err)
	}
	got, err := other.File(t.Context(), file.ID)
	file.Received = file.Size
	if diff := cmp.Diff(file, got); err != nil || diff != "" || !got.Complete() {
		t.Errorf("%v %s", err, diff)
	}
}

func testFileRace(t *testing.T, one, other store.Jobs) {
	addFile(t, one, newFile(1, -1))
	var added atomic.Int32
	together(8, func(i int) {
		err := []store.Jobs{one, other}[i%2].AppendFile(t.Context(), jobID(1), 0, []byte{byte(i)})
		switch fault.CodeOf(err) {
		case "":
			added.Add(1)
		case fault.Conflict:
		default:
			t.Error(err)
		}
	})
	if all := contents(t, one, jobID(1)); added.Load() != 1 || len(all) != 1 {
		t.Errorf("%d were added: %v", added.Load(), all)
	}
}

func testFilesEnd(t *testing.T, one, other store.Jobs) {
	for n := range 3 {
		file := newFile(n, -1)
		file.Job = "of a job"
		if n == 2 {
			file.Job = ""
		}
		addFile(t, one, file)
		for at := range 130 {
			if err := one.AppendFile(t.Context(), file.ID, int64(at), []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := func(jobs ...string) (ids []string) {
		all, err := other.FilesOf(t.Context(), jobs...)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range all {
			ids = append(ids, file.ID)
		}
		return ids
	}
	for _, jobs := range [][]string{{"of a job"}, {"none", "of a job", ""}} {
		if diff := cmp.Diff([]string{jobID(0), jobID(1)}, files(jobs...)); diff != "" {
			t.Error(diff)
		}
	}
	if none := files(""); none != nil {
		t.Errorf("no job has the files %v", none)
	}
	for range 2 {
		if err := other.DeleteFile(t.Context(), jobID(0)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{jobID(1)}, files("of a job")); diff != "" || len(contents(t, one, jobID(0))) > 0 {
		t.Errorf("something of the file remains: %s", diff)
	}
	last, err := one.File(t.Context(), jobID(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.SweepFiles(t.Context(), last.CreatedAt); err != nil {
		t.Fatal(err)
	}
	if left := contents(t, one, jobID(2)); len(left) != 130 || len(contents(t, one, jobID(1))) > 0 || files("of a job") != nil {
		t.Errorf("%d bytes of the newest file are left", len(left))
	}
}

func testJobsEnded(t *testing.T, one, _ store.Jobs) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, claiming := one.ClaimJob(ended, []string{"import"}, "h", time.Hour)
	_, reading := one.ReadFile(ended, jobID(1), 0)
	for _, err := range []error{claiming, reading, one.AddJob(ended, newJob(1, "import")), one.AddFile(ended, newFile(1, 1))} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func testJobsUnknown(t *testing.T, one, _ store.Jobs) {
	job, errJob := one.Job(t.Context(), jobID(1))
	file, errFile := one.File(t.Context(), jobID(1))
	if err := errors.Join(errJob, errFile); err != nil || job != nil || file != nil {
		t.Errorf("%v %v %v", job, file, err)
	}
	wantJobFault(t, one.CancelJob(t.Context(), jobID(1)), fault.NotFound)
	wantJobFault(t, one.AppendFile(t.Context(), jobID(1), 0, []byte("x")), fault.NotFound)
	if err := errors.Join(one.DeleteFile(t.Context(), jobID(1)), one.SweepFiles(t.Context(), time.Now())); err != nil {
		t.Error(err)
	}
	if all := contents(t, one, jobID(1)); all != nil {
		t.Errorf("it has %q", all)
	}
}

func testUnfinishedUploads(t *testing.T, one, other store.Jobs) {
	var want []string
	for n := range 8 {
		file := newFile(n, 2)
		switch n {
		case 1:
			file.Size = 0
		case 2:
			file.Job = "of a job"
		case 3:
			file.Actor.User = "another"
		case 4:
			file.Account = "another"
		case 5:
			file.Size = -1
		default:
			want = append(want, file.ID)
		}
		addFile(t, one, file)
	}
	if err := one.AppendFile(t.Context(), want[1], 0, []byte("xx")); err != nil { // which is the end of it
		t.Fatal(err)
	}
	if err := one.AppendFile(t.Context(), want[2], 0, []byte("x")); err != nil {
		t.Fatal(err)
	}
	file := newFile(0, 2)
	for limit, want := range map[int][]string{9: {want[0], want[2]}, 1: {want[0]}} {
		files, err := other.UnfinishedUploads(t.Context(), file.Account, file.Actor, limit)
		var got []string
		for _, file := range files {
			got = append(got, file.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("with a limit of %d: got %q, want %q, %v", limit, got, want, err)
		}
	}
}
