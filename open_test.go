package locus_test

import (
	"errors"
	"testing"

	"locus"
	"locus/access"
)

// Without an Opener nothing is opened.
func TestOpenNothing(t *testing.T) {
	if _, err := locus.Open(t.Context(), nil, "http://h/"); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Open without an Opener = %v, want %v", err, access.ErrNoScheme)
	}
	if _, err := locus.Client(nil).Get("http://h/"); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Client(nil).Get = %v, want %v", err, access.ErrNoScheme)
	}
}
