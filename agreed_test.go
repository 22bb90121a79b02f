package locus

import (
	"context"
	"errors"
	"net"
	"testing"

	"locus/compare"
)

// A URL in which parsers read different hosts is refused before the Client dials.
func TestClientPublicAgrees(t *testing.T) {
	dialled := false
	dial := func(context.Context, string, string) (net.Conn, error) {
		dialled = true
		return nil, errors.New("dialled")
	}
	for _, test := range []struct {
		url     string
		refused bool
	}{
		{"http://192.0.43.8/", false},
		{"http://expected.example:secret@192.0.43.8/", false},
		{"ftp://192.0.43.8/a%2Fb;type=i", false},
		{"gopher://192.0.43.8/0x", false},
		{"http://2130706433/", true},
		{"http://0x7f.1/", true},
		{"http://127.1/", true},
	} {
		dialled = false
		c := &Client{Dial: dial, Public: true}
		_, err := c.Open(t.Context(), test.url)
		if _, differ := errors.AsType[*compare.Disagreement](err); differ != test.refused || dialled == test.refused {
			t.Errorf("Open(%q) = %v after dialling: %v, want it refused: %v", test.url, err, dialled, test.refused)
		}
	}
}
