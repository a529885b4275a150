package httpserver

import (
	"fmt"
	"net/http"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// maxURLLength bounds path and query together, in bytes. 1,000 IDs fit.
const maxURLLength = 32 << 10

// maxHeaderLength bounds the names and values of the header together, in bytes.
const maxHeaderLength = 48 << 10

// boundSizes refuses URLs and headers that are too long. It runs after CORS, so that pages can read the error.
func boundSizes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := headerLength(r.Header); n > maxHeaderLength {
			httperror.Write(w, r, http.StatusRequestHeaderFieldsTooLarge, "",
				fmt.Sprintf("the header has %d bytes, at most %d are allowed", n, maxHeaderLength), nil)
			return
		}
		if len(r.RequestURI) > maxURLLength {
			httperror.Write(w, r, http.StatusRequestURITooLong, "",
				fmt.Sprintf("the address has %d bytes, at most %d are allowed", len(r.RequestURI), maxURLLength), nil)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func headerLength(header http.Header) int {
	n := 0
	for name, values := range header {
		for _, value := range values {
			n += len(name) + len(value)
		}
	}
	return n
}
