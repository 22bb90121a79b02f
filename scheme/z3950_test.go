package scheme_test

import (
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// z3950JSON returns the JSON of a view. The parts that are not given are absent.
func z3950JSON(parts map[string]string) string {
	var b strings.Builder
	for i, name := range []string{"user", "password", "databases", "docid", "query", "scan", "sort", "record", "from", "esn", "rs", "extensions"} {
		value := map[string]string{"databases": "[]", "rs": "[]", "extensions": "[]"}[name]
		if value == "" {
			value = "null"
		}
		if given, ok := parts[name]; ok {
			value = given
		}
		b.WriteString([2]string{"{", ","}[min(i, 1)] + `"` + name + `":` + value)
	}
	return b.String() + "}"
}

// The examples and the grammar of RFC 2056, and the extensions.
func TestZ3950(t *testing.T) {
	type parts = map[string]string
	testViews(t, []viewCase{
		{"z39.50s://h", z3950JSON(nil), "z39.50s://h/"},
		{"z39.50s://h:210/", z3950JSON(nil), ""},
		{"z39.50s://melvyl.ucop.edu/cat", z3950JSON(parts{"databases": `["cat"]`}), ""},
		{"z39.50r://melvyl.ucop.edu/mags?elecworld.v30.n19", z3950JSON(parts{"databases": `["mags"]`, "docid": `"elecworld.v30.n19"`}), ""},
		{"z39.50r://cnidr.org:2100/tmf?bkirch_rules__a1;esn=f;rs=marc", z3950JSON(parts{
			"databases": `["tmf"]`, "docid": `"bkirch_rules__a1"`, "esn": `"f"`, "rs": `["marc"]`,
		}), ""},
		{"z39.50s://h/a%2Bb+c/d?e+f%3Bg?h;RS=usmarc+sutrs;ESN=B", z3950JSON(parts{
			"databases": `["a+b","c/d"]`, "docid": `"e+f;g?h"`, "esn": `"B"`, "rs": `["usmarc","sutrs"]`,
		}), "z39.50s://h/a%2Bb+c%2Fd?e%2Bf%3Bg%3Fh;esn=B;rs=usmarc+sutrs"},
		{"z39.50s://h/d?", z3950JSON(parts{"databases": `["d"]`, "docid": `""`}), ""},
		{"z39.50s://u:p@h/d;query=sea%20charts", z3950JSON(parts{
			"user": `"u"`, "password": `"p"`, "databases": `["d"]`, "query": `"sea charts"`,
		}), ""},
		{"z39.50s://h/d;query=@attr%201=4%20x+y;sort=title,-date;record=17", z3950JSON(parts{
			"databases": `["d"]`, "query": `"@attr 1=4 x+y"`, "sort": `"title,-date"`, "record": "17",
		}), "z39.50s://h/d;query=@attr%201%3D4%20x%2By;sort=title,-date;record=17"},
		{"z39.50s://h/d;scan=a/b", z3950JSON(parts{"databases": `["d"]`, "scan": `"a/b"`}), "z39.50s://h/d;scan=a%2Fb"},
		{"z39.50s://h/d;esn=;rs=;later=1;later=2=3", z3950JSON(parts{
			"databases": `["d"]`, "extensions": `[{"name":"later","value":"1"},{"name":"later","value":"2=3"}]`,
		}), "z39.50s://h/d;later=1;later=2%3D3"},
		{"z39.50s://h/d;query=x;from=201", z3950JSON(parts{"databases": `["d"]`, "query": `"x"`, "from": "201"}), ""},
		{text: "z39.50s:/‸d"},
		{text: "z39.50s://‸/d"},
		{text: "z39.50s://h‸?d"},
		{text: "z39.50s://h:‸0/d"},
		{text: "z39.50s://h/‸+a"},
		{text: "z39.50s://h/a+‸"},
		{text: "z39.50s://h/a++b"[:len("z39.50s://h/a+")] + "‸+b"},
		{text: "z39.50s://h/a;esn‸"},
		{text: "z39.50s://h/a;‸=b"},
		{text: "z39.50s://h/a;esn=F;‸esn=B"},
		{text: "z39.50s://h/a;rs=x;‸rs=y"},
		{text: "z39.50s://h/a?b;‸query=c"},
		{text: "z39.50s://h/a;query=c;‸scan=d"},
		{text: "z39.50s://h/a;query=c;record=‸0"},
		{text: "z39.50s://h/a;query=c;record=‸-1"},
		{text: "z39.50s://h/a;record=1;record=‸2"},
		{text: "z39.50s://h/a;record=‸99999999999999999999"},
	})
}

// Judge checks URLs by RFC 2056, which has no login and allows extensions.
func TestJudgeZ3950(t *testing.T) {
	for _, text := range []string{
		"z39.50s://h", "z39.50s://h/", "z39.50r://h:210/a+b?c.d;esn=F;rs=x+y", "z39.50s://h/d;query=@attr%201=4%20x;record=3", "z39.50r://h:210/a+b?c.d;esn=F;rs=x+y", "z39.50s://h/d;query=@attr%201=4%20x;record=3",
		"z39.50s://h/a;rs=x;esn=y", "z39.50r://h/a%2Fb",
	} {
		if _, err := scheme.Read(url.RFC1738, text); err != nil {
			t.Errorf("Read(%q) = %v, want no error", text, err)
		}
	}
	for _, text := range []string{
		"z39.50s:/‸d", "z39.50s://u‸@h/d", "z39.50s://h/a‸/b", "z39.50s://h/a?b‸?c", "z39.50s://h/a;‸=b", "z39.50s://h/a;esn‸", "z39.50s://h‸?a",
	} {
		text, offset := marked(t, text)
		_, err := scheme.Read(url.RFC1738, text)
		wantOffset(t, "Read", text, err, offset)
	}
}

// A "+" between databases differs from "%2B". The default port and an empty path make no difference.
func TestZ3950Equivalent(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"z39.50s://h", "z39.50s://H:210/", true},
		{"z39.50r://h/%61", "z39.50r://h/a", true},
		{"z39.50s://h/a+b", "z39.50s://h/a%2Bb", false},
		{"z39.50s://h/a?b", "z39.50s://h/a%3Fb", false},
		{"z39.50s://h/a;esn=b", "z39.50s://h/a%3Besn=b", false},
		{"z39.50s://h/a", "z39.50r://h/a", false},
	} {
		if got := equivalent(url.MustParse(test.a), url.MustParse(test.b)); got != test.want {
			t.Errorf("equivalent(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
