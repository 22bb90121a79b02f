package scheme_test

import (
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.6-1, 1630-news-1
func TestNews(t *testing.T) {
	const all = `{"kind":"all","group":null,"message_id":null}`
	testViews(t, []viewCase{
		{"news:*", all, ""},
		{"news:*#f", all, "news:*"},
		{"news://h", all, "news://h/*"},
		{"news://h/", all, "news://h/*"},
		{"news://h:119/*", all, ""},
		{"news:comp.lang.c++", `{"kind":"group","group":"comp.lang.c++","message_id":null}`, ""},
		{"news:a%2Eb", `{"kind":"group","group":"a.b","message_id":null}`, "news:a.b"},
		{"news:1.2", `{"kind":"group","group":"1.2","message_id":null}`, ""},
		{"snews://h/a.b", `{"kind":"group","group":"a.b","message_id":null}`, ""},
		{"news:a@b", `{"kind":"article","group":null,"message_id":"a@b"}`, ""},
		{"news:a%40b", `{"kind":"article","group":null,"message_id":"a@b"}`, "news:a@b"},
		{"news:a/b?c;d=e%25@f", `{"kind":"article","group":null,"message_id":"a/b?c;d=e%@f"}`, "news:a%2Fb%3Fc%3Bd%3De%25@f"},
		{"news://h/a@b", `{"kind":"article","group":null,"message_id":"a@b"}`, ""},
		{"news:%22a@b%22@c", `{"kind":"article","group":null,"message_id":"\"a@b\"@c"}`, ""},
		{text: "news:‸"},
		{text: "news://‸/a"},
		{text: "news://u‸@h/a"},
		{text: "news://h:‸0/a"},
		{text: "news://h‸?a"},
		{text: "news:a‸%20b"},
		{text: "news:a‸/b"},
		{text: "news:a.‸*"},
		{text: "news:‸%3Ca@b%3E"},
		{text: "news:a‸%0D%0A@b"},
		{text: "news:‸@b"},
		{text: "news:a@‸"},
	})
}

// JSON of a view that a program makes has the name of the kind, even for an unknown kind.
func TestNewsKind(t *testing.T) {
	for k, want := range []string{"all", "group", "article", ""} {
		if got := asJSON(t, scheme.News{Kind: scheme.NewsKind(k)}); !strings.HasPrefix(got, `{"kind":"`+want+`",`) {
			t.Errorf("JSON of News with kind %d = %s, want the kind %q", k, got, want)
		}
	}
}

// req: 1738-3.7-1
func TestNNTP(t *testing.T) {
	testViews(t, []viewCase{
		{"nntp://h/a", `{"group":"a","number":null}`, ""},
		{"nntp://h:119/a.b/4711", `{"group":"a.b","number":4711}`, ""},
		{"nntp://h/a/0", `{"group":"a","number":0}`, ""},
		{"nntp://h/a/007", `{"group":"a","number":7}`, "nntp://h/a/7"},
		{"nntps://h/a/18446744073709551615", `{"group":"a","number":18446744073709551615}`, ""},
		{"nntp:a/1", `{"group":"a","number":1}`, ""},
		{"nntp:a", `{"group":"a","number":null}`, ""},
		{"nntp://h/%61", `{"group":"a","number":null}`, "nntp://h/a"},
		{text: "nntp://‸/a"},
		{text: "nntp://h‸"},
		{text: "nntp://h/‸"},
		{text: "nntp:‸"},
		{text: "nntp:‸/a"},
		{text: "nntp://h/a/‸"},
		{text: "nntp://h/a/‸x"},
		{text: "nntp://h/a/1‸-2"},
		{text: "nntp://h/a/1‸/"},
		{text: "nntp://h/a/‸18446744073709551616"},
		{text: "nntp://h/a‸?b"},
		{text: "nntp://h/a‸%0D%0Ab/1"},
		{text: "nntp://h/a‸@b/1"},
		{text: "nntp://u‸@h/a/1"},
		{text: "nntp://h:‸65536/a"},
	})
	for _, test := range []struct {
		text string
		want scheme.NNTP
	}{
		{"nntp://h:1190/a/0", scheme.NNTP{Scheme: "nntp", Host: scheme.Host{Name: "h", Port: 1190}, Group: "a", Article: true}},
		{"nntp:a/1", scheme.NNTP{Scheme: "nntp", Group: "a", Number: 1, Article: true}},
	} {
		if got, err := scheme.ParseNNTP(url.MustParse(test.text)); err != nil || got != test.want {
			t.Errorf("ParseNNTP(%q) = %+v, %v; want %+v", test.text, got, err, test.want)
		}
	}
}
