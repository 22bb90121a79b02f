package render

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"locus/compare"
)

func ExampleWriteComparison() {
	_ = WriteComparison(os.Stdout, compare.Read("http://example.org/a"), false)
	// Output:
	// http://example.org/a
	//   scheme    http
	//   host      example.org
	//   path      /a
	//   leads to  http example.org:80
}

func ExampleWriteReasons() {
	_ = WriteReasons(os.Stdout, compare.Read("http://example.org/"), false)
	// Output:
	// http://example.org/
	//   all lead to http example.org:80
}

func TestWriteComparison(t *testing.T) {
	for in, want := range map[string][]string{
		`http://good.example\@evil.example/`: {"\n! host ", "\n! leads to  http ", " evil.example:80 ", "\n  read by ", "\n  refused by "},
		"http://h":                           {"\n  leads to  http h:80\n"},
		"http://u:p@h/?q#f":                  {"\n  user      u\n  password  p\n", "\n  query     q\n  fragment  f\n"},
		"mailto:a@b":                         {"\n  path      a@b\n"},
		"":                                   {"\n"},
	} {
		var b strings.Builder
		if err := WriteComparison(&b, compare.Read(in), false); err != nil || !strings.HasPrefix(b.String(), in+"\n") {
			t.Errorf("WriteComparison of %q: %v, %q", in, err, b.String())
		}
		for _, text := range want {
			if !strings.Contains(b.String(), text) {
				t.Errorf("WriteComparison of %q lacks %q:\n%s", in, text, b.String())
			}
		}
		if strings.Contains(b.String(), " \n") {
			t.Errorf("WriteComparison of %q has blanks at the end of a line:\n%s", in, b.String())
		}
	}
}

// On a terminal, values that differ from a browser's are underlined, those of the RFCs, too.
func TestWriteComparisonUnderlined(t *testing.T) {
	for _, test := range []struct {
		in    string
		want  []string
		plain []string
	}{
		{"http://h/", nil, []string{"h", "/", "http h:80"}},
		{"http://127.1/", []string{"127.1", "http 127.1:80"}, []string{"127.0.0.1", "http 127.0.0.1:80"}},
		{"http://h?x@e/", []string{"e", "h?x", "http e:80"}, []string{"h", "http h:80"}},
	} {
		var b strings.Builder
		if err := WriteComparison(&b, compare.Read(test.in), true); err != nil {
			t.Fatalf("%q: %v", test.in, err)
		}
		for _, value := range test.want {
			if !strings.Contains(b.String(), " \x1b[4m"+value+"\x1b[24m") {
				t.Errorf("WriteComparison of %q does not underline %q:\n%s", test.in, value, b.String())
			}
		}
		for _, value := range test.plain {
			if strings.Contains(b.String(), "\x1b[4m"+value+"\x1b") || !strings.Contains(b.String(), " "+value) {
				t.Errorf("WriteComparison of %q underlines %q, or lacks it:\n%s", test.in, value, b.String())
			}
		}
	}
}

func TestWriteReasons(t *testing.T) {
	for in, want := range map[string]string{
		"http://h/":          "  all lead to http h:80\n",
		`http:\\h\x`:         "  parsers disagree about where it leads\n  backslash at byte 5: ",
		"http://0x7f.1/":     "  ipv4-shorthand at byte 7: ",
		"http://h/%":         " at byte 9: ",
		"http://h/a\x1b[2Jb": "http://h/a␛[2Jb\n",
	} {
		var b strings.Builder
		if err := WriteReasons(&b, compare.Read(in), false); err != nil || !strings.Contains(b.String(), want) || strings.Contains(b.String(), "\x1b") {
			t.Errorf("WriteReasons of %q: %v, %q, want %q", in, err, b.String(), want)
		}
	}
}

// The object has the data of the Comparison, and one reading for each parser, with distinct
// names.
func TestWriteComparisonJSON(t *testing.T) {
	names := map[string]bool{}
	for _, text := range []string{"http://h/", `http://good.example\@evil.example/`, "", "http://h/\xff", "x:y"} {
		var b strings.Builder
		if err := WriteComparisonJSON(&b, compare.Read(text)); err != nil || strings.Count(b.String(), "\n") != 1 {
			t.Fatalf("WriteComparisonJSON of %q: %v, %q", text, err, b.String())
		}
		var got struct {
			Agree    bool
			LeadsTo  *struct{ Scheme, Host string } `json:"leads_to"`
			Findings []struct{ Class, Why string }
			Readings []struct {
				Parser   string
				Accepted bool
				Error    *string
			}
		}
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		c := compare.Read(text)
		origin, agreed := c.Agree()
		if got.Agree != agreed || (got.LeadsTo != nil) != (origin != compare.Origin{}) || len(got.Findings) != len(c.Findings) || len(got.Readings) != len(c.Readings) {
			t.Errorf("WriteComparisonJSON of %q: %s", text, b.String())
		}
		for i, r := range got.Readings {
			if r.Accepted != (c.Readings[i].Err == nil) || r.Accepted != (r.Error == nil) || r.Parser == "" {
				t.Errorf("WriteComparisonJSON of %q: reading %d is %+v", text, i, r)
			}
			names[r.Parser] = true
		}
	}
	if len(names) != len(parserNames()) {
		t.Errorf("%d parsers have the names %v", len(parserNames()), names)
	}
}

func TestWriteComparisonError(t *testing.T) {
	full := errors.New("full")
	c := compare.Read("http://h/")
	w := fullDisk{full}
	for _, err := range []error{WriteComparison(w, c, false), WriteReasons(w, c, false), WriteComparisonJSON(w, c)} {
		if !errors.Is(err, full) {
			t.Errorf("into a full disk: %v", err)
		}
	}
}

type fullDisk struct{ err error }

func (d fullDisk) Write([]byte) (int, error) { return 0, d.err }
