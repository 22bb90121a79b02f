package z3950d

import (
	"fmt"
	"slices"
	"strings"

	"locus/demo/internal/library"
	"locus/internal/ber"
)

// scan answers a ScanRequest with the words of an index, from the term of the request on, or with a
// diagnostic.
func (a *association) scan(m ber.Element) []byte {
	terms, problem := a.terms(m)
	count := max(min(number(m, 6), int64(len(terms)), window), 0)
	terms = terms[:count]
	return reply(m, tagScan+1, func(b *ber.Builder) {
		status := int64(0)
		switch {
		case problem != nil:
			status = 6
		case count < number(m, 6):
			status = 5 // the list ends
		}
		b.Int(4, status)
		b.Int(5, count)
		if problem == nil {
			b.Int(6, 1)
		}
		b.In(7, func(b *ber.Builder) {
			if problem != nil {
				b.In(2, func(b *ber.Builder) { b.Sequence(problem.write) })
				return
			}
			b.In(1, func(b *ber.Builder) {
				for _, t := range terms {
					b.In(1, func(b *ber.Builder) {
						b.Text(45, t.word)
						b.Int(2, t.records)
					})
				}
			})
		})
	})
}

// A scanTerm is a word, and the number of records that have it.
type scanTerm struct {
	word    string
	records int64
}

// terms returns the words of the index that a ScanRequest names, sorted, from the term of the
// request on. It returns a diagnostic if the request is wrong or there is no such index.
func (a *association) terms(m ber.Element) ([]scanTerm, *diagnostic) {
	_, databases, problem := a.databases(m, 3)
	if problem != nil {
		return nil, problem
	}
	start, _ := m.Find(102)
	c, problem := parseCondition(start)
	if problem != nil {
		return nil, problem
	}
	a.Log.Line(fmt.Sprintf("scan %q", c.term))
	counts := map[string]int64{}
	for _, d := range databases {
		for i := range d.records {
			words, ok := d.records[i].indexWords(c.use)
			if !ok {
				return nil, &diagnostic{114, fmt.Sprint(c.use)}
			}
			for w := range words {
				counts[w]++
			}
		}
	}
	var terms []scanTerm
	for w, n := range counts {
		if w >= strings.ToLower(c.term) {
			terms = append(terms, scanTerm{w, n})
		}
	}
	slices.SortFunc(terms, func(a, b scanTerm) int { return strings.Compare(a.word, b.word) })
	return terms, nil
}

// indexWords returns the words by which the record is found in the index of a use attribute, as a
// set. ok is false if there is no such index.
func (b *book) indexWords(use int64) (words map[string]bool, ok bool) {
	var list string
	switch use {
	case useAny, useAnywhere:
		return b.words, true
	case useTitle:
		list = b.title
	case useAuthor:
		list = b.author
	case useDate, usePublished:
		list = b.year()
	case useLocalNumber, useDocID:
		list = b.id
	default:
		return nil, false
	}
	words = map[string]bool{}
	for _, w := range library.Words(list) {
		words[w] = true
	}
	return words, true
}

// sort answers a SortRequest: it sorts a copy of a result set, stores the copy under its new name,
// and replies whether that was possible.
func (a *association) sort(m ber.Element) []byte {
	problem := a.sorted(m)
	return reply(m, tagSort+1, func(b *ber.Builder) {
		if problem == nil {
			b.Int(3, 0)
			return
		}
		b.Int(3, 2) // failure
		b.In(5, func(b *ber.Builder) { b.Sequence(problem.write) })
	})
}

// sorted executes a SortRequest: it sorts a copy of a result set by the keys of the request, and
// stores the copy under its new name. It returns a diagnostic if the request is wrong, and nil
// otherwise.
func (a *association) sorted(m ber.Element) *diagnostic {
	input, _ := m.Find(3)
	first, _ := input.First()
	set := a.sets[first.Text()]
	if set == nil {
		return &diagnostic{30, first.Text()}
	}
	var compares []func(a, b hit) int
	sequence, _ := m.Find(5)
	var problem *diagnostic
	err := sequence.Each(func(key ber.Element) error {
		compare, p := sortBy(key)
		if p != nil {
			problem = p
		}
		compares = append(compares, compare)
		return nil
	})
	switch {
	case err != nil || len(compares) == 0:
		return &diagnostic{108, ""}
	case problem != nil:
		return problem
	}
	sorted := &resultSet{hits: slices.Clone(set.hits)}
	slices.SortStableFunc(sorted.hits, func(a, b hit) int {
		for _, compare := range compares {
			if n := compare(a, b); n != 0 {
				return n
			}
		}
		return 0
	})
	return a.keep(text(m, 4), sorted)
}

// sortBy returns a function that compares two records as a SortKeySpec says, with the results of
// strings.Compare. It returns a diagnostic for an unknown use attribute.
func sortBy(key ber.Element) (func(a, b hit) int, *diagnostic) {
	element, _ := key.First()
	attributes, _ := element.Find(2)
	list, _ := attributes.Find(44)
	first, _ := list.First()
	use := number(first, 121)
	by, ok := map[int64]func(hit) string{
		useTitle: func(h hit) string { return strings.ToLower(h.title) }, useAuthor: func(h hit) string { return h.author },
		useDate: func(h hit) string { return h.year() }, usePublished: func(h hit) string { return h.year() },
		useLocalNumber: func(h hit) string { return h.id },
	}[use]
	if !ok {
		return nil, &diagnostic{207, fmt.Sprint(use)}
	}
	sign := 1
	if relationOf(key) == 1 { // descending
		sign = -1
	}
	return func(a, b hit) int { return sign * strings.Compare(by(a), by(b)) }, nil
}

// relationOf returns the sortRelation of a SortKeySpec: 1 for descending order, and 0 for
// ascending order, which is also the default. It is the second element with the tag 1, because the
// sort element has that tag, too.
func relationOf(key ber.Element) (relation int64) {
	n := 0
	_ = key.Each(func(e ber.Element) error {
		if n++; n > 1 && e.Is(1) {
			relation, _ = e.Int()
		}
		return nil
	})
	return relation
}
