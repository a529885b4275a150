package typesense

import (
	"context"
	"net/http"
	"strconv"
)

// Size returns the memory that the server which answers occupies in bytes, with everything else that it stores, and the
// number of documents of the index. The error has the code Unavailable if the key lacks the permission metrics.json:list.
func (x *Index) Size(ctx context.Context) (bytes, documents int64, err error) {
	n, err := x.Count(ctx)
	if err != nil {
		return 0, 0, err
	}
	var metrics struct {
		Active string `json:"typesense_memory_active_bytes"`
	}
	if err := x.server.call(&metrics, func() (*http.Response, error) { return x.server.api.RetrieveMetrics(ctx) }); err != nil {
		return 0, int64(n), err
	}
	if bytes, err = strconv.ParseInt(metrics.Active, 10, 64); err != nil {
		return 0, int64(n), unavailable("does not report its memory", err)
	}
	return bytes, int64(n), nil
}
