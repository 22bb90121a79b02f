package z3950

import (
	"testing"

	"locus/internal/ber"
	"locus/internal/peers"
	"locus/scheme"
	"locus/url"
)

// BenchmarkEntry makes the entry of a MARC 21 record.
func BenchmarkEntry(b *testing.B) {
	data := peers.Books(1)
	var record ber.Builder
	record.Sequence(func(b *ber.Builder) {
		b.Text(0, "books")
		b.In(1, func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
					b.OID(syntaxUSMARC)
					b.Primitive(ber.Context, 1, data)
				})
			})
		})
	})
	l := &resultList{set: &resultSet{hits: 9}, view: scheme.Z3950{Host: scheme.Host{Name: "h"}, Databases: []string{"books"}, Query: url.Some("sea")}}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		e, _, err := ber.Parse(record.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		r, err := parseRecord(e)
		if err != nil {
			b.Fatal(err)
		}
		if entry := l.entryOf(itemOf(r, 7)); entry.Title == "" {
			b.Fatal("no title")
		}
	}
}
