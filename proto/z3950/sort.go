package z3950

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locus/internal/ber"
)

// A sortKey sorts records by the value of a use attribute.
type sortKey struct {
	use          int64
	isDescending bool
}

// sortNames returns the use attributes that have a name in sort keys.
func sortNames() map[string]int64 {
	return map[string]int64{
		"title": useTitle, "author": 1003, "date": 30, "subject": 21, "isbn": 7, "issn": 8, "publisher": 1018, "number": useLocalNumber, "changed": 1012,
	}
}

// parseSortKeys parses sort keys, which are separated by ",". Each is a name of sortNames or
// the number of a use attribute. "-" before it sorts in descending order.
func parseSortKeys(text string) ([]sortKey, error) {
	if text == "" {
		return nil, nil
	}
	var keys []sortKey
	for name := range strings.SplitSeq(text, ",") {
		name, isDescending := strings.CutPrefix(strings.TrimSpace(name), "-")
		use, known := sortNames()[strings.ToLower(name)]
		if !known {
			n, err := strconv.ParseInt(name, 10, 31)
			if err != nil || n <= 0 {
				return nil, fmt.Errorf("sort key %q is neither %s nor the number of a use attribute", name, strings.Join(names(sortNames()), ", "))
			}
			use = n
		}
		keys = append(keys, sortKey{use, isDescending})
	}
	return keys, nil
}

// names returns the sorted keys of a map.
func names[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// write writes the elements of k as a SortKeySpec.
func (k sortKey) write(b *ber.Builder) {
	const missingIsNull = 2
	b.In(1, func(b *ber.Builder) {
		b.In(2, func(b *ber.Builder) {
			b.OID(bib1)
			b.In(44, func(b *ber.Builder) { b.Sequence(attr(useAttribute, k.use).write) })
		})
	})
	relation := int64(0)
	if k.isDescending {
		relation = 1
	}
	b.Int(1, relation)
	b.Int(2, 1) // upper and lower case are the same
	b.In(3, func(b *ber.Builder) { b.Primitive(ber.Context, missingIsNull, nil) })
}
