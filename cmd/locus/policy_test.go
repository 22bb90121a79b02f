package main

import (
	"slices"
	"testing"

	"locus"
)

// The policy "public" opens the schemes that a public Client opens.
func TestFetching(t *testing.T) {
	got := slices.Sorted(slices.Values(fetching))
	if want := (&locus.Client{Public: true}).Schemes(); !slices.Equal(got, want) {
		t.Errorf("fetching = %q, want %q", got, want)
	}
}
