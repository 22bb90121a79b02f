package z3950d

import (
	"fmt"
	"strings"

	"locus/internal/ber"
)

// The object identifiers of record syntaxes.
const (
	syntaxUSMARC  = "1.2.840.10003.5.10"
	syntaxExplain = "1.2.840.10003.5.100"
	syntaxSUTRS   = "1.2.840.10003.5.101"
	syntaxXML     = "1.2.840.10003.5.109.10"
)

// window is the maximum number of records of one answer.
const window = 500

// present answers a PresentRequest with records of a result set, at most window of them, or with a
// diagnostic.
func (a *association) present(m ber.Element) []byte {
	start, count := number(m, 30), number(m, 29)
	set := a.sets[text(m, 31)]
	syntax, problem := syntaxOf(m)
	switch {
	case set == nil:
		problem = &diagnostic{30, text(m, 31)}
	case start < 1 || count < 0 || start > int64(set.count()) || count > int64(set.count())-start+1:
		problem = &diagnostic{13, fmt.Sprintf("%d+%d", start, count)}
	case problem == nil && len(set.explain) > 0 && syntax != syntaxExplain:
		problem = &diagnostic{238, syntax}
	case problem == nil && len(set.hits) > 0 && syntax == syntaxExplain:
		problem = &diagnostic{238, syntax}
	}
	if problem != nil {
		return reply(m, tagPresent+1, func(b *ber.Builder) {
			b.Int(24, 0)
			b.Int(25, 0)
			b.Int(27, 5) // failure
			b.In(130, problem.write)
		})
	}
	a.Log.Line(fmt.Sprintf("present %d+%d", start, count))
	count = min(count, window)
	return reply(m, tagPresent+1, func(b *ber.Builder) {
		b.Int(24, count)
		b.Int(25, start+count)
		b.Int(27, 0)
		b.In(28, func(b *ber.Builder) {
			for i := start - 1; i < start-1+count; i++ {
				b.Sequence(set.record(i, syntax))
			}
		})
	})
}

// syntaxOf returns the record syntax that a PresentRequest prefers, or MARC 21 if it does not name
// any. A syntax that this server lacks gives a diagnostic.
func syntaxOf(m ber.Element) (string, *diagnostic) {
	e, ok := m.Find(104)
	if !ok {
		return syntaxUSMARC, nil
	}
	oid, err := e.OID()
	if err != nil {
		return "", &diagnostic{108, ""}
	}
	switch oid {
	case syntaxUSMARC, syntaxSUTRS, syntaxXML, syntaxExplain:
		return oid, nil
	}
	return "", &diagnostic{239, oid}
}

// record returns a function that writes record i, counted from 0, as a NamePlusRecord in the
// syntax. An error in the record becomes a diagnostic in its place.
func (s *resultSet) record(i int64, syntax string) func(*ber.Builder) {
	if len(s.explain) > 0 {
		return s.explain[i].describe
	}
	h := s.hits[i]
	return func(b *ber.Builder) {
		b.Text(0, h.database.name)
		b.In(1, func(b *ber.Builder) {
			content, err := h.content(syntax)
			if err != nil {
				problem := &diagnostic{14, err.Error()}
				b.In(2, func(b *ber.Builder) { b.Sequence(problem.write) })
				return
			}
			external(b, syntax, content)
		})
	}
}

// external writes a record as an EXTERNAL with the syntax. content writes the content of the
// record.
func external(b *ber.Builder, syntax string, content func(*ber.Builder)) {
	b.In(1, func(b *ber.Builder) {
		b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
			b.OID(syntax)
			content(b)
		})
	})
}

// content returns a function that writes the record in a syntax, which is MARC 21 unless it is
// SUTRS or XML. The error says why the record does not fit MARC 21.
func (b *book) content(syntax string) (func(*ber.Builder), error) {
	switch syntax {
	case syntaxSUTRS:
		text := strings.TrimRight(b.marc().Text(), "\n") + "\n"
		return func(out *ber.Builder) {
			out.In(0, func(out *ber.Builder) { out.Primitive(ber.Universal, ber.TagGeneral, []byte(text)) })
		}, nil
	case syntaxXML:
		data := b.marc().XML()
		return func(out *ber.Builder) { out.Primitive(ber.Context, 1, data) }, nil
	}
	data, err := b.marc().ISO2709()
	return func(out *ber.Builder) { out.Primitive(ber.Context, 1, data) }, err
}

// describe writes the DatabaseInfo of the database, as a NamePlusRecord of Explain.
func (d *Database) describe(b *ber.Builder) {
	human := func(text string) func(*ber.Builder) {
		return func(b *ber.Builder) {
			b.Sequence(func(b *ber.Builder) {
				b.Text(0, "en")
				b.Text(1, text)
			})
		}
	}
	b.Text(0, explainDatabase)
	b.In(1, func(b *ber.Builder) {
		external(b, syntaxExplain, func(b *ber.Builder) {
			b.In(0, func(b *ber.Builder) {
				b.In(1, func(b *ber.Builder) { // databaseInfo
					b.Text(1, d.name)
					b.Bool(5, false)
					b.Bool(6, true)
					b.In(9, human(d.description))
					b.In(14, func(b *ber.Builder) { b.Int(0, int64(len(d.records))) })
				})
			})
		})
	})
}
