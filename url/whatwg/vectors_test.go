package whatwg

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"locus/internal/vectors"
	"locus/url"
)

// suite reads a published suite. It skips the test with a message if the suite is absent.
func suite(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(vectors.Read(t, "wpt/"+name), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// sizes has the smallest number of cases of each suite, so that a truncated suite fails. fetchedSizes has
// the numbers of the older suites that make peers fetches.
var sizes = map[string]int{
	"urltestdata.json": 891, "setters_tests.json": 277, "percent-encoding.json": 7, "toascii.json": 87,
	"IdnaTestV2.json": 2671, "IdnaTestV2-removed.json": 20, "verifydnslength_tests.json": 17,
	"urlpatterntestdata.json": 369, "urlpattern-compare-test-data.json": 25, "urlpattern-generate-test-data.json": 19,
}

var fetchedSizes = map[string]int{
	"urltestdata.json": 820, "setters_tests.json": 248, "urlpatterntestdata.json": 366,
}

// isOutdated reports whether the standard has changed since the fetched suites were published, so that
// a case has another result now. IDNA accepts xn-- without a valid label, "^" is escaped in paths, and
// the last blank of an opaque path is escaped.
func isOutdated(input string) bool {
	if !vectors.IsFetched() {
		return false
	}
	lower := strings.ToLower(input)
	return strings.Contains(lower, "xn--pokxncvks") || lower == "file://xn--/p" || lower == "https://xn--/" ||
		strings.Contains(input, ` !"#$%&'()*+,-./09:;<=>?@AZ[\]^`) || strings.HasSuffix(input, "://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~")
}

// isOutdatedSetter is isOutdated for a new value of a URL.
func isOutdatedSetter(href, setter, value string) bool {
	if isOutdated(value) || vectors.IsFetched() && value == "xn--" {
		return true
	}
	path, _, _ := strings.Cut(strings.ReplaceAll(href, "#", "?"), "?")
	return vectors.IsFetched() && value == "" && (setter == "hash" || setter == "search") && strings.HasSuffix(path, " ")
}

// whole fails the test if a suite has too few cases.
func whole(t *testing.T, name string, n int) {
	t.Helper()
	least, ok := sizes[name]
	if vectors.IsFetched() {
		least, ok = fetchedSizes[name]
	}
	if n < least || !ok {
		t.Errorf("%s has %d cases, want at least %d", name, n, least)
	}
	t.Logf("%s: %d cases", name, n)
}

// cases reads a suite that is a list, and drops the comments in it.
func cases[T any](t *testing.T, name string) (list []T) {
	t.Helper()
	var raw []json.RawMessage
	suite(t, name, &raw)
	for _, r := range raw {
		if r[0] == '"' {
			continue
		}
		var c T
		if err := json.Unmarshal(r, &c); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		list = append(list, c)
	}
	whole(t, name, len(list))
	return list
}

// expectedFailures returns the inputs in expected_failures.txt.
func expectedFailures(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("expected_failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			inputs = append(inputs, line)
		}
	}
	return inputs
}

type parseCase struct {
	Input string
	Base  *string
	Fields
	Failure      bool
	SearchParams *string
}

func TestURLTestData(t *testing.T) {
	for _, test := range cases[parseCase](t, "urltestdata.json") {
		if isOutdated(test.Input) {
			continue
		}
		got, err := parseWith(test.Input, test.Base)
		if test.Failure {
			if err == nil {
				t.Errorf("Parse(%q) = %q, want a failure", test.Input, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("Parse(%q): %v", test.Input, err)
			continue
		}
		fields := FieldsOf(got)
		if test.SearchParams != nil {
			if ps := ParseParams(fields.Search).String(); ps != *test.SearchParams {
				t.Errorf("ParseParams(%q) = %q, want %q", fields.Search, ps, *test.SearchParams)
			}
		}
		if test.Origin == "" {
			test.Origin = fields.Origin
		}
		if fields != test.Fields {
			t.Errorf("Parse(%q) = %+v, want %+v", test.Input, fields, test.Fields)
		}
		if again, err := Parse(test.Href); err != nil || again != got {
			t.Errorf("Parse(%q) = %q, %v, want it unchanged", test.Href, again, err)
		}
	}
}

func parseWith(input string, base *string) (url.URL, error) {
	if base == nil {
		return Parse(input)
	}
	b, err := Parse(*base)
	if err != nil {
		return url.URL{}, err
	}
	return Resolve(b, input)
}

func TestSetters(t *testing.T) {
	setters := map[string]func(url.URL, string) url.URL{
		"protocol": WithProtocol, "username": WithUsername, "password": WithPassword, "host": WithHost,
		"hostname": WithHostname, "port": WithPort, "pathname": WithPathname, "search": WithSearch, "hash": WithHash,
		"href": func(u url.URL, value string) url.URL {
			v, err := Parse(value)
			if err != nil {
				return u
			}
			return v
		},
	}
	var suites map[string]json.RawMessage
	suite(t, "setters_tests.json", &suites)
	total := 0
	for name, raw := range suites {
		if name == "comment" {
			continue
		}
		var list []struct {
			Href     string
			NewValue string `json:"new_value"`
			Expected map[string]string
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatalf("%v: %v", raw, err)
		}
		total += len(list)
		for _, test := range list {
			if isOutdatedSetter(test.Href, name, test.NewValue) {
				continue
			}
			u, err := Parse(test.Href)
			if err != nil {
				t.Errorf("Parse(%q): %v", test.Href, err)
				continue
			}
			got := fieldMap(t, setters[name](u, test.NewValue))
			for field, want := range test.Expected {
				if got[field] != want {
					t.Errorf("%q after setting %s to %q: %s = %q, want %q", test.Href, name, test.NewValue, field, got[field], want)
				}
			}
		}
	}
	whole(t, "setters_tests.json", total)
}

func fieldMap(t *testing.T, u url.URL) (m map[string]string) {
	t.Helper()
	text, err := json.Marshal(FieldsOf(u))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestIDNA(t *testing.T) {
	expected := expectedFailures(t)
	failed := map[string]bool{}
	for _, name := range []string{"toascii.json", "IdnaTestV2.json", "IdnaTestV2-removed.json"} {
		for _, test := range cases[struct {
			Input  string
			Output *string
		}](t, name) {
			if test.Input == "" {
				continue // an empty host is not a domain; the suite's own runner also skips it
			}
			got, want := "a failure", "a failure"
			if test.Output != nil {
				want = *test.Output
			}
			escaped := PercentEncode(test.Input, UserinfoSet)
			if u, err := Parse("https://" + escaped + "/x"); err == nil {
				got, _ = u.Host()
			}
			set := map[bool]string{false: "old", true: got}[got != "a failure"]
			for _, with := range []func(url.URL, string) url.URL{WithHost, WithHostname} {
				if host, _ := with(mustParse(t, "https://old/x"), escaped).Host(); host != set {
					t.Errorf("%s: setting the host to %q = %q, want %q", name, test.Input, host, set)
				}
			}
			if got == want {
				continue
			}
			failed[test.Input] = true
			if !slices.Contains(expected, test.Input) {
				t.Errorf("%s: host of Parse(%q) = %q, want %q", name, test.Input, got, want)
			}
		}
	}
	for _, input := range expected {
		if !failed[input] {
			t.Errorf("%q succeeds, but is in expected_failures.txt", input)
		}
	}
}

// ToASCII with beStrict fails for the domains for which the suite says so.
func TestVerifyDNSLength(t *testing.T) {
	for _, test := range cases[struct {
		Input   string
		Failure bool
	}](t, "verifydnslength_tests.json") {
		p := url.RFC3986.Split(test.Input)
		if got, ok := ToASCII(p.Host.Text, true); ok == test.Failure {
			t.Errorf("ToASCII(%q, strict) = %q, %v, want failure = %v", p.Host.Text, got, ok, test.Failure)
		}
	}
}

// legacy has the bytes, by the Encoding Standard, of the characters beyond ASCII in the suite's inputs. An encoding
// lacks the characters that are absent.
var legacy = map[string]map[rune]string{
	"euc-kr":       {'\u2020': "\xa2\xd3"},
	"windows-1252": {'\u2020': "\x86"},
	"iso-2022-jp":  {'\u203e': "\x1b(J~\x1b(B"},
	"shift_jis":    {'\u2212': "\x81|"},
}

// Each input of the suite is encoded in a query by each encoding, and in a fragment as UTF-8.
func TestPercentEncoding(t *testing.T) {
	for _, test := range cases[struct {
		Input  string
		Output map[string]string
	}](t, "percent-encoding.json") {
		for name, want := range test.Output {
			p := Parser{}
			if name != "utf-8" {
				p.Encode = func(r rune) ([]byte, rune) {
					encoded, ok := legacy[name][r]
					switch {
					case ok:
						return []byte(encoded), 0
					case name == "iso-2022-jp" && r == 0x0e:
						return nil, '\uFFFD'
					case r < 0x80:
						return []byte{byte(r)}, 0
					}
					return nil, r
				}
			}
			u, err := p.Parse("http://doesnotmatter.invalid/?" + test.Input + "#" + test.Input)
			if err != nil {
				t.Errorf("Parse of a URL with %q: %v", test.Input, err)
				continue
			}
			query, _ := u.Query()
			if fragment, _ := u.Fragment(); query != want || fragment != test.Output["utf-8"] {
				t.Errorf("%q in %s = ?%s#%s, want ?%s#%s", test.Input, name, query, fragment, want, test.Output["utf-8"])
			}
		}
	}
}

// The machine does not change a text that readHref accepts. The texts are all inputs, bases and hrefs of the published
// suite.
func TestHrefOfSuite(t *testing.T) {
	fast := 0
	for _, test := range cases[parseCase](t, "urltestdata.json") {
		for _, s := range []string{test.Input, test.Href} {
			var m machine
			err := m.parse(s)
			slow := m.url.href(m.path.bytes(), s)
			if glance(s) {
				fast++
				if err != nil || slow != s {
					t.Errorf("readHref(%q) = true, but the machine makes %q, %v", s, slow, err)
				}
			}
			if u, parseErr := Parse(s); (err == nil) != (parseErr == nil) || err == nil && u.String() != slow {
				t.Errorf("Parse(%q) = %q, %v, but the machine makes %q, %v", s, u, parseErr, slow, err)
			}
		}
	}
	if fast < 100 {
		t.Errorf("readHref accepts %d texts, want at least 100", fast)
	}
}
