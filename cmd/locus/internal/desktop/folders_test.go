package desktop

import (
	"path/filepath"
	"testing"
)

func TestFolders(t *testing.T) {
	drive := filepath.VolumeName(t.TempDir()) // on Windows an absolute path begins with it
	for _, test := range []struct {
		system string
		env    map[string]string
		want   [5]string // home, cache, state, data, config
	}{
		{"linux", map[string]string{"HOME": "/h"}, [5]string{"/h", "/h/.cache", "/h/.local/state", "/h/.local/share", "/h/.config"}},
		{"linux", map[string]string{"XDG_CACHE_HOME": drive + "/c", "XDG_STATE_HOME": drive + "/s", "XDG_DATA_HOME": drive + "/d", "XDG_CONFIG_HOME": drive + "/e"}, [5]string{"", drive + "/c", drive + "/s", drive + "/d", drive + "/e"}},
		{"linux", map[string]string{"XDG_CACHE_HOME": "relative"}, [5]string{}}, // the specification ignores it
		{"darwin", map[string]string{"HOME": "/h"}, [5]string{"/h", "/h/Library/Caches", "/h/.local/state", "/h/.local/share", "/h/.config"}},
		{"windows", map[string]string{"USERPROFILE": "/u", "LocalAppData": "/l", "HOME": "/h"}, [5]string{"/u", "/l", "/u/.local/state", "/u/.local/share", "/u/.config"}},
	} {
		f := Folders{test.system, func(name string) string { return test.env[name] }}
		for i, got := range []string{f.Home(), f.Cache(), f.State(), f.Data(), f.Config()} {
			if filepath.ToSlash(got) != test.want[i] {
				t.Errorf("Folders of %s with %v: folder %d is %q, want %q", test.system, test.env, i, got, test.want[i])
			}
		}
	}
}
