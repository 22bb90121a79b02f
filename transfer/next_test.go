package transfer

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// A shelf is an Opener of files in one ftp directory that notes what is asked
// for, and what is said to be next.
type shelf struct {
	files map[string]string
	kinds map[string]access.Kind // Object unless it says otherwise
	blind map[string]bool        // the listing does not tell how long it is

	mu    sync.Mutex
	asked []string // "a>b" is a, of which b was said to be next
}

func (s *shelf) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(req.URL.Path(), "/"), ";type=i")
	changed := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if name == "" {
		var entries []access.Entry
		for name, text := range s.files {
			e := access.Entry{Title: name, URL: url.MustParse("ftp://h/" + name), Kind: access.Object, Size: int64(len(text)), ModTime: changed}
			if kind, ok := s.kinds[name]; ok {
				e.Kind = kind
			}
			if s.blind[name] {
				e.Size = -1
			}
			entries = append(entries, e)
		}
		slices.SortFunc(entries, func(a, b access.Entry) int { return strings.Compare(a.Title, b.Title) })
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: &dir{entries: entries}}, nil
	}
	asked := name
	if req.Next != nil {
		asked += ">" + strings.TrimSuffix(strings.TrimPrefix(req.Next.URL.Path(), "/"), ";type=i")
		if req.Next.Known == nil || req.Next.Known.Size < 0 || !req.Next.Known.ModTime.Equal(changed) {
			asked += "?"
		}
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	s.mu.Unlock()
	text := s.files[name]
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(len(text)), ModTime: changed}, Body: io.NopCloser(strings.NewReader(text))}, nil
}

// A mirror says what it will ask for next, if it is sure of that.
func TestMirrorNext(t *testing.T) {
	large := strings.Repeat("x", small+1)
	for _, tt := range []struct {
		name  string
		shelf *shelf
		here  map[string]string
		want  string
	}{
		{"all", &shelf{files: map[string]string{"a": "1", "b": "22", "c": "333"}}, nil, "a>b b>c c"},
		{"one", &shelf{files: map[string]string{"a": "1"}}, nil, "a"},
		{"here already", &shelf{files: map[string]string{"a": "1", "b": "22", "c": "333"}}, map[string]string{"b": "22"}, "a c"},
		{"here and old", &shelf{files: map[string]string{"a": "1", "b": "22", "c": "333"}}, map[string]string{"b": "old"}, "a b>c c"},
		{"large", &shelf{files: map[string]string{"a": "1", "b": large, "c": "333"}}, nil, "a>b b c"},
		{
			"of unknown size", &shelf{files: map[string]string{"a": "1", "b": "22", "c": "333"}, blind: map[string]bool{"b": true}}, nil,
			"a>b? b c",
		},
		{
			"a link", &shelf{files: map[string]string{"a": "1", "b": "22", "c": "333"}, kinds: map[string]access.Kind{"b": access.Link}}, nil,
			"a b c",
		},
		{
			"something", &shelf{files: map[string]string{"a": "1", "b": "22", "c": "333"}, kinds: map[string]access.Kind{"b": access.Unknown}}, nil,
			"a b c",
		},
		{
			"a part of an earlier run", &shelf{files: map[string]string{"a": "1", "b": "22"}},
			map[string]string{stateDir + "/left.part": "2"},
			"a b",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, name := folder(t)
			fill(t, name, tt.here)
			report, err := Mirror(t.Context(), tt.shelf, url.MustParse("ftp://h/"), root, MirrorOptions{Options: Options{Retry: hasty}})
			if err != nil || report.Failed > 0 {
				t.Fatalf("Mirror = %+v, %v", report, err)
			}
			if got := strings.Join(tt.shelf.asked, " "); got != tt.want {
				t.Errorf("asks for %s, want %s", got, tt.want)
			}
			compareTrees(t, contents(t, name), tt.shelf.files)
		})
	}
}
