package embedded

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/filmstrip/filmstrip/catalogue"
)

// durations contains the documents of a segment in the order of their durations.
type durations struct {
	values []int64  // distinct, in ascending order
	first  []uint32 // by value: the index in docs of its first document; and the end
	docs   []uint16

	buckets []durationBucket // of catalogue.DefaultDurationBuckets. derive computes buckets
}

// durationBucket contains the documents whose durations are the values from from, included, to end, excluded.
type durationBucket struct {
	from, end int
	set       bitset
}

func newDurations(size int, durationOf func(doc int) int64) durations {
	d := durations{docs: make([]uint16, size)}
	for doc := range d.docs {
		d.docs[doc] = uint16(doc)
	}
	slices.SortStableFunc(d.docs, func(a, b uint16) int { return cmp.Compare(durationOf(int(a)), durationOf(int(b))) })
	for i, doc := range d.docs {
		if value := durationOf(int(doc)); len(d.values) == 0 || d.values[len(d.values)-1] != value {
			d.values, d.first = append(d.values, value), append(d.first, uint32(i))
		}
	}
	d.first = append(d.first, uint32(size))
	return d
}

func (d *durations) derive() {
	d.buckets = nil
	for _, bucket := range catalogue.DefaultDurationBuckets() {
		from, end := d.bucket(bucket)
		b := durationBucket{from, end, newBitset(len(d.docs))}
		b.set.addAll(d.docs[d.first[from]:d.first[end]])
		d.buckets = append(d.buckets, b)
	}
}

// between returns the range of the values from least to most, both included.
func (d *durations) between(least, most catalogue.Duration) (from, end int) {
	from = sort.Search(len(d.values), func(i int) bool { return d.values[i] >= int64(least) })
	end = sort.Search(len(d.values), func(i int) bool { return d.values[i] > int64(most) })
	return from, max(from, end)
}

// bucket returns the range of the values in a bucket.
func (d *durations) bucket(r catalogue.DurationRange) (from, end int) {
	if r.Max == nil {
		return d.between(r.Min, math.MaxInt64)
	}
	return d.between(r.Min, r.Last())
}

// addTo adds the documents with the values of a range. The sets of the buckets, which are in ascending order, replace most
// documents of a long range.
func (d *durations) addTo(set bitset, from, end int) {
	for _, bucket := range d.buckets {
		if from <= bucket.from && bucket.from < bucket.end && bucket.end <= end {
			set.addAll(d.docs[d.first[from]:d.first[bucket.from]])
			set.or(bucket.set)
			from = bucket.end
		}
	}
	set.addAll(d.docs[d.first[from]:d.first[max(from, end)]])
}

// addRanges adds the documents whose duration is in any of the ranges.
func (d *durations) addRanges(set bitset, ranges []catalogue.DurationRange) {
	for _, r := range ranges {
		most := catalogue.Duration(math.MaxInt64)
		if r.Max != nil {
			most = *r.Max
		}
		from, end := d.between(r.Min, most)
		d.addTo(set, from, end)
	}
}

// each calls visit for each document with its duration.
func (d *durations) each(visit func(doc int, duration int64)) {
	for i, value := range d.values {
		for _, doc := range d.docs[d.first[i]:d.first[i+1]] {
			visit(int(doc), value)
		}
	}
}
