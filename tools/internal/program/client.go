package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// AccountsFile is the database of accounts in a data directory.
const AccountsFile = "accounts.db"

// Import imports a generated catalogue into a data directory.
func Import(ctx context.Context, binary, data string, options generate.Options) error {
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(generate.Write(writer, options)) }()
	command := exec.CommandContext(ctx, binary, "import", "--data", data, "-")
	command.Stdin = lines
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w: %s", err, output)
	}
	return nil
}

// AddClient adds an API client of a customer to a data directory.
func AddClient(ctx context.Context, data, id, secret string) error {
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(data, AccountsFile))
	if err != nil {
		return err
	}
	return errors.Join(authtest.Put(ctx, accounts, authtest.Customer(id, secret, nil)...), accounts.Close())
}

// Token obtains an access token with the client credentials grant.
func Token(ctx context.Context, client *http.Client, base, id, secret string) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	r := Request{Method: http.MethodPost, Path: "/v1/token", ContentType: "application/x-www-form-urlencoded", Body: []byte(form.Encode())}
	answer, err := r.Send(ctx, client, base)
	if err != nil {
		return "", err
	}
	var granted struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(answer.Body, &granted); err != nil || granted.Token == "" {
		return "", errors.Join(fmt.Errorf("no token: %d", answer.Status), err)
	}
	return granted.Token, nil
}

// Request is a request to a server.
type Request struct {
	Method, Path string // Method "": GET
	Token        string // "": none
	Key          string // the idempotency key; "": none
	ContentType  string
	Body         []byte
	Compressed   bool // accepts a compressed answer, which Send does not decompress
}

// New returns the request to the server at a base URL.
func (r *Request) New(ctx context.Context, base string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	header := map[string]string{"Idempotency-Key": r.Key, "Content-Type": r.ContentType}
	if r.Token != "" {
		header["Authorization"] = "Bearer " + r.Token
	}
	if r.Compressed {
		header["Accept-Encoding"] = "gzip"
	}
	for name, value := range header {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	return request, nil
}

// Answer is the response to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send sends the request to the server at a base URL, and reads the answer.
func (r *Request) Send(ctx context.Context, client *http.Client, base string) (Answer, error) {
	request, err := r.New(ctx, base)
	if err != nil {
		return Answer{}, err
	}
	return Do(client, request)
}

// Do sends a request and reads the answer.
func Do(client *http.Client, request *http.Request) (Answer, error) {
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Answer{response.StatusCode, response.Header, body}, err
}

// VideosOf returns the IDs of the videos on a page.
func VideosOf(body []byte) ([]string, error) {
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, err
	}
	ids := make([]string, len(page.Embedded.Videos))
	for i, video := range page.Embedded.Videos {
		ids[i] = video.ID
	}
	return ids, nil
}

// Median returns the median of values.
func Median[T cmp.Ordered](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
