package archive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Captures yields the URLs of an archive in order, with the time, the type and the status of the
// capture that is opened.
func TestCaptures(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
	const gone = "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\ngone"
	var text strings.Builder
	for _, test := range []struct{ target, date, response string }{
		{"http://h/b", "2024-05-03T10:00:00Z", page},
		{"http://h/a", "2024-05-04T10:00:00Z", page},
		{"http://h/a", "2024-05-05T10:00:00Z", page},
		{"http://h/c", "2024-05-06T10:00:00Z", gone},
	} {
		fmt.Fprintf(&text, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			test.target, test.date, len(test.response), test.response)
	}
	a, _ := openText(t, "x.warc", text.String())
	var got []string
	for e := range a.Captures() {
		line := e.Title + " " + e.Type + " " + e.ModTime.Format("2006-01-02")
		for _, f := range e.Header {
			line += " " + f.Name + "=" + f.Value
		}
		got = append(got, line)
	}
	want := []string{"http://h/a text/html 2024-05-05 Captures=2", "http://h/b text/html 2024-05-03", "http://h/c text/plain 2024-05-06 Status=404"}
	if !slices.Equal(got, want) {
		t.Errorf("Captures yields\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for text, want := range map[string]string{"http://h/a": "2024-05-05", "http://h/a#f": "2024-05-05", "http://h/c": "2024-05-06", "http://h/none": ""} {
		at, ok := a.Recorded(parse(t, text))
		if ok != (want != "") || ok && at.Format("2006-01-02") != want {
			t.Errorf("Recorded(%s) = %v, %v, want %q", text, at, ok, want)
		}
	}
}
