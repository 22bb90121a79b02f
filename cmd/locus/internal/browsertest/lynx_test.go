package browsertest

import (
	"html"
	"io"
	"net/http"
	"strings"
	"testing"

	"locus/internal/peers"
)

// lynx, which has neither styles nor scripts, reads the pages to which the front page of the demo
// links. Each is at a private address, so the gateway asks first.
func TestLynxWalk(t *testing.T) {
	t.Parallel()
	at, _ := startDemo(t)
	list, err := peers.Lynx(t, nil, "-dump", "-listonly", "-nonumbers", at)
	if err != nil {
		t.Fatal(err)
	}
	walked, asked := map[string]bool{}, 0
	for line := range strings.Lines(list) {
		target := strings.TrimSpace(line)
		u, ok := strings.CutPrefix(target, at)
		scheme, _, isURL := strings.Cut(u, ":")
		if !ok || !isURL || scheme == "cid" || strings.HasPrefix(u, "-/") { // a cid URL names a picture
			continue
		}
		text, err := peers.Lynx(t, nil, "-dump", target)
		if strings.Contains(text, "Open this URL?") { // lynx sends no referrer of the gateway
			asked++
			text, err = peers.LynxPost(t, "open=", strings.TrimSuffix(at, "/")+actionAt(t, target))
		}
		if err != nil || strings.TrimSpace(text) == "" || strings.Contains(text, "Bad Gateway") || strings.Contains(text, "Open this URL?") {
			t.Errorf("lynx at %s: %v, %.200q", target, err, text)
		}
		walked[scheme] = true
	}
	if len(walked) < 13 || asked == 0 {
		t.Errorf("lynx opened %d schemes and was asked %d times: %v\n%s", len(walked), asked, walked, list)
	}
}

// actionAt returns the action of the button on the page that asks, because lynx does not print it.
func actionAt(t *testing.T, target string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	_, rest, _ := strings.Cut(string(text), `action="/-/confirmed?`)
	action, _, ok := strings.Cut(rest, `"`)
	if err != nil || !ok {
		t.Fatalf("%s does not ask: %v\n%s", target, err, text)
	}
	return "/-/confirmed?" + html.UnescapeString(action)
}
