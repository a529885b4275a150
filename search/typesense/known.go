package typesense

import "sync"

// known caches results about one build until the build changes.
type known[V any] struct {
	lock   sync.Mutex
	build  *build
	values map[string]V
}

// maxKnown is the number of values at which the cache starts empty again.
const maxKnown = 10_000

func (k *known[V]) get(at *build, key string) (value V, found bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.build == at {
		value, found = k.values[key]
	}
	return value, found
}

func (k *known[V]) put(at *build, key string, value V) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.build != at || len(k.values) >= maxKnown {
		k.build, k.values = at, map[string]V{}
	}
	k.values[key] = value
}

// countDocuments returns the number of documents that match each condition, including those that the caller may not see.
// It adds the counts that are not cached to a round, and the result is valid after the round.
func (x *Index) countDocuments(r *round, at *build, conditions []string) []int {
	counts := make([]int, len(conditions))
	asked := map[string][]int{}
	for i, condition := range conditions {
		if condition == nothing {
			continue
		}
		if n, found := x.frequencies.get(at, condition); found {
			counts[i] = n
			continue
		}
		if asked[condition] = append(asked[condition], i); len(asked[condition]) > 1 {
			continue
		}
		r.count(condition, func(found int) {
			for _, i := range asked[condition] {
				counts[i] = found
			}
			x.frequencies.put(at, condition, found)
		})
	}
	return counts
}
