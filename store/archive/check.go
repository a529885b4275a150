package archive

import "context"

// Place names the place of the archive, without credentials.
func (e *Events) Place() string { return e.files.String() }

// Check returns an error if the manifest cannot be read.
func (e *Events) Check(ctx context.Context) error {
	_, err := e.load(ctx)
	return err
}
