// Package paging cuts lists into pages with cursors.
package paging

import (
	"strconv"

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
