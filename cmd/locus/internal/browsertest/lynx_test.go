package browsertest

import (
	"strings"
	"testing"

	"locus/internal/peers"
)

// lynx, which has neither styles nor scripts, reads what the front page of the
// demo leads to.
func TestLynxWalk(t *testing.T) {
	at, _ := startDemo(t)
	list, err := peers.Lynx(t, nil, "-dump", "-listonly", "-nonumbers", at)
	if err != nil {
		t.Fatal(err)
	}
	walked := map[string]bool{}
	for line := range strings.Lines(list) {
		target := strings.TrimSpace(line)
		u, ok := strings.CutPrefix(target, at)
		scheme, _, isURL := strings.Cut(u, ":")
		if !ok || !isURL || scheme == "cid" || strings.HasPrefix(u, "-/") { // cid is a picture
			continue
		}
		text, err := peers.Lynx(t, nil, "-dump", target)
		if err != nil || strings.TrimSpace(text) == "" || strings.Contains(text, "Bad Gateway") {
			t.Errorf("lynx at %s: %v, %.200q", target, err, text)
		}
		walked[scheme] = true
	}
	if len(walked) < 13 {
		t.Errorf("lynx has walked %d schemes: %v\n%s", len(walked), walked, list)
	}
}
