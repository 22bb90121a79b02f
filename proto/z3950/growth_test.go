package z3950_test

import (
	"slices"
	"strings"
	"testing"

	"locus/access/accesstest"
	"locus/internal/ber"
	"locus/internal/growth"
)

// The cost of a search grows no faster than the number of records, and the cost of a record no faster than its
// length.
func TestGrowth(t *testing.T) {
	const list, one = "z39.50s://h/db;query=x", "z39.50r://h/db?x"
	same := func(record func(*ber.Builder)) func(int) func(*ber.Builder) {
		return func(int) func(*ber.Builder) { return record }
	}
	for _, test := range []struct {
		name, url string
		record    func(n int) func(*ber.Builder)
	}{
		{"records", list, same(plain("x"))},
		{"diagnostics", list, same(instead(14))},
		{"text", one, func(n int) func(*ber.Builder) { return plain(strings.Repeat("line\n", n)) }},
		{"XML", one, func(n int) func(*ber.Builder) {
			return rawBytes(xmlOID, strings.Repeat("<a><title>x</title>", n)+strings.Repeat("</a>", n))
		}},
		{"MARC", one, func(n int) func(*ber.Builder) {
			return rawBytes(usmarc, "00026nam  2200025   4500"+strings.Repeat("\x1e\x1f\x1d", n))
		}},
		{"GRS-1", one, func(n int) func(*ber.Builder) {
			return external(grs1, func(b *ber.Builder) {
				b.In(0, func(b *ber.Builder) {
					for range n {
						nestGRS(b, 1)
					}
				})
			})
		}},
	} {
		growth.Check(t, test.name, 50, func(n int) func() {
			hits := 1
			if test.url == list {
				hits = n
			}
			record := test.record(n)
			server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
				switch m.Tag {
				case 20:
					return accepts(7, 8, 14)
				case 22:
					return found(int64(hits))
				}
				return presented(slices.Repeat([]func(*ber.Builder){record}, int(number(m, 29)))...)
			}))
			return func() {
				text, err := fetch(t.Context(), client(server.Dial), test.url)
				t.Logf("%s: %d bytes, %v", test.name, len(text), err)
			}
		})
	}
}

// The cost of a scan grows no faster than the number of terms.
func TestGrowthOfScan(t *testing.T) {
	growth.Check(t, "terms", 50, func(n int) func() {
		server := accesstest.ServeAll(t, scripted(build(36, func(b *ber.Builder) {
			b.Int(4, 0)
			b.Int(5, int64(n))
			b.In(7, func(b *ber.Builder) {
				b.In(1, func(b *ber.Builder) {
					for range n {
						b.In(1, func(b *ber.Builder) { b.In(216, func(b *ber.Builder) { b.Text(45, "x") }) })
					}
				})
			})
		})))
		return func() {
			if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;scan=x"); err != nil {
				t.Error(err)
			}
		}
	})
}
