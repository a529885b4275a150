package rest

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/filmstrip/filmstrip/fault"
)

// removedVideos answers GET /v1/feed/removed-videos.
func removedVideos(f *facade, r *http.Request, values variables) (*reply, error) {
	data, err := f.run(r, "RemovedVideos", values)
	if fault.CodeOf(err) == fault.Invalid { // all else has been checked
		return nil, nameParameter("cursor_id", err)
	}
	if err != nil {
		return nil, err
	}
	list, rest, _ := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"nodes":`)), []byte(`,"pageInfo":{"endCursor":`))
	b := append(append([]byte(`{"_embedded":{"removedVideos":`), list...), `},"_links":{`...)
	if cursor, ok := bytes.CutPrefix(rest, []byte{'"'}); ok {
		cursor, _, _ = bytes.Cut(cursor, []byte{'"'})
		b = append(append(b, `"next":{"href":"`...), f.base(r)...)
		b = append(append(append(b, `/v1/feed/removed-videos?cursor_id=`...), cursor...), `&size=`...)
		b = append(strconv.AppendInt(b, values["first"].(int64), 10), `","templated":false}`...)
	}
	return &reply{body: append(b, `}}`...)}, nil
}
