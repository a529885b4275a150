// Package paging cuts lists into pages with cursors.
package paging

import (
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/model"
)

// MaxSize is the largest page of records and of entries of an audit log.
const MaxSize = 200

// CheckSize returns an error with the code Invalid if the size of a page is not between 1 and most.
func CheckSize(first, most int) error {
	if first < 1 || first > most {
		return fault.InvalidRequest("page size %d is not between 1 and %d", first, most)
	}
	return nil
}

// Cut returns the first elements of a list that was read with one element more, and the cursor of the last one if there
// are more.
func Cut[T any](list []T, first int, cursorOf func(last T) string) ([]T, *model.PageInfo) {
	if len(list) <= first {
		return list, &model.PageInfo{}
	}
	cursor := cursorOf(list[first-1])
	return list[:first], &model.PageInfo{HasNextPage: true, EndCursor: &cursor}
}

// maxScanned is the most elements that Find reads for one page, and chunkSize how many it reads at a time.
const (
	maxScanned = 10_000
	chunkSize  = 500
)

// Find returns a page of the elements that match. read returns up to limit elements after a cursor; cursorOf returns the
// cursor of an element. The page is short if the matches among the first 10,000 elements do not fill it; it has a next
// page as long as there may be further matches.
func Find[T any](first int, after string, read func(after string, limit int) ([]T, error), cursorOf func(T) string, matches func(T) bool) ([]T, *model.PageInfo, error) {
	found := []T{}
	for scanned := 0; ; {
		chunk, err := read(after, chunkSize)
		if err != nil {
			return nil, nil, err
		}
		for _, one := range chunk {
			if matches(one) {
				if len(found) == first {
					return found, &model.PageInfo{HasNextPage: true, EndCursor: &after}, nil
				}
				found = append(found, one)
			}
			after = cursorOf(one)
		}
		scanned += len(chunk)
		switch {
		case len(chunk) < chunkSize:
			return found, &model.PageInfo{}, nil
		case scanned >= maxScanned:
			return found, &model.PageInfo{HasNextPage: true, EndCursor: &after}, nil
		}
	}
}

// Matching returns a function that reports whether texts have each word of a text, ignoring case.
func Matching(text string) func(texts ...string) bool {
	words := strings.Fields(catalogue.FoldName(text))
	return func(texts ...string) bool {
		all := catalogue.FoldName(strings.Join(texts, " "))
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) })
	}
}

// Cursor writes a cursor that is a positive number.
func Cursor(number int64) string { return strconv.FormatInt(number, 10) }

// Number reads a cursor that Cursor wrote, and returns 0 for nil. Other texts are errors with the code Invalid.
func Number(cursor *string) (int64, error) {
	if cursor == nil {
		return 0, nil
	}
	number, err := strconv.ParseInt(*cursor, 10, 64)
	if err != nil || number < 1 {
		return 0, fault.InvalidRequest("%q is not a cursor of this list", fault.Shorten(*cursor))
	}
	return number, nil
}
