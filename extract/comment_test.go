package extract

import (
	"slices"
	"strings"
	"testing"
)

// A URL in a comment of CSS or JavaScript ends before the end of the comment.
func TestCommentEnds(t *testing.T) {
	far := strings.Repeat("x", commentReach)
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"/*! name v1 | https://h.example*/*,:after{color:red}", []string{"https://h.example"}},
		{"/*! name | http://h/license*/body{margin:0}", []string{"http://h/license"}},
		{"/*!http://h/a*/", []string{"http://h/a"}},
		{"/* http://h/*/.b{}", []string{"http://h/"}},
		{"/* http://h/a.*/b", []string{"http://h/a"}},
		{"/* http://h:80*/b", []string{"http://h:80"}},
		{"/* http://u@h*/b http://h/c*/d", []string{"http://u@h", "http://h/c*/d"}},
		{"/* http://h/a(b*/c)", []string{"http://h/a"}},
		{"/* http://h/a**/b", []string{"http://h/a"}},
		{"/* http://h/a?b=c*/d", []string{"http://h/a?b=c"}},
		{"/* http://h/a#b*/d /* mailto:a@b.c*/d", []string{"http://h/a#b", "mailto:a@b.c"}},
		{"a{}/* URL:http://h/a*/b", []string{"http://h/a"}},
		{"/*\n * see\n * http://h/a*/b{c:url(http://h/d*/e)}", []string{"http://h/a", "http://h/d*/e"}},
		{"/*/ http://h/a*/b", []string{"http://h/a"}},
		{"/**/ http://h/a*/b", []string{"http://h/a*/b"}},
		{"/*" + far[2:] + " http://h/a*/b", []string{"http://h/a*/b"}}, // the comment begins too far away
		{"/*" + far[3:] + " http://h/a*/b", []string{"http://h/a"}},

		// patterns
		{"http://h/*/b http://h/a*/b http://*.h/*", []string{"http://h/*/b", "http://h/a*/b", "http://*.h/"}},
		{"allow http://g/*/x and http://h/a*/b", []string{"http://g/*/x", "http://h/a*/b"}},
		{"src/*.js at http://h/a*/b", []string{"http://h/a*/b"}},
	} {
		var got []string
		for _, m := range collect(t, test.in, Options{}) {
			got = append(got, m.Text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("the URLs in %q are %q, want %q", test.in, got, test.want)
		}
	}
}

// In Markdown the marks of emphasis are not a part of the URL before them, and a dash is (GFM §6.9).
func TestMarkdownOption(t *testing.T) {
	for _, test := range []struct{ in, plain, markdown string }{
		{"~~http://h/a~~", "http://h/a~~", "http://h/a"},
		{"_http://h/a_", "http://h/a_", "http://h/a"},
		{"__http://h/a__,", "http://h/a__", "http://h/a"},
		{"**_http://h/a_**", "http://h/a_", "http://h/a"},
		{"_~~http://h~~_", "http://h~~_", "http://h"},
		{"_http://h:80_", "", "http://h:80"},
		{"_http://h/a_.", "http://h/a_", "http://h/a"},
		{"http://h/~a/b_c_d/", "http://h/~a/b_c_d/", "http://h/~a/b_c_d/"},
		{"http://h/a— b", "http://h/a", "http://h/a—"},
		{"http://h/a–", "http://h/a", "http://h/a–"},
		{"http://h/a—b", "http://h/a—b", "http://h/a—b"},
		{"~~http://~~", "", ""},
	} {
		for markdown, want := range map[bool]string{false: test.plain, true: test.markdown} {
			got := ""
			for _, m := range collect(t, test.in, Options{Markdown: markdown}) {
				got += m.Text
			}
			if got != want {
				t.Errorf("the URL in %q with Markdown = %v is %q, want %q", test.in, markdown, got, want)
			}
		}
	}
}
