package open

import (
	"strings"
	"testing"
)

func TestBrowserOf(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open u", "freebsd": "xdg-open u", "darwin": "open u", "windows": "rundll32 url.dll,FileProtocolHandler u",
	} {
		name, args := browserOf(system, "u")
		if got := name + " " + strings.Join(args, " "); got != want {
			t.Errorf("browserOf(%s) = %s, want %s", system, got, want)
		}
	}
}
