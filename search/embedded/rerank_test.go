package embedded

import "testing"

func TestLongestRun(t *testing.T) {
	places := titleWords{1: 1 << 0, 2: 1<<1 | 1<<3, 3: 1 << 2, 4: 1 << 4}
	tests := []struct {
		name  string
		title []uint32
		want  int
	}{
		{"none", []uint32{9, 8}, 0},
		{"empty", nil, 0},
		{"one", []uint32{9, 3}, 1},
		{"two apart", []uint32{1, 9, 2}, 1},
		{"in another order", []uint32{3, 1}, 1},
		{"the beginning", []uint32{9, 1, 2, 9}, 2},
		{"a word of two places", []uint32{3, 2, 4}, 3},
		{"everything", []uint32{1, 2, 3, 2, 4}, 5},
		{"the longer of two", []uint32{1, 2, 9, 3, 2, 4, 9}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := longestRun(test.title, places); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
