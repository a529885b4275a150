package hal

import (
	"context"
	"hash/fnv"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strconv"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Documents caches the templates of videos under the version that they show.
type Documents struct {
	cache      cache.Cache
	operations *Operations
	// prefix starts every key. It is a fingerprint of everything else that a template depends on besides its video. A
	// new release that runs with an old cache therefore finds nothing rather than a stale template.
	prefix string
	logger *slog.Logger
	// large holds a value for each list of several chunks that is being rendered, and rendering one for each chunk. A list
	// waits for its turn before its first chunk: lists that wait half rendered would take most of the memory of a busy server.
	large, rendering chan struct{}
}

// renderedTogether is how many videos one operation renders. The executor resolves all of them before it writes the first, so a page
// of 1,000 takes several operations, of which few run at once.
const renderedTogether = 100

// renderOperation renders the documents of videos.
const renderOperation = "VideoDocuments"

// NewDocuments returns Documents that keep templates in the cache store and render missing ones with an operation.
func NewDocuments(store cache.Cache, operations *Operations, logger *slog.Logger) *Documents {
	return &Documents{
		cache: store, operations: operations, logger: logger,
		prefix: "doc" + fingerprint(operations.byName[renderOperation]),
		large:  make(chan struct{}, runtime.GOMAXPROCS(0)), rendering: make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
	}
}

// fingerprint covers the fragments, the relation table, the slot format and the numbers of permissions in slots.
func fingerprint(render *operation) string {
	hash := fnv.New64a()
	write := func(text string) { hash.Write([]byte(strconv.Itoa(len(text)) + ":" + text)) }
	write(slotFormat)
	for _, permission := range account.AllPermissions() {
		write(strconv.Itoa(int(permission)) + permission.String())
	}
	write(render.text)
	for _, fragment := range render.document.Fragments {
		write(fragment.Name)
		write(fragment.Position.Src.Input)
	}
	for _, name := range slices.Sorted(maps.Keys(relations)) {
		write(name)
		write(relations[name].address)
		write(strconv.FormatBool(relations[name].withRel))
	}
	return strconv.FormatUint(hash.Sum64(), 36) + ":"
}

// Get returns the templates of refs as each does, but omits videos that are removed or hidden.
func (d *Documents) Get(ctx context.Context, refs []catalogue.Ref) (templates [][]byte, exact bool, err error) {
	templates, exact, err = d.each(ctx, refs)
	return slices.DeleteFunc(templates, func(template []byte) bool { return template == nil }), exact, err
}

// each returns the templates of refs in order, nil for videos that are removed or hidden. One operation renders the
// templates that the cache lacks. exact reports whether every template has the version that its reference requests;
// only then do the references identify the content.
func (d *Documents) each(ctx context.Context, refs []catalogue.Ref) (templates [][]byte, exact bool, err error) {
	entries := make([]cache.Entry, len(refs))
	if err := d.cache.Get(ctx, d.asks(refs), entries); err != nil {
		d.logger.WarnContext(ctx, "the cache does not answer, documents are rendered anew", "error", err)
		clear(entries)
	}
	templates, exact = make([][]byte, len(refs)), true
	var missing []catalogue.ID
	for i, entry := range entries {
		if entry.Version >= refs[i].Version && entry.Version > 0 {
			templates[i] = entry.Value
			exact = exact && entry.Version == refs[i].Version
		} else {
			missing = append(missing, refs[i].ID)
		}
	}
	if len(missing) == 0 {
		return templates, exact, nil
	}
	rendered, err := d.renderAll(ctx, missing)
	if err != nil {
		return nil, false, err
	}
	for i, ref := range refs {
		if templates[i] == nil {
			templates[i] = rendered[ref.ID].Value
			exact = exact && rendered[ref.ID].Version == ref.Version
		}
	}
	return templates, exact, nil
}

// asks returns the cache keys of references. All keys share one string.
func (d *Documents) asks(refs []catalogue.Ref) []cache.Ask {
	length := len(d.prefix) + catalogue.IDLength
	all := make([]byte, 0, length*len(refs))
	for _, ref := range refs {
		all = append(append(all, d.prefix...), ref.ID...)
	}
	joined := string(all)
	asks := make([]cache.Ask, len(refs))
	for i, ref := range refs {
		asks[i] = cache.Ask{Key: joined[i*length : (i+1)*length], AtLeast: ref.Version}
	}
	return asks
}

// renderAll renders videos, in chunks, and caches each under the version that it was rendered from, never under the requested
// version. If a chunk fails, it renders the videos one by one, so that one bad video does not fail the whole page.
func (d *Documents) renderAll(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]cache.Entry, error) {
	if len(ids) > renderedTogether {
		if err := begin(ctx, d.large); err != nil {
			return nil, err
		}
		defer finish(d.large)
	}
	rendered := make(map[catalogue.ID]cache.Entry, len(ids))
	for chunk := range slices.Chunk(ids, renderedTogether) {
		elements, err := d.render(ctx, chunk)
		if err != nil {
			return nil, err
		}
		items := make([]cache.Item, 0, len(elements))
		for _, element := range elements {
			ref, template, ok := cutReference(element)
			if !ok {
				continue
			}
			rendered[ref.ID] = cache.Entry{Version: ref.Version, Value: template}
			items = append(items, cache.Item{Key: d.prefix + string(ref.ID), Entry: rendered[ref.ID]})
		}
		if err := d.cache.Put(ctx, items); err != nil {
			d.logger.WarnContext(ctx, "the cache does not take documents", "error", err)
		}
	}
	return rendered, nil
}

// render renders a chunk. Chunks of several videos wait until few others are being rendered.
func (d *Documents) render(ctx context.Context, ids []catalogue.ID) ([][]byte, error) {
	if len(ids) > 1 {
		if err := begin(ctx, d.rendering); err != nil {
			return nil, err
		}
		defer finish(d.rendering)
	}
	elements, err := d.operations.runList(ctx, renderOperation, Variables{"ids": Strings(ids)})
	if err != nil && (len(ids) == 1 || ctx.Err() != nil || fault.CodeOf(err) != fault.Internal) {
		return nil, err
	}
	if err != nil {
		elements = d.renderEach(ctx, ids)
	}
	return elements, nil
}

// begin waits for a place, no longer than the request.
func begin(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func finish(places chan struct{}) { <-places }

func (d *Documents) renderEach(ctx context.Context, ids []catalogue.ID) [][]byte {
	var elements [][]byte
	for _, id := range ids {
		one, err := d.operations.runList(ctx, renderOperation, Variables{"ids": []any{string(id)}})
		if err != nil {
			d.logger.ErrorContext(ctx, "a video cannot be rendered", "video", id, "error", err)
			continue
		}
		elements = append(elements, one...)
	}
	return elements
}

// Strings returns values as a list in the form that Variables require.
func Strings[T ~string](values []T) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = string(value)
	}
	return list
}
