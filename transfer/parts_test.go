package transfer

import (
	"os"
	"strings"
	"testing"
)

// A link in place of a part, its state or the file stays, and its target is not changed.
func TestGetLinks(t *testing.T) {
	for _, link := range []string{"f", "f.part", "f.part.json", "f.part.json.new"} {
		t.Run(link, func(t *testing.T) {
			outside := t.TempDir()
			fill(t, outside, map[string]string{"secret": "secret"})
			root, dir := folder(t)
			if err := os.Symlink(outside+"/secret", dir+"/"+link); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			s := &store{text: noise(400_000)}
			_, err := Get(t.Context(), s, request("http://h/"), root, "f", Options{Continue: true, Retry: hasty})
			if refused := !strings.Contains(link, "json"); (err != nil) != refused {
				t.Errorf("Get = %v, want an error: %v", err, refused)
			}
			compareTrees(t, contents(t, outside), map[string]string{"secret": "secret"})
			if got := contents(t, dir); err != nil && got[link] != "-> "+outside+"/secret" || err == nil && got["f"] != s.text {
				t.Errorf("there is %.100q", got)
			}
		})
	}
}
