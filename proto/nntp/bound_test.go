package nntp

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/url"
)

// A spool with too many files is refused.
func TestSpoolOfTooManyFiles(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 4 {
		files[fmt.Sprintf("misc/test/%d", i+1)] = &fstest.MapFile{Data: fmt.Appendf(nil, "Message-ID: <%d@h>\n\n", i)}
	}
	s := NewSpool(files)
	for most, want := range map[int]error{4: nil, 3: access.ErrTooLong} {
		s.index.maxFiles = most
		r, err := Client{Spool: s}.Do(t.Context(), &access.Request{URL: url.MustParse("news:misc.test")})
		if !errors.Is(err, want) {
			t.Errorf("with room for %d files Open = %v, want %v", most, err, want)
		}
		if err == nil {
			r.Body.Close()
		}
	}
}

// Long header fields are cut, so that memory does not grow with them.
func TestSpoolOfLongHeaders(t *testing.T) {
	long := strings.Repeat("x", 30<<10)
	groups := "misc.test" + strings.Repeat(",misc.test.of.long.lists", 1000)
	files := fstest.MapFS{}
	const articles = 200 // with headers of 29 MB
	data := fmt.Appendf(nil, "Subject: %s\nFrom: %s\nDate: %s\nReferences: %s\nNewsgroups: %s\nMessage-ID: ", long, long, long, long, groups)
	for i := range articles {
		files[fmt.Sprintf("%d", i)] = &fstest.MapFile{Data: append(data[:len(data):len(data)], fmt.Sprintf("<%d@h>\n\n", i)...)}
	}
	files["long"] = &fstest.MapFile{Data: append(data[:len(data):len(data)], "<"+long+"@h>\n\n"...)}
	s := NewSpool(files)
	before := heap()
	kept, err := s.index.all(t.Context(), files)
	if used := int64(heap()) - int64(before); len(kept) != articles || err != nil || used > articles*8<<10 {
		t.Errorf("%d articles, %v, take %d KiB", len(kept), err, used>>10)
	}
	for _, a := range kept {
		for _, group := range a.groups() {
			if group != "misc.test" && group != "misc.test.of.long.lists" {
				t.Fatalf("an article is in %q", group)
			}
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
