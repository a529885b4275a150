// Package cachetest is the conformance suite of the engines of the cache port.
package cachetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/cache"
)

// Options describes the limitations of an engine.
type Options struct {
	// Lossy means that the engine may lose an entry at any moment. The suite then accepts a missing entry, but not an
	// old or wrong one. The engine must still keep some entries.
	Lossy bool
}

// Run tests an engine. Each call of open returns a new empty cache of at least 4 MB, which the suite closes.
func Run(t *testing.T, open func(t *testing.T) cache.Cache, options Options) {
	t.Helper()
	tests := []struct {
		name string
		run  func(*engine)
	}{
		{"a key without entry", missing},
		{"entries are in the order of the keys", order},
		{"an older version never replaces a newer one", versions},
		{"a new entry joins old ones", mixedBatch},
		{"keys are any bytes", anyKeys},
		{"values are any bytes", anyValues},
		{"many keys at once", manyKeys},
		{"an invalid batch is rejected as a whole", rejected},
		{"nothing to do", nothing},
		{"concurrent writers of one key", concurrentWriters},
		{"concurrent readers see versions grow", concurrentReaders},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := open(t)
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			test.run(&engine{T: t, cache: c, lossy: options.Lossy})
		})
	}
}

// engine is the cache under test and the test that uses it.
type engine struct {
	*testing.T
	cache cache.Cache
	lossy bool
}

func (e *engine) put(items ...cache.Item) {
	e.Helper()
	if err := e.cache.Put(context.Background(), items); err != nil {
		e.Fatalf("Put: %v", err)
	}
}

// get passes a slice with garbage to Get, as a caller that reuses a slice does.
func (e *engine) get(keys ...string) []cache.Entry {
	e.Helper()
	into := make([]cache.Entry, len(keys))
	for i := range into {
		into[i] = cache.Entry{Version: 99, Value: []byte("rubbish")}
	}
	if err := e.cache.Get(context.Background(), requestsFor(keys), into); err != nil {
		e.Fatalf("Get: %v", err)
	}
	return into
}

// requestsFor requests any version of the keys.
func requestsFor(keys []string) []cache.Ask {
	list := make([]cache.Ask, len(keys))
	for i, key := range keys {
		list[i] = cache.Ask{Key: key, AtLeast: 1}
	}
	return list
}

func (e *engine) wantEntry(what string, got cache.Entry, version int64, value string) {
	e.Helper()
	if e.lossy && got.Version == 0 {
		return
	}
	if got.Version != version || string(got.Value) != value {
		e.Errorf("%s: version %d, value %.40q; want version %d, value %.40q", what, got.Version, got.Value, version, value)
	}
}

func (e *engine) wantNone(what string, got cache.Entry) {
	e.Helper()
	if got.Version != 0 || len(got.Value) != 0 {
		e.Errorf("%s: version %d, value %.40q; want none", what, got.Version, got.Value)
	}
}

func item(key string, version int64, value string) cache.Item {
	return cache.Item{Key: key, Entry: cache.Entry{Version: version, Value: []byte(value)}}
}

func missing(e *engine) {
	e.wantNone("in an empty cache", e.get("a")[0])
	e.put(item("a", 1, "x"))
	e.wantNone("another key", e.get("b")[0])
}

func order(e *engine) {
	e.put(item("a", 1, "one"), item("b", 2, "two"), item("c", 3, "three"))
	got := e.get("c", "none", "a", "c", "b")
	e.wantEntry("first", got[0], 3, "three")
	e.wantNone("second", got[1])
	e.wantEntry("third", got[2], 1, "one")
	e.wantEntry("fourth", got[3], 3, "three")
	e.wantEntry("fifth", got[4], 2, "two")
}

func versions(e *engine) {
	kept := item("a", 5, "five")
	e.put(kept)
	for _, step := range []struct {
		put, want cache.Item
	}{
		{item("a", 4, "four"), kept},
		{item("a", 5, "another five"), kept},
		{item("a", 1, "one"), kept},
		{item("a", 6, "six"), item("a", 6, "six")},
		{item("a", 1<<62, "huge"), item("a", 1<<62, "huge")},
		{item("a", 7, "seven"), item("a", 1<<62, "huge")},
	} {
		if e.lossy && e.get("a")[0].Version == 0 {
			continue // the entry is lost, so that any version may follow
		}
		e.put(step.put)
		e.wantEntry(fmt.Sprintf("after version %d", step.put.Version), e.get("a")[0], step.want.Version, string(step.want.Value))
	}
	e.put(item("b", 2, "two"), item("b", 3, "three"), item("b", 1, "one"))
	e.wantEntry("the highest of one batch", e.get("b")[0], 3, "three")
}

func mixedBatch(e *engine) {
	e.put(item("a", 5, "old a"), item("b", 5, "old b"))
	e.put(item("a", 4, "older a"), item("b", 6, "new b"), item("c", 1, "new c"))
	got := e.get("b", "c")
	e.wantEntry("newer", got[0], 6, "new b")
	e.wantEntry("new", got[1], 1, "new c")
	if !e.lossy {
		e.wantEntry("kept", e.get("a")[0], 5, "old a")
	}
}

func anyKeys(e *engine) {
	keys := []string{
		"", "\x00", "\x00\x00", "a", "a\x00", "a b", "a\r\nb", "{a}", "a*", "\xff\xfe", "ключ",
		strings.Repeat("k", cache.MaxKeyLength), strings.Repeat("k", cache.MaxKeyLength-1),
	}
	for i, key := range keys {
		e.put(item(key, int64(i+1), "value of "+key))
	}
	for i, got := range e.get(keys...) {
		e.wantEntry(fmt.Sprintf("key %q", keys[i]), got, int64(i+1), "value of "+keys[i])
	}
}

func anyValues(e *engine) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	values := []string{"", "\x00", string(every), "\xff", strings.Repeat("long ", 200_000)}
	for i, value := range values {
		key := fmt.Sprint(i)
		e.put(item(key, 1, value))
		e.wantEntry("value "+key, e.get(key)[0], 1, value)
	}
	page := []byte("first,second,third")
	e.put(cache.Item{Key: "piece", Entry: cache.Entry{Version: 1, Value: page[6:12]}})
	e.wantEntry("a piece of a larger buffer", e.get("piece")[0], 1, "second")
}

func manyKeys(e *engine) {
	const n = 1000
	items, keys := make([]cache.Item, n), make([]string, n)
	for i := range items {
		keys[i] = fmt.Sprintf("key %d", i)
		items[i] = item(keys[i], int64(i+1), strings.Repeat("v", i))
	}
	e.put(items...)
	kept := 0
	for i, got := range e.get(keys...) {
		e.wantEntry(keys[i], got, int64(i+1), strings.Repeat("v", i))
		if got.Version != 0 {
			kept++
		}
	}
	if kept == 0 {
		e.Error("nothing of all that was put is kept")
	}
}

func rejected(e *engine) {
	for name, wrong := range map[string]cache.Item{
		"no version":       item("a", 0, "x"),
		"negative version": item("a", -1, "x"),
		"key too long":     item(strings.Repeat("k", cache.MaxKeyLength+1), 1, "x"),
	} {
		err := e.cache.Put(context.Background(), []cache.Item{item("good", 1, "x"), wrong})
		if err == nil {
			e.Errorf("%s: Put returned no error", name)
		}
		e.wantNone(name, e.get("good")[0])
	}
}

func nothing(e *engine) {
	e.put()
	if got := e.get(); len(got) != 0 {
		e.Errorf("%d entries for no key", len(got))
	}
}

// write puts every version of every key from several goroutines, each in a random order.
func (e *engine) write(keys []string, versions int) *sync.WaitGroup {
	var writers sync.WaitGroup
	for seed := range uint64(4) {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(1, seed))
			for _, v := range random.Perm(versions) {
				for _, key := range keys {
					version := int64(v + 1)
					if err := e.cache.Put(context.Background(), []cache.Item{item(key, version, valueOf(key, version))}); err != nil {
						e.Errorf("Put: %v", err)
						return
					}
				}
			}
		})
	}
	return &writers
}

func valueOf(key string, version int64) string { return fmt.Sprintf("%s at %d", key, version) }

func concurrentWriters(e *engine) {
	keys := []string{"a", "b", "c"}
	const versions = 200
	e.write(keys, versions).Wait()
	if e.lossy {
		return // after the loss of an entry, an older version may follow
	}
	for i, got := range e.get(keys...) {
		e.wantEntry(keys[i], got, versions, valueOf(keys[i], versions))
	}
}

func concurrentReaders(e *engine) {
	keys := []string{"a", "b"}
	writers := e.write(keys, 200)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() { e.watch(keys, done) })
	}
	writers.Wait()
	close(done)
	readers.Wait()
}

// watch reads until done is closed, and checks that values match their versions and that versions never decrease.
func (e *engine) watch(keys []string, done <-chan struct{}) {
	seen, into := make([]int64, len(keys)), make([]cache.Entry, len(keys))
	for {
		if err := e.cache.Get(context.Background(), requestsFor(keys), into); err != nil {
			e.Errorf("Get: %v", err)
			return
		}
		for i, got := range into {
			if got.Version != 0 && string(got.Value) != valueOf(keys[i], got.Version) {
				e.Errorf("version %d of %q has the value %q", got.Version, keys[i], got.Value)
			}
			if !e.lossy && got.Version < seen[i] {
				e.Errorf("version %d of %q after version %d", got.Version, keys[i], seen[i])
			}
			seen[i] = got.Version
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
