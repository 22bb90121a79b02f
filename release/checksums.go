package main

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// checksums writes checksums.txt, which lists the SHA-256 of each file to publish in the format of
// sha256sum.
func (r *release) checksums(context.Context) error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		text.WriteString(sums[name] + "  " + name + "\n")
	}
	return write(r.file("checksums.txt"), []byte(text.String()), 0o644)
}
