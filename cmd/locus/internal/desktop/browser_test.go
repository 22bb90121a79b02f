package desktop

import (
	"strings"
	"testing"
)

func TestBrowser(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open u", "freebsd": "xdg-open u", "darwin": "open u", "windows": "rundll32 url.dll,FileProtocolHandler u",
	} {
		name, args := Browser(system, "u")
		if got := name + " " + strings.Join(args, " "); got != want {
			t.Errorf("Browser(%s) = %s, want %s", system, got, want)
		}
	}
}
