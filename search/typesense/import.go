package typesense

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/typesense/typesense-go/v3/typesense/api"
)

// The limits of one import request.
const (
	maxImportDocuments = 1000
	maxImportBytes     = 4 << 20
)

// importer writes documents to a collection, in requests of limited size. Each document replaces the one with its id,
// unless action is set.
type importer struct {
	server     *server
	collection string
	action     api.IndexAction

	body bytes.Buffer
	ids  []string
}

func (s *server) importInto(collection string) *importer {
	return &importer{server: s, collection: collection, action: api.Upsert}
}

// add adds a document. It first sends the pending documents if the new one would exceed the limits of a request.
func (i *importer) add(ctx context.Context, id string, document any) error {
	line, err := json.Marshal(document)
	if err != nil {
		return internal("was sent no document", err)
	}
	if len(i.ids) == maxImportDocuments || len(i.ids) > 0 && i.body.Len()+len(line) > maxImportBytes {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.body.Write(line)
	i.body.WriteByte('\n')
	i.ids = append(i.ids, id)
	return nil
}

// outgoing is a document to send.
type outgoing struct {
	id      string // encodeID
	version int64
	body    any
	// vectorsSum is document.VectorsSum.
	vectorsSum string
}

// all adds and sends documents.
func (i *importer) all(ctx context.Context, documents []outgoing) error {
	for _, d := range documents {
		if err := i.add(ctx, d.id, d.body); err != nil {
			return err
		}
	}
	return i.flush(ctx)
}

// flush sends the pending documents. It returns an error unless Typesense accepts every document.
func (i *importer) flush(ctx context.Context) error {
	if len(i.ids) == 0 {
		return nil
	}
	dirty, size := api.Reject, maxImportDocuments
	params := api.ImportDocumentsParams{Action: &i.action, DirtyValues: &dirty, BatchSize: &size}
	err := i.server.writes.Do(ctx, func(ctx context.Context) error {
		answer, err := i.server.body(func() (*http.Response, error) {
			return i.server.api.ImportDocumentsWithBody(ctx, i.collection, &params, "text/plain", bytes.NewReader(i.body.Bytes()))
		})
		if err != nil {
			return err
		}
		return readImport(answer, i.ids)
	})
	i.body.Reset()
	i.ids = i.ids[:0]
	return err
}

// readImport checks the result of each document, because the status of an import is always 200.
func readImport(answer []byte, ids []string) error {
	lines := bytes.Split(bytes.TrimSuffix(answer, []byte("\n")), []byte("\n"))
	for n, line := range lines {
		var said struct {
			Success bool   `json:"success"`
			Code    int    `json:"code"`
			Error   string `json:"error"`
		}
		if err := json.Unmarshal(line, &said); err != nil {
			return unavailable("did not say what became of the documents", err)
		}
		if !said.Success && n < len(ids) {
			return refusal(ids[n], said.Code, said.Error)
		}
	}
	if len(lines) != len(ids) {
		return unavailable("did not say what became of the documents",
			fmt.Errorf("%d answers to %d documents", len(lines), len(ids)))
	}
	return nil
}

// refusal returns an error that names a rejected document and Typesense's reason.
func refusal(id string, code int, said string) error {
	if name, ok := decodeID(id); ok {
		id = string(name)
	}
	return unavailable("did not take a document", errors.Join(fmt.Errorf("document %q", id), &statusError{code, said}))
}
