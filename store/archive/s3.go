package archive

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// S3Options select a place in a bucket.
type S3Options struct {
	// Endpoint is HOST or HOST:PORT. Plain: it speaks HTTP without TLS.
	Endpoint string
	Plain    bool
	// TLS, if not nil, has the authorities that verify the endpoint's certificate.
	TLS *tls.Config
	// Bucket exists. Prefix ends with a slash, unless it is empty.
	Bucket, Prefix, Region string
	// AccessKey and SecretKey are the credentials; "": those of the environment or of the machine's role.
	AccessKey, SecretKey string
}

// S3 is a Files in a bucket of an S3-compatible object store with conditional writes, which Replace needs. Unlike a lease, a
// condition also holds for a request that arrives late.
type S3 struct {
	client  *minio.Client
	options S3Options
	probe   sync.Mutex
	// conditional: the object store is known to honor conditions.
	conditional bool
}

// NewS3 returns the files in a bucket. It connects to nothing.
func NewS3(options S3Options) (*S3, error) {
	transport, err := minio.DefaultTransport(!options.Plain)
	if err != nil {
		return nil, err
	}
	if options.TLS != nil {
		transport.TLSClientConfig = options.TLS
	}
	known := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Transport: transport}},
	})
	if options.AccessKey != "" {
		known = credentials.NewStaticV4(options.AccessKey, options.SecretKey, "")
	}
	client, err := minio.New(options.Endpoint, &minio.Options{
		Creds: known, Secure: !options.Plain, Region: options.Region, Transport: transport, MaxRetries: 3,
	})
	if err != nil {
		return nil, err
	}
	return &S3{client: client, options: options}, nil
}

// String implements Files.
func (s *S3) String() string { return "s3://" + s.options.Bucket + "/" + s.options.Prefix }

func (s *S3) key(name string) string { return s.options.Prefix + name }

// s3Error replaces the errors of the object store that have a meaning here.
func s3Error(err error) error {
	if err == nil {
		return nil
	}
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchKey:
		return ErrMissing
	case minio.PreconditionFailed, "ConditionalRequestConflict":
		return ErrChanged
	}
	return err
}

// Get implements Files. The tag is the ETag.
func (s *S3) Get(ctx context.Context, name, unless string) ([]byte, string, error) {
	var options minio.GetObjectOptions
	if unless != "" {
		if err := options.SetMatchETagExcept(unless); err != nil {
			return nil, "", err
		}
	}
	body, info, _, err := s.core().GetObject(ctx, s.options.Bucket, s.key(name), options)
	if err != nil {
		if unless != "" && minio.ToErrorResponse(err).StatusCode == http.StatusNotModified {
			return nil, unless, nil
		}
		return nil, "", s3Error(err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err == nil && info.ETag == unless {
		content = nil
	}
	return content, info.ETag, err
}

func (s *S3) core() minio.Core { return minio.Core{Client: s.client} }

// Open implements Files.
func (s *S3) Open(_ context.Context, name string, size int64) (File, error) {
	return &object{store: s, name: name, size: size}, nil
}

// object reads parts of an object and keeps the last ones.
type object struct {
	store  *S3
	name   string
	size   int64
	window window
	// expected is the part that Expect has announced.
	expected window
}

// window is a part of an object in memory.
type window struct {
	from    int64
	content []byte
}

func (w *window) read(p []byte, offset int64) bool {
	if offset < w.from || offset+int64(len(p)) > w.from+int64(len(w.content)) {
		return false
	}
	copy(p, w.content[offset-w.from:])
	return true
}

// windowBytes is the least size of a request.
const windowBytes = 256 << 10

// ReadAt implements File.
func (o *object) ReadAt(ctx context.Context, p []byte, offset int64) error {
	if o.expected.read(p, offset) || o.window.read(p, offset) {
		return nil
	}
	// The footer and the bloom filters are read towards the end.
	from := min(offset, max(0, o.size-windowBytes))
	length := min(max(int64(len(p)), windowBytes), o.size-from)
	length = max(length, offset+int64(len(p))-from)
	content, err := o.fetch(ctx, from, length)
	if err != nil {
		return err
	}
	o.window = window{from, content}
	if !o.window.read(p, offset) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// Expect implements File: one request fetches the whole part.
func (o *object) Expect(ctx context.Context, offset, length int64) error {
	content, err := o.fetch(ctx, offset, length)
	o.expected = window{offset, content}
	return err
}

func (o *object) fetch(ctx context.Context, offset, length int64) ([]byte, error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+length-1); err != nil {
		return nil, err
	}
	body, _, _, err := o.store.core().GetObject(ctx, o.store.options.Bucket, o.store.key(o.name), options)
	if err != nil {
		return nil, s3Error(err)
	}
	defer body.Close()
	content := make([]byte, length)
	_, err = io.ReadFull(body, content)
	return content, err
}

// Close implements File.
func (o *object) Close() error {
	o.window, o.expected = window{}, window{}
	return nil
}

// oneRequest is a size that no file exceeds, so that each is uploaded by one request.
const oneRequest = 1 << 30

// Put implements Files.
func (s *S3) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error {
	_, err := s.client.PutObject(ctx, s.options.Bucket, s.key(name), content, size, minio.PutObjectOptions{
		ContentType: "application/vnd.apache.parquet", DisableMultipart: true, PartSize: oneRequest,
	})
	return s3Error(err)
}

// Replace implements Files.
func (s *S3) Replace(ctx context.Context, name string, content []byte, tag string) (string, error) {
	if err := s.checkConditions(ctx); err != nil {
		return "", err
	}
	return s.putIf(ctx, name, content, tag)
}

func (s *S3) putIf(ctx context.Context, name string, content []byte, tag string) (string, error) {
	options := minio.PutObjectOptions{ContentType: "application/json", DisableMultipart: true, PartSize: oneRequest}
	if tag == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(tag)
	}
	info, err := s.client.PutObject(ctx, s.options.Bucket, s.key(name), bytes.NewReader(content), int64(len(content)), options)
	return info.ETag, s3Error(err)
}

// checkConditions checks once that the object store refuses a write whose condition is not met: some ignore conditions.
func (s *S3) checkConditions(ctx context.Context) error {
	s.probe.Lock()
	defer s.probe.Unlock()
	if s.conditional {
		return nil
	}
	name := "probe-" + strings.ToLower(rand.Text())
	if _, err := s.putIf(ctx, name, []byte("1"), ""); err != nil {
		return fmt.Errorf("conditional writes cannot be checked: %w", err)
	}
	_, errNew := s.putIf(ctx, name, []byte("2"), "")
	_, errOld := s.putIf(ctx, name, []byte("3"), tagOf(nil)[:32])
	if err := s.Remove(ctx, name); err != nil {
		return err
	}
	if !errors.Is(errNew, ErrChanged) || !errors.Is(errOld, ErrChanged) {
		return errors.New("the object store ignores If-Match or If-None-Match of a PUT, so two processes could overwrite each other's work; use one with conditional writes, or a directory")
	}
	s.conditional = true
	return nil
}

// Remove implements Files.
func (s *S3) Remove(ctx context.Context, name string) error {
	return s3Error(s.client.RemoveObject(ctx, s.options.Bucket, s.key(name), minio.RemoveObjectOptions{}))
}

// List implements Files.
func (s *S3) List(ctx context.Context) (names []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for found := range s.client.ListObjects(ctx, s.options.Bucket, minio.ListObjectsOptions{Prefix: s.options.Prefix, Recursive: true}) {
		if found.Err != nil {
			return nil, found.Err
		}
		names = append(names, strings.TrimPrefix(found.Key, s.options.Prefix))
	}
	return names, nil
}
