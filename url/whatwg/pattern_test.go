package whatwg

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"locus/url"
)

// A patternCase is a case of the URLPattern suite.
type patternCase struct {
	Pattern                []json.RawMessage
	Inputs                 []json.RawMessage
	ExpectedObj            json.RawMessage `json:"expected_obj"`
	ExpectedMatch          json.RawMessage `json:"expected_match"`
	ExactlyEmptyComponents []string        `json:"exactly_empty_components"`
}

// A jsonInit is a PatternInit in the notation of the suite.
type jsonInit struct {
	Protocol, Username, Password, Hostname, Port, Pathname, Search, Hash, BaseURL *string
}

func (j *jsonInit) fields() [componentCount]*string {
	return [...]*string{j.Protocol, j.Username, j.Password, j.Hostname, j.Port, j.Pathname, j.Search, j.Hash}
}

func (j *jsonInit) init() PatternInit {
	part := func(s *string) url.Part {
		if s == nil {
			return url.Part{}
		}
		return url.Some(*s)
	}
	return PatternInit{
		Protocol: part(j.Protocol), Username: part(j.Username), Password: part(j.Password), Hostname: part(j.Hostname),
		Port: part(j.Port), Pathname: part(j.Pathname), Search: part(j.Search), Hash: part(j.Hash), BaseURL: part(j.BaseURL),
	}
}

// An argument is an argument of a constructor or a method in the suite.
type argument struct {
	isText bool
	text   string
	init   jsonInit
	raw    json.RawMessage
}

func argumentOf(t *testing.T, raw json.RawMessage) argument {
	t.Helper()
	a := argument{isText: raw[0] == '"', raw: raw}
	into := any(&a.init)
	if a.isText {
		into = &a.text
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return a
}

// newPattern calls the constructor with the arguments of the suite. It also returns the base and the components among
// them.
func newPattern(t *testing.T, args []json.RawMessage) (p *URLPattern, base string, init jsonInit, err error) {
	t.Helper()
	var options PatternOptions
	if n := len(args); n > 0 && strings.Contains(string(args[n-1]), `"ignoreCase"`) {
		options.IgnoreCase = strings.Contains(string(args[n-1]), "true")
		args = args[:n-1]
	}
	if len(args) == 0 {
		p, err = PatternInit{}.Pattern(options)
		return p, "", init, err
	}
	first := argumentOf(t, args[0])
	if len(args) > 1 {
		base = argumentOf(t, args[1]).text
	}
	switch {
	case first.isText:
		p, err = ParsePattern(first.text, base, options)
	case base != "":
		err = &PatternError{Reason: "a base beside a dictionary"}
	default:
		if first.init.BaseURL != nil {
			base = *first.init.BaseURL
		}
		p, err = first.init.init().Pattern(options)
	}
	return p, base, first.init, err
}

func TestURLPattern(t *testing.T) {
	expected := expectedFailures(t)
	for i, test := range cases[patternCase](t, "urlpatterntestdata.json") {
		text, _ := json.Marshal(test.Pattern)
		if slices.Contains(expected, string(text)) {
			continue
		}
		p, base, init, err := newPattern(t, test.Pattern)
		if string(test.ExpectedObj) == `"error"` {
			if err == nil {
				t.Errorf("case %d: the pattern %s = nil error, want an error", i, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("case %d: the pattern %s: %v", i, text, err)
			continue
		}
		checkComponents(t, test, p, base, init)
		checkMatch(t, test, p)
	}
}

// checkComponents compares the components of a pattern with the suite, in the same way as the suite's own runner.
func checkComponents(t *testing.T, c patternCase, p *URLPattern, base string, init jsonInit) {
	t.Helper()
	text, _ := json.Marshal(c.Pattern)
	var object jsonInit
	if c.ExpectedObj != nil {
		if err := json.Unmarshal(c.ExpectedObj, &object); err != nil {
			t.Fatal(err)
		}
	}
	var fromBase [componentCount]string
	if base != "" {
		f := FieldsOf(mustParse(t, base))
		fromBase = [...]string{
			strings.TrimSuffix(f.Protocol, ":"), "*", "*", f.Hostname, f.Port, f.Pathname,
			strings.TrimPrefix(f.Search, "?"), strings.TrimPrefix(f.Hash, "#"),
		}
	}
	given, objects := init.fields(), object.fields()
	for c2 := range Component(componentCount) {
		want := "*"
		earlier := false
		for _, before := range []Component{Protocol, Hostname, Port, Pathname, Search} {
			isLogin := c2 == Username || c2 == Password
			earlier = earlier || before < c2 && !isLogin && given[before] != nil
		}
		switch {
		case objects[c2] != nil:
			want = *objects[c2]
		case slices.Contains(c.ExactlyEmptyComponents, c2.String()):
			want = ""
		case given[c2] != nil:
			want = *given[c2]
		case earlier:
		case base != "":
			want = fromBase[c2]
		}
		if got := p.Component(c2); got != want {
			t.Errorf("%s: Component(%v) = %q, want %q", text, c2, got, want)
		}
	}
}

// checkMatch compares the match of a pattern with the suite.
func checkMatch(t *testing.T, c patternCase, p *URLPattern) {
	t.Helper()
	text, _ := json.Marshal([]any{c.Pattern, c.Inputs})
	if string(c.ExpectedMatch) == `"error"` || c.ExpectedMatch == nil {
		return // Go's types exclude an input of components with a base
	}
	var m PatternMatch
	var ok bool
	switch {
	case len(c.Inputs) == 0:
		m, ok = p.MatchInit(PatternInit{})
	case c.Inputs[0][0] == '"':
		base := ""
		if len(c.Inputs) > 1 {
			base = argumentOf(t, c.Inputs[1]).text
		}
		m, ok = p.MatchText(argumentOf(t, c.Inputs[0]).text, base)
	default:
		input := argumentOf(t, c.Inputs[0]).init
		m, ok = p.MatchInit(input.init())
	}
	if want := string(c.ExpectedMatch) != "null"; ok != want {
		t.Errorf("%s: match = %v, want %v", text, ok, want)
	}
	if !ok || string(c.ExpectedMatch) == "null" {
		return
	}
	var expected map[string]json.RawMessage
	if err := json.Unmarshal(c.ExpectedMatch, &expected); err != nil {
		t.Fatal(err)
	}
	for c2 := range Component(componentCount) {
		var want struct {
			Input  string
			Groups map[string]*string
		}
		if raw, ok := expected[c2.String()]; ok {
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
		} else if want.Groups = map[string]*string{}; !slices.Contains(c.ExactlyEmptyComponents, c2.String()) {
			want.Groups["0"] = new(string)
		}
		if m[c2].Input != want.Input {
			t.Errorf("%s: Input of %v = %q, want %q", text, c2, m[c2].Input, want.Input)
		}
		for name, value := range want.Groups {
			got, ok := m[c2].Groups[name]
			if ok != (value != nil) || ok && got != *value {
				t.Errorf("%s: group %s of %v = %q, %v, want %s", text, name, c2, got, ok, expected[c2.String()])
			}
		}
		for name := range m[c2].Groups {
			if _, ok := want.Groups[name]; !ok {
				t.Errorf("%s: %v has the group %q, want %s", text, c2, name, expected[c2.String()])
			}
		}
	}
}

func TestURLPatternCompare(t *testing.T) {
	for _, test := range cases[struct {
		Component   string
		Left, Right json.RawMessage
		Expected    int
	}](t, "urlpattern-compare-test-data.json") {
		left, _, _, err := newPattern(t, []json.RawMessage{test.Left})
		right, _, _, err2 := newPattern(t, []json.RawMessage{test.Right})
		if err != nil || err2 != nil {
			t.Fatalf("%v: %v %v", test, err, err2)
		}
		component := Component(slices.Index(componentNames[:], test.Component))
		if got := left.Compare(right, component); got != test.Expected {
			t.Errorf("Compare of the %s of %s and %s = %d, want %d", test.Component, test.Left, test.Right, got, test.Expected)
		}
		if got := right.Compare(left, component); got != -test.Expected {
			t.Errorf("Compare of the %s of %s and %s = %d, want %d", test.Component, test.Right, test.Left, got, -test.Expected)
		}
	}
}

func TestURLPatternGenerate(t *testing.T) {
	for _, test := range cases[struct {
		Pattern   json.RawMessage
		Component string
		Groups    map[string]string
		Expected  *string
	}](t, "urlpattern-generate-test-data.json") {
		p, _, _, err := newPattern(t, []json.RawMessage{test.Pattern})
		if err != nil {
			t.Fatalf("%s: %v", test.Component, err)
		}
		component := Component(componentCount)
		if i := slices.Index(componentNames[:], test.Component); i >= 0 {
			component = Component(i)
		}
		got, err := p.Generate(component, test.Groups)
		if (err == nil) != (test.Expected != nil) || err == nil && got != *test.Expected {
			t.Errorf("Generate of the %s of %s with %v = %q, %v, which differs from the suite", test.Component, test.Pattern, test.Groups, got, err)
		}
	}
}
