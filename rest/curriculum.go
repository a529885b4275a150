package rest

import "net/http"

// ngss answers with a list of the Next Generation Science Standards, which older clients expect as an
// array: {"_embedded":[…]}.
func ngss(operation string) endpoint {
	return func(f *facade, r *http.Request, _ variables) (*reply, error) {
		data, err := f.run(r, operation, nil)
		if err != nil {
			return nil, err
		}
		return &reply{body: append(append([]byte(`{"_embedded":`), data...), '}')}, nil
	}
}
