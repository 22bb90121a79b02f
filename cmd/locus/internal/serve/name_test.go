package serve

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A request for a host name that --name does not list gets 421. The page and the log say why.
func TestUnknownName(t *testing.T) {
	t.Parallel()
	said, stop := run(t, t.TempDir(), "--no-cache", "--name", "gate.example.org")
	at, isGateway := strings.CutPrefix(said(), "locus: the gateway is at ")
	if !isGateway {
		t.Fatalf("the gateway does not print its address, but %q", at)
	}
	for host, want := range map[string]int{"gate.example.org": 200, "localhost": 200, "other.example.org": 421} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("GET %s for the host %q: %v", at, host, err)
		}
		page, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != want || strings.Contains(string(page), "--name") != (want == 421) {
			t.Errorf("a request for %s = %d, %v, want %d and, only for 421, a page that names --name:\n%s", host, answer.StatusCode, err, want, page)
		}
		if line := said(); strings.Contains(line, "unknown_host=other.example.org") != (want == 421) {
			t.Errorf("the log of a request for %s is %q", host, line)
		}
	}
	if status := stop(); status != 0 {
		t.Errorf("serve ends with status %d, want 0", status)
	}
}
