package wais

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

var sourceTests = []struct {
	text string
	want Source
	url  string
}{
	{`(:source)`, Source{}, ""},
	{
		`(:source :version 3 :ip-name "wais.example" :tcp-port 8000 :database-name "a b" :cost 0.00 :cost-unit :free)`,
		Source{Name: "wais.example", Port: 8000, Database: "a b", Cost: "0.00", CostUnit: ":free"},
		"wais://wais.example:8000/a%20b",
	},
	{
		"\n( :SOURCE\n:Ip-Address \"192.0.2.1\" :tcp-port 210 :database-name \"db\"\n:keyword-list ( one \"two words\" (deep) three )\n:maintainer \"a@b\" :description \"say \\\"yes\\\" \\\\\nnow\"\n) trailing",
		Source{Address: "192.0.2.1", Port: 210, Database: "db", Keywords: []string{"one", "two words", "three"}, Maintainer: "a@b", Description: "say \"yes\" \\\nnow"},
		"wais://192.0.2.1/db",
	},
	{`(:source :unknown ((a) (b (c))) :x y :description "d")`, Source{Description: "d"}, ""},
	{`(:source :keyword-list () :description "")`, Source{}, ""},
}

func TestParseSource(t *testing.T) {
	for _, test := range sourceTests {
		got, err := ParseSource([]byte(test.text))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("ParseSource(%q) = %+v, %v, want %+v", test.text, got, err, test.want)
		}
		u, ok := got.URL()
		if ok != (test.url != "") || ok && u.String() != test.url {
			t.Errorf("URL of %q = %q, %v, want %q", test.text, u, ok, test.url)
		}
	}
}

func TestParseSourceRefuses(t *testing.T) {
	for _, text := range []string{
		"", "x", "(", "(:source", "(:source :a", "(:source :a )", "(:source a b)", `(:source "a" b)`, `(:source :a "b`, "(:database)", `(":source")`,
		"(:source :tcp-port 70000)", "(:source :tcp-port x)", "(:source :a " + strings.Repeat("(", 40) + strings.Repeat(")", 40) + ")", "(:source :a (b)",
	} {
		if got, err := ParseSource([]byte(text)); err == nil {
			t.Errorf("ParseSource(%q) = %+v, want an error", text, got)
		}
	}
}

// ParseSource parses the description that freeWAIS wrote for a database.
func TestParseRecordedSource(t *testing.T) {
	whole := newAssembly()
	for _, e := range recordedPairs(t, "retrieve_src")[2:] {
		describePair(t, e, whole)
	}
	for _, text := range whole.texts {
		s, err := ParseSource([]byte(text.String()))
		if err != nil || s.Database != "/wais/db/txtdb" || s.Maintainer != "user@wais.example" ||
			len(s.Keywords) != 4 || !strings.HasSuffix(s.Description, "/wais/data/txt/big.txt\n") {
			t.Errorf("ParseSource(%q) = %+v, %v", text.String(), s, err)
		}
	}
	if len(whole.texts) != 1 {
		t.Errorf("%d texts, want one", len(whole.texts))
	}
}

func FuzzDecodeSource(f *testing.F) {
	for _, test := range sourceTests {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSource(text)
		if err != nil {
			return
		}
		if u, ok := s.URL(); ok && u.Scheme() != "wais" {
			t.Errorf("URL of %q = %q", text, u)
		}
	})
}

// Decoding a message never gives more data than the message contains.
func FuzzDecodeMessage(f *testing.F) {
	files, err := os.ReadDir("testdata/captures")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		for _, e := range recordedPairs(f, strings.TrimSuffix(file.Name(), ".jsonl")) {
			if len(e.answer) < 2000 {
				f.Add(e.answer)
				f.Add(e.request)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if size, err := parseInit(body); err == nil && (size < 1 || size > maxMessage) {
			t.Errorf("parseInit(%q) = %d", body, size)
		}
		records, err := parseSearch(body)
		if err != nil {
			return
		}
		if p, err := parseChunk(records); err == nil && len(p.data) > len(body) {
			t.Errorf("a chunk of %d bytes in a message of %d", len(p.data), len(body))
		}
		total := 0
		_ = records.each(func(el element) error {
			total += len(el.value)
			if el.isHit() {
				h, err := el.hit()
				total -= len(el.value)
				total += len(h.DocID) + len(h.Headline) + len(strings.Join(h.Types[1:], ""))
				return err
			}
			return nil
		})
		if total > len(body) {
			t.Errorf("values of %d bytes in a message of %d", total, len(body))
		}
	})
}
