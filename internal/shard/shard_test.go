package shard

import (
	"fmt"
	"testing"
)

// The part of a name never changes, because machines with different versions share a tree.
func TestStable(t *testing.T) {
	for _, test := range []struct {
		name            string
		of2, of5, of100 int
	}{
		{"", 1, 3, 53},
		{"README.md", 2, 1, 46},
		{"pub/a.txt", 2, 1, 66},
		{"pub/ünï/日本.txt", 2, 5, 70},
		{"www.example.org", 2, 3, 28},
	} {
		for count, want := range map[int]int{2: test.of2, 5: test.of5, 100: test.of100} {
			for part := 1; part <= count; part++ {
				if got := (Shard{part, count}).Has(test.name); got != (part == want) {
					t.Errorf("Has(%q) of %d/%d = %v, want %v", test.name, part, count, got, part == want)
				}
			}
		}
	}
}

// Each name is in one part, and the parts of many names are about equal, also if the names differ in little.
func TestEven(t *testing.T) {
	for _, count := range []int{1, 2, 3, 7, 10} {
		for _, pattern := range []string{"%d.html", "img/%06d.jpg", "%02[1]d/%02[1]d/x", "h%d.example"} {
			sizes := make([]int, count+1)
			for i := range 5000 {
				for part := 1; part <= count; part++ {
					if (Shard{part, count}).Has(fmt.Sprintf(pattern, 2*i)) {
						sizes[part]++
					}
				}
			}
			total := 0
			for part, n := range sizes {
				total += n
				if want := 5000 / count; part > 0 && (n < want*8/10 || n > want*12/10) {
					t.Errorf("%q: part %d/%d has %d names, want about %d", pattern, part, count, n, want)
				}
			}
			if total != 5000 {
				t.Errorf("%q: %d parts have %d names, want 5000", pattern, count, total)
			}
		}
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text string
		want Shard // zero: an error
	}{
		{"1/1", Shard{1, 1}},
		{"2/5", Shard{2, 5}},
		{"100000/100000", Shard{100_000, 100_000}},
		{"0/5", Shard{}},
		{"6/5", Shard{}},
		{"-1/5", Shard{}},
		{"0/0", Shard{}},
		{"1/100001", Shard{}},
		{"01/5", Shard{}},
		{"+1/5", Shard{}},
		{"1 / 5", Shard{}},
		{"1/5/7", Shard{}},
		{"1", Shard{}},
		{"", Shard{}},
		{"1/", Shard{}},
	} {
		got, err := Parse(test.text)
		if got != test.want || (err != nil) != (test.want == Shard{}) {
			t.Errorf("Parse(%q) = %v, %v, want %v", test.text, got, err, test.want)
		}
	}
	if !(Shard{}).Has("x") || (Shard{}).Check() != nil {
		t.Error("the zero Shard lacks a name")
	}
}
