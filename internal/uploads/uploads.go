// Package uploads receives files by tus 1.0, a protocol of resumable uploads (tus.io), and serves the files of uploads and
// jobs. The store holds the files, so any process can continue an upload that another began.
package uploads

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tus/tusd/v2/pkg/handler"
	"golang.org/x/exp/slog"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/store"
)

// Path is where the handler is mounted. The path of a file is Path and its ID.
const Path = "/uploads/"

// MaxUnfinished is the most uploads that a user of a client, or a client without a user, may have begun and not finished.
const MaxUnfinished = 20

// Config configures the handler.
type Config struct {
	Store store.Jobs
	// MaxSize is the maximum size of an upload in bytes.
	MaxSize int64
	// BaseOf returns the public base URL of a request, without a trailing slash.
	BaseOf func(*http.Request) string
}

// Handler returns the handler of everything below Path. It needs the caller in the context of requests, who must be staff
// that may edit the catalogue; only the caller who began an upload may continue and delete it, and staff of the same account may
// read it.
func Handler(config Config) (http.Handler, error) {
	composer := handler.NewStoreComposer()
	files := files{config.Store, &sync.Mutex{}}
	composer.UseCore(files)
	composer.UseTerminater(files)
	tus, err := handler.NewUnroutedHandler(handler.Config{
		StoreComposer: composer, MaxSize: config.MaxSize, BasePath: Path, Cors: &handler.CorsConfig{Disable: true},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), // it would log names of files, and our own log has the requests
		// What a request has sent is stored piece by piece, and the last piece soon after the request ends.
		GracefulRequestCompletionTimeout: 5 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	u := &uploads{config: config}
	u.post, u.head, u.patch, u.delete = tus.Middleware(http.HandlerFunc(tus.PostFile)), tus.Middleware(http.HandlerFunc(tus.HeadFile)),
		tus.Middleware(http.HandlerFunc(tus.PatchFile)), tus.Middleware(http.HandlerFunc(tus.DelFile))
	return u, nil
}

type uploads struct {
	config                    Config
	post, head, patch, delete http.Handler
}

// ServeHTTP implements http.Handler.
func (u *uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodOptions { // anybody may ask what the protocol can do
		u.post.ServeHTTP(w, r)
		return
	}
	id := strings.TrimPrefix(r.URL.Path, Path)
	if err := account.Require(r.Context(), account.EditCatalogue); err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	if (id == "") != (r.Method == http.MethodPost) {
		w.Header().Set("Allow", "POST")
		if id != "" {
			w.Header().Set("Allow", "GET, HEAD, PATCH, DELETE")
		}
		httperror.Write(w, r, http.StatusMethodNotAllowed, "", r.Method+" is not one of "+w.Header().Get("Allow"), nil)
		return
	}
	r.Header.Del("X-HTTP-Method-Override") // which the library follows
	next := map[string]http.Handler{http.MethodPost: u.post, http.MethodHead: u.head, http.MethodPatch: u.patch, http.MethodDelete: u.delete}[r.Method]
	if next == nil {
		u.download(w, r, id)
		return
	}
	// The library takes the ID from the path.
	inner := r.Clone(r.Context())
	inner.URL = &url.URL{Path: "/" + id}
	w = httperror.WithBodies(w, r, func(status int) string { return u.messageOf(r, status) })
	next.ServeHTTP(&located{ResponseWriter: w, base: u.config.BaseOf(r)}, inner)
}

// messageOf explains an error of the library.
func (u *uploads) messageOf(r *http.Request, status int) string {
	switch status {
	case http.StatusBadRequest:
		if media := r.Header.Get("Content-Type"); r.Method == http.MethodPatch && media != patchType {
			return fmt.Sprintf("Content-Type %q must be %s", fault.Shorten(media), patchType)
		}
		name := map[string]string{http.MethodPost: "Upload-Length", http.MethodPatch: "Upload-Offset"}[r.Method]
		if value := r.Header.Get(name); name != "" && !isSize(value) {
			return fmt.Sprintf("%s %q is not a number of bytes", name, fault.Shorten(value))
		}
		return "the body ended before its announced length: ask for the offset with HEAD, and continue there"
	case http.StatusNotFound:
		return fmt.Sprintf("there is no upload %q", fault.Shorten(strings.TrimPrefix(r.URL.Path, Path)))
	case http.StatusConflict:
		return "the upload has another offset: ask for it with HEAD, and continue there"
	case http.StatusPreconditionFailed:
		return fmt.Sprintf("Tus-Resumable %q must be 1.0.0", fault.Shorten(r.Header.Get("Tus-Resumable")))
	case http.StatusRequestEntityTooLarge:
		return fmt.Sprintf("an upload has at most %d bytes (--upload-limit), and a body no more than the upload lacks", u.config.MaxSize)
	case http.StatusTooManyRequests:
		return u.tooMany(r)
	case http.StatusServiceUnavailable:
		return "the upload cannot be stored now: try again"
	}
	return "the upload failed: ask for the offset with HEAD, and continue there"
}

// tooMany explains the limit, and names an upload to end, because the caller may have forgotten its address.
func (u *uploads) tooMany(r *http.Request) string {
	message := fmt.Sprintf("you have %d unfinished uploads, and more are not allowed: finish one, or delete one with DELETE", MaxUnfinished)
	oldest, err := u.config.Store.UnfinishedUploads(r.Context(), accountOf(r.Context()), actorOf(r.Context()), 1)
	if err == nil && len(oldest) > 0 {
		message += fmt.Sprintf("; the oldest is %s%s", Path, oldest[0].ID)
	}
	return message
}

// patchType is the media type of the body of PATCH.
const patchType = "application/offset+octet-stream"

func isSize(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n >= 0
}

// located writes the public address of a new upload.
type located struct {
	http.ResponseWriter
	base string
}

// WriteHeader implements http.ResponseWriter.
func (l *located) WriteHeader(status int) {
	if location := l.Header().Get("Location"); location != "" {
		l.Header().Set("Location", l.base+Path+path.Base(location))
	}
	l.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (l *located) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// mediaTypes are those that a download may have.
var mediaTypes = []string{"text/csv", "application/jsonl", "application/gzip"}

// download sends a file as an attachment.
func (u *uploads) download(w http.ResponseWriter, r *http.Request, id string) {
	file, err := u.config.Store.File(r.Context(), id)
	switch {
	case err == nil && (file == nil || file.Account != accountOf(r.Context())):
		err = fault.Errorf(fault.NotFound, "there is no file %q", fault.Shorten(id))
	case err == nil && !file.Complete():
		err = fault.Errorf(fault.Conflict, "the upload has %d of %d bytes", file.Received, file.Size)
	}
	if err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	if filetype := file.Metadata["filetype"]; slices.Contains(mediaTypes, filetype) {
		header.Set("Content-Type", filetype)
	}
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-store")
	header.Set("Content-Length", strconv.FormatInt(file.Received, 10))
	_, _ = io.Copy(w, jobs.OpenFile(r.Context(), u.config.Store, file, 0)) // the length shows a client that the rest is missing
}

// accountOf returns the ID of the caller's account.
func accountOf(ctx context.Context) string {
	if caller := account.CallerOf(ctx); caller.Account != nil {
		return caller.Account.ID
	}
	return ""
}

func actorOf(ctx context.Context) account.Actor {
	caller := account.CallerOf(ctx)
	return account.Actor{Client: caller.ClientID, User: caller.User}
}

// files is the store as the library sees it. Nothing locks an upload: the store refuses a piece at another offset than
// the end, so of two requests that continue one upload, one fails.
type files struct {
	store store.Jobs
	// beginning holds other requests back while one counts the unfinished uploads and begins another. Requests at several
	// processes at once may exceed the limit by one for each process.
	beginning *sync.Mutex
}

// maxName is the maximum length of the name of a file, in bytes.
const maxName = 200

// NewUpload implements handler.DataStore.
func (f files) NewUpload(ctx context.Context, info handler.FileInfo) (handler.Upload, error) {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, path.Base(strings.ReplaceAll(info.MetaData["filename"], `\`, "/")))
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[len(name)-maxName:], "") // with its extension
	}
	if name == "." || name == "/" {
		name = ""
	}
	file := &store.File{
		ID: jobs.NewID(), Account: accountOf(ctx), Actor: actorOf(ctx), Name: cmp.Or(name, "upload"), Size: info.Size,
		Metadata: map[string]string{"filename": name, "filetype": fault.Shorten(strings.ToValidUTF8(info.MetaData["filetype"], ""))},
	}
	f.beginning.Lock()
	defer f.beginning.Unlock()
	unfinished, err := f.store.UnfinishedUploads(ctx, file.Account, file.Actor, MaxUnfinished)
	if err != nil {
		return nil, translated(err)
	}
	if len(unfinished) == MaxUnfinished {
		return nil, handler.NewError("ERR_TOO_MANY", "too many unfinished uploads", http.StatusTooManyRequests)
	}
	return &upload{f.store, file}, translated(f.store.AddFile(ctx, file))
}

// GetUpload implements handler.DataStore.
func (f files) GetUpload(ctx context.Context, id string) (handler.Upload, error) {
	file, err := f.store.File(ctx, id)
	if err != nil {
		return nil, translated(err)
	}
	if file == nil || file.Job != "" || file.Account != accountOf(ctx) || file.Actor != actorOf(ctx) {
		return nil, handler.ErrNotFound
	}
	return &upload{f.store, file}, nil
}

// AsTerminatableUpload implements handler.TerminaterDataStore.
func (f files) AsTerminatableUpload(of handler.Upload) handler.TerminatableUpload {
	return of.(*upload)
}

// upload is one upload.
type upload struct {
	in store.Jobs
	*store.File
}

// GetInfo implements handler.Upload.
func (u *upload) GetInfo(context.Context) (handler.FileInfo, error) {
	return handler.FileInfo{ID: u.ID, Size: u.Size, Offset: u.Received, MetaData: u.Metadata}, nil
}

// WriteChunk implements handler.Upload.
func (u *upload) WriteChunk(ctx context.Context, offset int64, from io.Reader) (int64, error) {
	written, err := jobs.Copy(ctx, u.in, u.ID, offset, from)
	return written, translated(err)
}

// GetReader implements handler.Upload.
func (u *upload) GetReader(ctx context.Context) (io.ReadCloser, error) {
	return jobs.OpenFile(ctx, u.in, u.File, 0), nil
}

// FinishUpload implements handler.Upload.
func (u *upload) FinishUpload(context.Context) error { return nil }

// Terminate implements handler.TerminatableUpload.
func (u *upload) Terminate(ctx context.Context) error {
	return translated(u.in.DeleteFile(ctx, u.ID))
}

// translated returns an error of the store as one of the library.
func translated(err error) error {
	switch fault.CodeOf(err) {
	case fault.NotFound:
		return handler.ErrNotFound
	case fault.Conflict:
		return handler.ErrMismatchOffset
	case fault.Unavailable:
		return handler.NewError("ERR_UNAVAILABLE", "unavailable", http.StatusServiceUnavailable)
	}
	return err
}
