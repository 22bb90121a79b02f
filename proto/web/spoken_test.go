package web_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"testing"

	"locus/proto/web"
)

func TestSpokenBy(t *testing.T) {
	clear := func(reply string) error {
		e := tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}
		copy(e.RecordHeader[:], reply)
		return fmt.Errorf("open https://h/: %w", e)
	}
	for _, test := range []struct {
		scheme string
		err    error
		want   string
	}{
		{"http", errors.New(`net/http: malformed HTTP response "220 welcome"`), "ftp"},
		{"http", errors.New(`net/http: malformed HTTP response "200 news.example InterNetNews"`), "news"},
		{"http", errors.New(`net/http: malformed HTTP response "hello"`), ""},
		{"https", clear("220 w"), "ftp"},
		{"https", clear("HTTP/"), "http"},
		{"https", clear("hello"), "http"},
		{"ftps", clear("hello"), "ftp"},
		{"https", errors.New("220 welcome"), ""},
	} {
		if got := web.SpokenBy(test.scheme, test.err); got != test.want {
			t.Errorf("SpokenBy(%q, %q) = %q, want %q", test.scheme, test.err, got, test.want)
		}
	}
}
