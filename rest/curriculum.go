package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/rest/hal"
)

// ngss replies with the Next Generation Science Standards as an array, which older clients expect: {"_embedded":[…]}.
func ngss(operation string) endpoint {
	return func(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
		data, err := f.run(r, operation, nil)
		if err != nil {
			return nil, err
		}
		return &reply{body: hal.Embedded(data)}, nil
	}
}
