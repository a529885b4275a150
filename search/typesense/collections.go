package typesense

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api"
)

// collectionInfo is Typesense's description of a collection.
type collectionInfo struct {
	Name         string  `json:"name"`
	NumDocuments int     `json:"num_documents"`
	CreatedAt    int64   `json:"created_at"` // seconds of Unix time
	Fields       []field `json:"fields"`
}

const contentJSON = "application/json"

// createCollection creates a collection. It ignores a conflict: the name exists already only if the response to an
// earlier attempt of this request was lost.
func (s *server) createCollection(ctx context.Context, schema collectionSchema) error {
	body, err := json.Marshal(schema)
	if err != nil {
		return internal("was sent no schema", err)
	}
	return s.writeUnless(ctx, http.StatusConflict, func(ctx context.Context) (*http.Response, error) {
		return s.api.CreateCollectionWithBody(ctx, contentJSON, bytes.NewReader(body))
	})
}

// deleteCollection deletes a collection by its real name, if it exists.
func (s *server) deleteCollection(ctx context.Context, name string) error {
	return s.writeUnless(ctx, http.StatusNotFound, func(ctx context.Context) (*http.Response, error) {
		return s.api.DeleteCollection(ctx, name)
	})
}

func (s *server) collection(ctx context.Context, name string) (info collectionInfo, err error) {
	err = s.call(&info, func() (*http.Response, error) { return s.api.GetCollection(ctx, name) })
	return info, err
}

func (s *server) collections(ctx context.Context) (all []collectionInfo, err error) {
	err = s.call(&all, func() (*http.Response, error) { return s.api.GetCollections(ctx) })
	return all, err
}

// collectionAlias is another name of a collection.
type collectionAlias struct {
	Name       string `json:"name"`
	Collection string `json:"collection_name"`
}

func (s *server) aliases(ctx context.Context) ([]collectionAlias, error) {
	var all struct {
		Aliases []collectionAlias `json:"aliases"`
	}
	err := s.call(&all, func() (*http.Response, error) { return s.api.GetAliases(ctx) })
	return all.Aliases, err
}

// hasAlias reports whether an alias exists.
func (s *server) hasAlias(ctx context.Context, name string) (bool, error) {
	err := s.call(nil, func() (*http.Response, error) { return s.api.GetAlias(ctx, name) })
	if isStatus(err, http.StatusNotFound) {
		return false, nil
	}
	return err == nil, err
}

// setAlias creates an alias of a collection or replaces its target.
func (s *server) setAlias(ctx context.Context, name, collection string) error {
	return s.write(ctx, func(ctx context.Context) (*http.Response, error) {
		return s.api.UpsertAlias(ctx, name, api.CollectionAliasSchema{CollectionName: collection})
	})
}

func (s *server) deleteAlias(ctx context.Context, name string) error {
	return s.writeUnless(ctx, http.StatusNotFound, func(ctx context.Context) (*http.Response, error) {
		return s.api.DeleteAlias(ctx, name)
	})
}

// export returns the documents that match a filter, one per line.
func (s *server) export(ctx context.Context, collection, filter, fields string) ([]byte, error) {
	params := api.ExportDocumentsParams{IncludeFields: &fields}
	if filter != "" {
		params.FilterBy = &filter
	}
	return s.body(func() (*http.Response, error) { return s.api.ExportDocuments(ctx, collection, &params) })
}

// maxDeleteFilter is the maximum length of the filter of one delete. The filter is part of the URL, of which Typesense
// may read at most 4,000 characters; a comma takes three.
const maxDeleteFilter = 3000

// deleteDocuments deletes the documents with the ids, if they exist.
func (s *server) deleteDocuments(ctx context.Context, collection string, ids []string) error {
	for len(ids) > 0 {
		count, length := 1, len(ids[0])
		for count < len(ids) && length+len(ids[count])+len("%2C") <= maxDeleteFilter {
			length += len(ids[count]) + len("%2C")
			count++
		}
		filter := "id:[" + strings.Join(ids[:count], ",") + "]"
		err := s.write(ctx, func(ctx context.Context) (*http.Response, error) {
			return s.api.DeleteDocuments(ctx, collection, &api.DeleteDocumentsParams{FilterBy: &filter})
		})
		if err != nil {
			return err
		}
		ids = ids[count:]
	}
	return nil
}
