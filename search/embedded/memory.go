package embedded

import "sync"

// memory remembers what was worked out of a view, which never changes. The ladder, the page and the
// pages behind it ask for the same things within moments; so when it is full it simply forgets all.
type memory[K comparable, V any] struct {
	lock   sync.Mutex
	values map[K]V
}

// get returns the value of a key, worked out where it is not remembered, of at most so many. Callers at
// one time may each work it out; the value is shared and must not be changed.
func (m *memory[K, V]) get(key K, most int, work func() V) V {
	value, _ := m.try(key, most, func() (V, error) { return work(), nil })
	return value
}

// try is get for work that may fail, for instance because its caller has gone. No error is remembered.
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
