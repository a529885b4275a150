package rest_test

import (
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestRenamedAtOnce proves that every video shows the new name of its channel as soon as the renaming mutation has
// answered, however many videos the channel has.
func TestRenamedAtOnce(t *testing.T) {
	w := newWorld(t, options{})
	const videos = 3_000
	var items []catalogue.Item
	for i := range videos {
		items = append(items, videoOf(fmt.Sprintf("many%d", i), "Many", "harbour"))
	}
	w.put(items...)
	asked := []string{"many0", fmt.Sprintf("many%d", videos/2), fmt.Sprintf("many%d", videos-1), "boats"}
	for round := range 3 {
		name := fmt.Sprintf("Harbour %d", round)
		w.mutate(t, fmt.Sprintf(`updateChannel(id: %q, input: { name: %q }) { id }`, idOf("harbour"), name))
		for _, reference := range asked {
			if by := w.ok(t, customer, pathOf(reference))["createdBy"]; by != name {
				t.Errorf("round %d: %s is by %v", round, reference, by)
			}
		}
	}
}
