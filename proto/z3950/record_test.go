package z3950

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/internal/ber"
	"locus/url"
)

// built returns the element that inside writes.
func built(t *testing.T, inside func(b *ber.Builder)) ber.Element {
	t.Helper()
	var b ber.Builder
	inside(&b)
	e, rest, err := ber.Parse(b.Bytes())
	if err != nil || len(rest) > 0 {
		t.Fatalf("%v, and %d more bytes", err, len(rest))
	}
	return e
}

// tagged writes an element of GRS-1.
func tagged(kind int64, tag func(*ber.Builder), content func(*ber.Builder)) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.Int(1, kind)
		b.In(2, tag)
		b.In(4, content)
	}
}

func tagNumber(n int64) func(*ber.Builder) { return func(b *ber.Builder) { b.Integer(n) } }

func tagName(name string) func(*ber.Builder) {
	return func(b *ber.Builder) { b.Primitive(ber.Universal, ber.TagGeneral, []byte(name)) }
}

func universal(tag uint32, content string) func(*ber.Builder) {
	return func(b *ber.Builder) { b.Primitive(ber.Universal, tag, []byte(content)) }
}

// The text of a GRS-1 record has the names of known tags.
func TestGRS(t *testing.T) {
	e := built(t, func(b *ber.Builder) {
		b.Sequence(func(b *ber.Builder) {
			b.Sequence(tagged(2, tagNumber(1), universal(ber.TagGeneral, "On ranking")))
			b.Sequence(tagged(2, tagNumber(2), universal(ber.TagOctetString, "Ada\nand Carl")))
			b.Sequence(tagged(2, tagNumber(4), func(b *ber.Builder) { b.Integer(1994) }))
			b.Sequence(tagged(3, tagName("open"), universal(ber.TagBoolean, "\xff")))
			b.Sequence(tagged(9, tagNumber(99), func(b *ber.Builder) { b.OID("1.2.3") }))
			b.Sequence(tagged(3, tagName("none"), func(b *ber.Builder) { b.Primitive(ber.Context, 2, nil) }))
			b.Sequence(tagged(3, tagName("picture"), func(b *ber.Builder) {
				b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
					b.OID("1.2.840.10003.5.109.7")
					b.Text(1, "PNG")
				})
			}))
			for _, wrap := range []func(*ber.Builder, func(*ber.Builder)){(*ber.Builder).Sequence, func(b *ber.Builder, inside func(*ber.Builder)) { inside(b) }} {
				b.Sequence(tagged(3, tagName("part"), func(b *ber.Builder) {
					b.In(6, func(b *ber.Builder) {
						wrap(b, func(b *ber.Builder) { b.Sequence(tagged(2, tagNumber(21), universal(ber.TagGeneral, "sea"))) })
					})
				}))
			}
		})
	})
	const want = "title: On ranking\nauthor: Ada\n  and Carl\ndate: 1994\nopen: true\n(9,99): 1.2.3\nnone:\npicture: [png, 3 bytes]\n" +
		"part:\n  subject: sea\npart:\n  subject: sea\n"
	r := rawRecord{syntax: syntaxGRS1, value: e, isASN1: true}
	data, mediaType, err := r.content()
	if string(data) != want || mediaType != "text/plain; charset=utf-8" || err != nil {
		t.Errorf("GRS-1 is %q, of type %q, %v; want %q", data, mediaType, err, want)
	}
	if s := r.summary(); s.title != "On ranking" || s.author != "Ada\nand Carl" || s.date != "1994" {
		t.Errorf("its summary is %+v", s)
	}
}

// The text of an OPAC record has the holdings of the library.
func TestOPAC(t *testing.T) {
	e := built(t, func(b *ber.Builder) {
		b.Sequence(func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
					b.OID(syntaxSUTRS)
					b.In(0, universal(ber.TagGeneral, "On ranking"))
				})
			})
			b.In(2, func(b *ber.Builder) {
				b.In(2, func(b *ber.Builder) {
					b.Text(9, "Main")
					b.Text(11, "MLCM 89")
					b.In(18, func(b *ber.Builder) { b.Sequence(func(b *ber.Builder) { b.Text(1, "vol. 2") }) })
					b.In(19, func(b *ber.Builder) {
						b.Sequence(func(b *ber.Builder) {
							b.Bool(1, true)
							b.Text(5, "123")
							b.Bool(7, false)
						})
					})
				})
				b.In(1, func(b *ber.Builder) {
					b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
						b.OID("1.2.840.10003.5.109.9")
						b.Text(1, "<holding>")
					})
				})
			})
		})
	})
	const want = "On ranking\n\nHolding 1\n  Location: Main\n  Call number: MLCM 89\n  Volume: vol. 2\n  Available: yes\n  Item: 123\n  On hold: no\n" +
		"\nHolding 2\n<holding>\n"
	r := rawRecord{syntax: syntaxOPAC, value: e, isASN1: true}
	data, _, err := r.content()
	if string(data) != want || err != nil {
		t.Errorf("OPAC is %q, %v; want %q", data, err, want)
	}
	if s := r.summary(); s.title != "On ranking" {
		t.Errorf("its summary is %+v", s)
	}
}

// The names of fields cannot make a large text from a small record.
func TestOPACIsBounded(t *testing.T) {
	const size = largestRecord / 7
	for name, holdings := range map[string]string{
		"holdings": strings.Repeat("\x82\x00", size/2),
		"fields":   strings.Repeat("\xa2\x5a"+strings.Repeat("\x8a\x01x", 30), size/92),
	} {
		e := built(t, func(b *ber.Builder) {
			b.Sequence(func(b *ber.Builder) {
				b.In(2, func(b *ber.Builder) { b.Raw([]byte(holdings)) })
			})
		})
		data, _, err := rawRecord{syntax: syntaxOPAC, value: e, isASN1: true}.content()
		if !errors.Is(err, access.ErrTooLong) {
			t.Errorf("%s: %d bytes become %d, %v", name, len(e.Content), len(data), err)
		}
	}
}

// The title of an XML record is found in MARCXML and in Dublin Core.
func TestXMLSummary(t *testing.T) {
	const slim = `<record xmlns="http://www.loc.gov/MARC21/slim"><controlfield tag="001">b7</controlfield>` +
		`<datafield tag="100"><subfield code="a">Hansen, Ada</subfield></datafield><datafield tag="245"><subfield code="a">Sea</subfield>` +
		`<subfield code="b">charts</subfield><subfield code="c">Ada</subfield></datafield><datafield tag="260"><subfield code="c">1994</subfield></datafield>` +
		`<datafield tag="700"><subfield code="a">Other</subfield></datafield></record>`
	for _, test := range []struct {
		xml, mediaType string
		want           summary
	}{
		{slim, "application/marcxml+xml", summary{"Sea charts", "Hansen, Ada", "1994", "b7"}},
		{`<dc xmlns="x"><title>One</title><title>Two</title><creator>Ada</creator><date>1999</date></dc>`, "application/xml", summary{"One", "Ada", "1999", ""}},
		{`<a><title>cut off`, "application/xml", summary{title: "cut off"}},
		{`<title/><<`, "application/xml", summary{}},
		{"", "application/xml", summary{}},
	} {
		r := rawRecord{syntax: syntaxXML, data: []byte(test.xml)}
		if got := r.summary(); got != test.want {
			t.Errorf("summary of %q is %+v, want %+v", test.xml, got, test.want)
		}
		if _, mediaType, err := r.content(); mediaType != test.mediaType || err != nil {
			t.Errorf("%q is of type %q, %v, want %q", test.xml, mediaType, err, test.mediaType)
		}
	}
}

// A title in very many pieces is not copied for each piece.
func TestXMLSummaryIsBounded(t *testing.T) {
	for name, xml := range map[string]string{
		"comments":  "<title>" + strings.Repeat("a<!---->", 100_000) + "</title>",
		"subfields": `<datafield tag="245">` + strings.Repeat(`<subfield code="a">a</subfield>`, 50_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := rawRecord{syntax: syntaxXML, data: []byte(xml)}.summary()
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 || len(s.title) < 100 {
			t.Errorf("%s: %d bytes of XML cost %d MiB, and a title of %d bytes", name, len(xml), used>>20, len(s.title))
		}
	}
}

// Indentation cannot make a large text from a small record.
func TestGRSIsBounded(t *testing.T) {
	nest := func(depth int, value string) ber.Element {
		inside := universal(ber.TagGeneral, value)
		for range depth {
			inner := inside
			inside = func(b *ber.Builder) {
				b.In(6, func(b *ber.Builder) { b.Sequence(tagged(3, tagName("x"), inner)) })
			}
		}
		return built(t, func(b *ber.Builder) { b.Sequence(func(b *ber.Builder) { b.Sequence(tagged(3, tagName("x"), inside)) }) })
	}
	for _, test := range []struct {
		depth, lines int
		want         error
	}{{3, 1000, nil}, {30, 1000, nil}, {30, 500_000, access.ErrTooLong}} {
		r := rawRecord{syntax: syntaxGRS1, value: nest(test.depth, strings.Repeat("a\n", test.lines)), isASN1: true}
		data, _, err := r.content()
		if !errors.Is(err, test.want) || err == nil && strings.Count(string(data), "a\n") != test.lines || len(data) > largestRecord {
			t.Errorf("%d lines at depth %d are %d bytes, %v, want %v", test.lines, test.depth, len(data), err, test.want)
		}
	}
}

// A database is described in Explain's own syntax, and in the XML of Zebra.
func TestDatabaseInfo(t *testing.T) {
	human := func(text string) func(*ber.Builder) {
		return func(b *ber.Builder) {
			b.Sequence(func(b *ber.Builder) {
				b.Text(0, "en")
				b.Text(1, text)
			})
		}
	}
	e := built(t, func(b *ber.Builder) {
		b.In(1, func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) { b.Text(105, "books") })
			b.In(7, human("All books"))
			b.In(9, human("What we have."))
			b.In(14, func(b *ber.Builder) { b.Int(0, 42) })
		})
	})
	want := Database{"books", "What we have.", 42}
	d, title, ok := rawRecord{isASN1: true, value: e}.databaseInfo()
	if d != want || title != "All books" || !ok {
		t.Errorf("the database is %+v, %q, %v", d, title, ok)
	}
	text, mediaType, err := rawRecord{syntax: syntaxExplain, isASN1: true, value: e}.content()
	if string(text) != "Database: books\nTitle: All books\nDescription: What we have.\nRecords: 42\n" || err != nil || mediaType != "text/plain; charset=utf-8" {
		t.Errorf("as text it is %q, of type %q, %v", text, mediaType, err)
	}
	const zebra = `<explain><databaseInfo>DatabaseInfo<name>books</name><description>What we have.</description><recordCount><recordCountActual>42</recordCountActual></recordCount></databaseInfo></explain>`
	if d, _, ok := (rawRecord{data: []byte(zebra)}).databaseInfo(); d != want || !ok {
		t.Errorf("in XML it is %+v, %v", d, ok)
	}
	for _, r := range []rawRecord{{data: []byte("<x")}, {data: []byte("<explain/>")}, {isASN1: true}} {
		if d, _, ok := r.databaseInfo(); ok {
			t.Errorf("the record %q of something else is the database %+v", r.data, d)
		}
	}
}

// A diagnostic wraps the general error of its condition.
func TestDiagnostics(t *testing.T) {
	for condition, want := range map[int]error{
		109: fs.ErrNotExist, 235: fs.ErrNotExist, 13: fs.ErrNotExist, 236: fs.ErrPermission, 1012: fs.ErrPermission, 2: access.ErrTemporary,
		1019: access.ErrTemporary, 1: access.ErrServer, 114: errors.ErrUnsupported, 239: errors.ErrUnsupported, 232: errors.ErrUnsupported,
	} {
		d := &Diagnostic{Set: bib1Diagnostics, Condition: condition, Detail: "x"}
		if err := d.refusal(); !errors.Is(err, want) {
			t.Errorf("%d means %v, want %v", condition, err.Means, want)
		}
	}
	for _, d := range []Diagnostic{{"", 4, ""}, {bib1Diagnostics, 9999, ""}, {"1.2.3", 109, ""}} {
		if d.means() != nil {
			t.Errorf("%+v means %v", d, d.means())
		}
	}
	for d, want := range map[Diagnostic]string{
		{bib1Diagnostics, 109, " books "}: "database unavailable: books", {"", 9999, ""}: "diagnostic 9999", {"1.2.3", 109, "x"}: "diagnostic 109: x",
	} {
		if got := d.String(); got != want {
			t.Errorf("%+v is %q, want %q", d, got, want)
		}
	}
	for condition, text := range conditions {
		if strings.TrimSpace(text) != text || text == "" || strings.HasSuffix(text, ".") {
			t.Errorf("%d is %q", condition, text)
		}
	}
}

// The text of an error has only the text of the diagnostic, and not also the text of the
// wrapped error, such as "file does not exist" for a database.
func TestDiagnosticTexts(t *testing.T) {
	for condition, want := range map[int]string{
		109: "109 database unavailable: x", 114: "114 unsupported use attribute: x", 14: "14 system error while presenting records: x",
	} {
		d := &Diagnostic{Set: bib1Diagnostics, Condition: condition, Detail: "x"}
		err := engine.Fail("open", url.MustParse("z39.50s://h/"), d.refusal())
		if got := err.Error(); got != "open z39.50s://h/: "+want {
			t.Errorf("%d reads %q, want %q", condition, got, want)
		}
	}
}

// A diagnostic is found at any depth of an external form.
func TestFindDiagnostic(t *testing.T) {
	e := built(t, func(b *ber.Builder) {
		b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
			b.OID("1.2.840.10003.10.1000.1.1")
			b.In(0, func(b *ber.Builder) {
				b.Sequence(func(b *ber.Builder) {
					b.Sequence(func(b *ber.Builder) {
						b.OID(bib1Diagnostics)
						b.Integer(1012)
						b.Primitive(ber.Universal, ber.TagGeneral, []byte("ada"))
					})
				})
			})
		})
	})
	d, err := parseDiagRec(e)
	if err != nil || *d != (Diagnostic{bib1Diagnostics, 1012, "ada"}) {
		t.Errorf("the diagnostic is %+v, %v", d, err)
	}
	if d, err := parseDiagRec(built(t, func(b *ber.Builder) { b.Constructed(ber.Universal, ber.TagExternal, func(*ber.Builder) {}) })); err != nil || d.Condition != 0 {
		t.Errorf("an external form without any is %+v, %v", d, err)
	}
}

func TestSortKeys(t *testing.T) {
	for text, want := range map[string]string{"": "[]", "title": "[{4 false}]", "-Date, 1003": "[{30 true} {1003 false}]", "changed": "[{1012 false}]"} {
		keys, err := parseSortKeys(text)
		if got := fmt.Sprint(keys); err != nil || got != want {
			t.Errorf("sort keys %q are %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{",", "nosuch", "score", "-", "0", "--5", "99999999999999999999"} {
		if keys, err := parseSortKeys(text); err == nil {
			t.Errorf("sort keys %q are %v", text, keys)
		}
	}
}

// Every name of a syntax is known in upper and lower case, and by its object identifier.
func TestSyntaxes(t *testing.T) {
	for _, name := range Syntaxes() {
		if err := CheckSyntaxes([]string{name, strings.ToUpper(name)}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{"MARC21": syntaxUSMARC, "grs1": syntaxGRS1, "1.2.3.4": "1.2.3.4"} {
		if oids, err := findSyntaxes([]string{name}); err != nil || oids[0] != want {
			t.Errorf("%s is %q, %v, want %s", name, oids, err, want)
		}
	}
	if err := CheckSyntaxes([]string{"nosuch"}); err == nil || !strings.Contains(err.Error(), "sutrs, swemarc") {
		t.Errorf("an unknown name: %v", err)
	}
	if err := CheckSyntaxes(nil); err != nil {
		t.Error(err)
	}
	if err := CheckSyntaxes(slices.Repeat([]string{"xml"}, 20)); err != nil {
		t.Error(err)
	}
	if err := CheckSyntaxes(slices.Repeat([]string{"xml"}, 21)); err == nil || !strings.Contains(err.Error(), "the limit is 20") {
		t.Errorf("21 syntaxes: %v", err)
	}
}

// Fields are formatted for people.
func TestFacts(t *testing.T) {
	for _, test := range []struct {
		header access.Header
		want   string
	}{
		{(&RetrievalRecord{Author: "Ada", Date: "1994", Database: "books"}).fields(), "[{Author Ada  false} {Date 1994  false} {Database books  false}]"},
		{(&RetrievalRecord{}).fields(), "[]"},
		{(&Term{7}).fields(), "[{Records 7  false}]"},
		{(&Term{-1}).fields(), "[]"},
		{(&Database{"books", "About.", 3}).fields(), "[{Description About.  false} {Records 3  false}]"},
		{(&Database{Records: -1}).fields(), "[]"},
	} {
		if got := fmt.Sprint(test.header); got != test.want {
			t.Errorf("facts of %+v are %s, want %s", test.header, got, test.want)
		}
	}
}
