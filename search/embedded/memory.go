package embedded

import "sync"

// memory caches values computed from a view, which never changes. The match levels, a page and the following pages need
// the same values within moments. A simple policy is therefore enough: a full cache discards all values.
type memory[K comparable, V any] struct {
	lock   sync.Mutex
	values map[K]V
}

// get returns the value of a key, and calls work if the cache does not contain it. The cache contains at most most
// values. Concurrent callers may each call work. The value is shared, and callers must not change it.
func (m *memory[K, V]) get(key K, most int, work func() V) V {
	value, _ := m.try(key, most, func() (V, error) { return work(), nil })
	return value
}

// try is get for work that can fail, for instance because its context is canceled. It does not cache errors.
func (m *memory[K, V]) try(key K, most int, work func() (V, error)) (V, error) {
	m.lock.Lock()
	value, known := m.values[key]
	m.lock.Unlock()
	if known {
		return value, nil
	}
	value, err := work()
	if err != nil {
		return value, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.values == nil || len(m.values) >= most {
		m.values = map[K]V{}
	}
	m.values[key] = value
	return value, nil
}
