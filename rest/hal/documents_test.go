package hal

import (
	"context"
	"errors"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestRenderingWaits checks that a chunk waits while enough others are being rendered, and no longer than its request.
func TestRenderingWaits(t *testing.T) {
	d := &Documents{rendering: make(chan struct{}, 1)}
	d.rendering <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.render(ctx, []catalogue.ID{"a", "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a chunk beside another: %v, want %v", err, context.Canceled)
	}
}
