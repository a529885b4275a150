package catalogue

import "github.com/filmstrip/filmstrip/fault"

// Embedding contains the vectors that an embedding model computed from the texts of a video. The server writes it, not
// people or imports: it is derived data that is expensive to compute. A video has at most one, whose ID is the video's.
type Embedding struct {
	Meta
	// Model is the name of the model. Vectors of different models cannot be compared.
	Model string `json:"model"`
	// Texts is a fingerprint of the texts. If it differs from that of the video's texts, the vectors are outdated.
	Texts string `json:"texts"`
	// Dimensions is the length of each vector.
	Dimensions int `json:"dimensions"`
	// Vectors contains the vectors one after the other, one signed byte for each dimension.
	Vectors []byte `json:"vectors"`
}

// Kind returns KindEmbedding.
func (*Embedding) Kind() Kind { return KindEmbedding }

// Owner returns the video.
func (e *Embedding) Owner() Link { return ownedBy(e.ID) }

// Limits of an Embedding.
const (
	MaxPassages   = 8
	MaxDimensions = 4096
)

// Validate checks all fields.
func (e *Embedding) Validate() fault.FieldErrors {
	var f Faults
	if e.ID == "" {
		f.Add("id", "is required")
	}
	f.Text("model", e.Model, 1, MaxNameLength)
	f.Text("texts", e.Texts, 1, MaxNameLength)
	switch {
	case e.Dimensions < 1 || e.Dimensions > MaxDimensions:
		f.Add("dimensions", "%d is not between 1 and %d", e.Dimensions, MaxDimensions)
	case len(e.Vectors)%e.Dimensions != 0 || len(e.Vectors)/e.Dimensions > MaxPassages:
		f.Add("vectors", "%d bytes are not up to %d vectors of %d dimensions", len(e.Vectors), MaxPassages, e.Dimensions)
	}
	return f.List()
}
