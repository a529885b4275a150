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

// TestLongListsWait checks that a list of several chunks waits before its first chunk while enough others are being rendered.
// Rendering would fail, because there are no operations.
func TestLongListsWait(t *testing.T) {
	d := &Documents{large: make(chan struct{}, 1), rendering: make(chan struct{}, 1)}
	d.large <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.renderAll(ctx, make([]catalogue.ID, renderedTogether+1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a long list beside another: %v, want %v", err, context.Canceled)
	}
}
