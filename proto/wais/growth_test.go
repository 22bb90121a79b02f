package wais_test

import (
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/growth"
	"locus/url"
)

// The cost of an answer grows no faster than the answer.
func TestGrowth(t *testing.T) {
	hit := group(150, group(116, "\x01\x01o")+group(123, "One"))
	for _, test := range []struct{ name, url, piece string }{
		{"hits", "wais://h/db?x", hit},
		{"unknown elements", "wais://h/db?x", group(200, "unknown")},
		{"empty hits", "wais://h/db?x", group(150, "")},
		{"fields of a hit", "wais://h/db?x", group(116, "\x01\x01o")},
		{"diagnostics", "wais://h/db?x", diagnostic("SF", outOfRange)},
		{"texts", "wais://h/db/TEXT/x", text("hello")},
		{"lines of a source", "wais://h/db/WSRC/x", text(" :a \"b\"")},
	} {
		growth.Check(t, test.name, 100, func(n int) func() {
			server := accesstest.ServeAll(t, answering(func(string) string { return response(strings.Repeat(test.piece, n)) }))
			return func() {
				if r, err := client(server.Dial).Do(t.Context(), &access.Request{URL: url.MustParse(test.url)}); err == nil {
					readAll(r)
				}
			}
		})
	}
}

// readAll reads the entries, or else the bytes, of r.
func readAll(r *access.Resource) {
	defer r.Body.Close()
	if r.List == nil {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
		return
	}
	_ = access.Entries(r.List, func(access.Entry) error { return nil })
}
