package autoindex_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/internal/autoindex"
)

func TestIs(t *testing.T) {
	for _, test := range []struct {
		page string
		want bool
	}{
		{"<html><head><title>Index of /pub/</title></head>", true},
		{"<!DOCTYPE html><meta charset=utf-8><TITLE>\n index OF /\n</TITLE>", true},
		{"<html><title>Directory listing for /pub/</title>", true},
		{"<pre>\n<a href=\"a\">a</a>", true},
		{"<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n<a href=a>", true},
		{"<!doctype html>\n<pre>\n</pre>\n", true},
		{"<meta charset=utf-8 /><pre><a href=x>", true},
		{"<html><pre>", false},
		{"<p>x<pre>", false},
		{"<br/><pre>", false},
		{"<html><title>The index of forbidden books</title><h1>Index of /</h1>", false},
		{"<title></title>Index of /", false},
		{"<title>x</title><svg><title>Index of /</title></svg>", false},
		{`<title>pub</title><a href="">/</a><a class="icon" href="?sort=namedirfirst&amp;order=asc">`, true},
		{`<title>pub</title><a href="?sort=name&order=asc">`, false},
		{"<title><!-- -->Index of /", false}, // a title contains only text
		{"<p>Index of /pub/", false},
		{"<title>Index", false},
		{"<title>" + strings.Repeat(" ", 100) + "Index of /x</title>", true},
		{"Index of /", false},
		{"<title>h - /pub/</title></head><body><H1>h - /pub/</H1><hr>\r\n\r\n<pre><A HREF=\"/\">", true},
		{"<title>Directory Listing For [/pub/]</title>", true}, // Tomcat
		{"<title>Directory: /pub/</title>", true},              // Jetty
		{"<title>Directory: of our members</title>", false},
		{"<title>Index of names</title><a href=a>a</a><a href=b>b</a>", false},
		{"<title>Index of the /r/golang threads</title><a href=a>a</a>", false},
		{"<title>Directory listing of members</title><a href=a>a</a>", false},
		{"<title>h - /pub/</title><h1>h - /pub/</h1><p><a href=a>a</a>", false},
		{"<title>h - /pub/</title><h1>pub</h1><hr><pre><a href=a>a</a>", false},
		{"<title>My site - /</title><h1>My site - /</h1><hr><pre><a href=a>a</a>", false},
		{"<pre>Some notes\n<a href=a>a</a>", false},
		{"<pre><b><a href=a>a</a>", false},
		{"<pre", false},
		{"", false},
	} {
		if got := autoindex.Is([]byte(test.page)); got != test.want {
			t.Errorf("%.60q: %v, want %v", test.page, got, test.want)
		}
	}
}

// The pages of Caddy 2.6.2 were recorded from "caddy file-server --browse".
func TestCaddy(t *testing.T) {
	for _, name := range []string{"caddy.html", "caddy_root.html"} {
		page, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if !autoindex.Is(page[:min(len(page), autoindex.HeadSize)]) {
			t.Errorf("Is(%s) = false, want true", name)
		}
		if other := bytes.ReplaceAll(page, []byte("namedirfirst"), []byte("price")); autoindex.Is(other) {
			t.Errorf("%s with another order is a listing", name)
		}
	}
}
