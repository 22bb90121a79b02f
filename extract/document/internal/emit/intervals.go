package emit

import (
	"slices"
	"sort"
)

// An Interval is a range of offsets in a text.
type Interval struct{ From, To int }

// intervals is a set of offsets: intervals that are sorted and disjoint.
type intervals []Interval

// add adds the offsets in [from, to) to the set.
func (s *intervals) add(from, to int) {
	n := len(*s)
	if n == 0 || from > (*s)[n-1].To {
		*s = append(*s, Interval{from, to})
		return
	}
	first := sort.Search(n, func(i int) bool { return (*s)[i].To >= from })
	end := first
	for ; end < n && (*s)[end].From <= to; end++ {
		from, to = min(from, (*s)[end].From), max(to, (*s)[end].To)
	}
	*s = slices.Replace(*s, first, end, Interval{from, to})
}

// cut removes offset at and all later offsets from the set.
func (s *intervals) cut(at int) {
	n := sort.Search(len(*s), func(i int) bool { return (*s)[i].To > at })
	if n == len(*s) {
		return
	}
	if (*s)[n].From < at {
		(*s)[n].To = at
		n++
	}
	*s = (*s)[:n]
}

// has reports whether the offset is in the set.
func (s intervals) has(at int) bool {
	n := sort.Search(len(s), func(i int) bool { return s[i].To > at })
	return n < len(s) && s[n].From <= at
}
