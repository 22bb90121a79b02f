package transfer

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/spill"
	"locus/url"
)

// A mirror resumes the part of an earlier run, whatever its name, if part and state
// are of the same run. Nothing of that run is left.
func TestMirrorLeft(t *testing.T) {
	key := spill.HashOf("ftp://h/f;type=i")
	of := stateDir + "/" + hex.EncodeToString(key[:])
	text, old := noise(300_000), strings.Repeat("x", 300_000)
	changed := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	const (
		some = `{"url":"ftp://h/f;type=i","size":300000,"modified":"2026-03-04T05:06:07Z"}`
		all  = `{"url":"ftp://h/f;type=i","size":300000,"modified":"2026-03-04T05:06:07Z","done":[[0,300000]]}`
	)
	for _, test := range []struct {
		name string
		left map[string]string
		from int64 // where it begins
	}{
		{"an older version", map[string]string{of + ".part": text[:200_000], of + ".part.json": some}, 200_000 - overlap},
		{"another run", map[string]string{of + ".AB.part": text[:200_000], of + ".AB.part.json": some}, 200_000 - overlap},
		{"no state", map[string]string{of + ".AB.part": old[:200_000]}, 0},
		{"no part", map[string]string{of + ".AB.part.json": all}, 0},
		{"the state of another run", map[string]string{of + ".AB.part": old, of + ".AC.part.json": all}, 0},
		{"two runs", map[string]string{of + ".AB.part": old, of + ".AC.part": text[:100_000], of + ".AC.part.json": some}, 100_000 - overlap},
		{"of something else", map[string]string{stateDir + "/00.AB.part": old, stateDir + "/00.AB.part.json": all}, 0},
		{"half a state", map[string]string{of + ".AB.part": old, of + ".AB.part.json.new": all}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, dir := folder(t)
			fill(t, dir, test.left)
			list := &shelf{files: map[string]string{"f": text}}
			s := &store{text: text, version: access.Validator{ModTime: changed}}
			o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				if req.URL.Path() == "/" {
					return list.Do(ctx, req)
				}
				return s.Do(ctx, req)
			})
			var log eventLog
			report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Event: log.add}})
			if err != nil || report.Files != 1 || report.Failed > 0 {
				t.Errorf("Mirror = %+v, %v: %v", report, err, log.of(Failed))
			}
			if len(s.asked) == 0 || s.asked[0].Offset != test.from {
				t.Errorf("asked for %+v, want it from %d", s.asked, test.from)
			}
			compareTrees(t, contents(t, dir), map[string]string{"f": text})
			if _, err := root.Lstat(stateDir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want it to be gone", stateDir, err)
			}
		})
	}
}
