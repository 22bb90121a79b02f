package transfer

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/retry"
)

// The part of a resource without size and validator, such as a gopher text, is kept. A later
// run reads the resource from its start, and compares all of the part.
func TestContinueUnsized(t *testing.T) {
	text := noise(300_000)
	for _, test := range []struct {
		name    string
		cut     int
		between func(*store)
		resumed bool
		fails   error
	}{
		{"the same", 200_000, func(*store) {}, true, nil},
		{"a few bytes", 10, func(*store) {}, true, nil},
		{"the whole alone", 200_000, func(s *store) { s.whole = true }, true, nil},
		{"another start", 200_000, func(s *store) { s.text = "x" + text[1:] }, false, nil},
		{"another end of the part", 200_000, func(s *store) { s.text = text[:199_999] + "x" + text[200_000:] }, false, nil},
		{"shorter than the part", 200_000, func(s *store) { s.text = text[:100_000] }, false, nil},
		{"as long as the part", 200_000, func(s *store) { s.text = text[:200_000] }, true, nil},
		{"now with a size", 200_000, func(s *store) { s.noSize = false }, true, nil},
		{"now with a size, and other bytes", 200_000, func(s *store) { s.noSize, s.text = false, noise(300_001)[1:] }, false, nil},
		{"cut again, earlier", 200_000, func(s *store) { s.next = []step{{cut: 100_000}} }, false, io.ErrUnexpectedEOF},
	} {
		root, dir := folder(t)
		s := &store{text: text, noSize: true, next: []step{{cut: test.cut}}}
		opts := Options{Continue: true, Split: 3, SplitSize: 1000, Retry: retry.Policy{Retries: -1}}
		if _, err := Get(t.Context(), s, request("gopher://u:secret@h/0"), root, "f", opts); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%s: %v, want an early end", test.name, err)
		}
		left := contents(t, dir)
		if _, ok := left["f"]; ok || left["f.part"] != text[:test.cut] || strings.Contains(left["f.part.json"], "secret") {
			t.Errorf("%s: an early end leaves %d bytes of the part and %q", test.name, len(left["f.part"]), left["f.part.json"])
		}
		test.between(s)
		s.asked = nil
		result, err := Get(t.Context(), s, request("gopher://u:secret@h/0"), root, "f", opts)
		if test.fails != nil {
			if left = contents(t, dir); !errors.Is(err, test.fails) || left["f.part"] != text[:test.cut] {
				t.Errorf("%s: %v, and %d bytes of the part, want %v and %d", test.name, err, len(left["f.part"]), test.fails, test.cut)
			}
			continue
		}
		if got := contents(t, dir); err != nil || len(got) != 1 || got["f"] != s.text {
			t.Errorf("%s: %d bytes, %v, %d files, want %d bytes", test.name, len(got["f"]), err, len(got), len(s.text))
		}
		if (result.Resumed == int64(test.cut)) != test.resumed || result.Resumed != 0 && !test.resumed {
			t.Errorf("%s: %d bytes of an earlier run, want it to be resumed: %v", test.name, result.Resumed, test.resumed)
		}
		if offsets := offsetsOf(s.asked); offsets[0] != 0 || slices.Max(offsets) != 0 {
			t.Errorf("%s: it is read from %d, want its start", test.name, offsets)
		}
	}
}

func offsetsOf(asked []access.Request) (all []int64) {
	for _, req := range asked {
		all = append(all, req.Offset)
	}
	return all
}

// Without Continue the part of such a resource is removed at the start of the next run.
func TestUnsizedWithoutContinue(t *testing.T) {
	root, dir := folder(t)
	s := &store{text: noise(9000), noSize: true, next: []step{{cut: 5000}, {cut: 4000}}}
	opts := Options{Retry: retry.Policy{Retries: -1}}
	for range 2 {
		if _, err := Get(t.Context(), s, request("gopher://h/0"), root, "f", opts); err == nil {
			t.Fatal("it did not break off")
		}
	}
	if left := contents(t, dir); left["f.part"] != s.text[:4000] {
		t.Errorf("%d bytes of the part are left, want those of the second run", len(left["f.part"]))
	}
	if _, err := Get(t.Context(), s, request("gopher://h/0"), root, "f", opts); err != nil {
		t.Error(err)
	}
	if got := contents(t, dir); len(got) != 1 || got["f"] != s.text {
		t.Errorf("%d bytes in %d files, want the whole alone", len(got["f"]), len(got))
	}
}
