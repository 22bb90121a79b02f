package gateway_test

import (
	"strings"
	"testing"

	"locus/gateway"
)

// The page for an unknown host name has its style inside, because the gateway would refuse the request for it. It has
// no form and no links, because the gateway would refuse them, too.
func TestUnknownHostPage(t *testing.T) {
	t.Parallel()
	w := record(&gateway.Gateway{}, "GET", "/", "Host: evil.example", "")
	body := w.Body.String()
	for _, text := range []string{"<form", "<input", "<link", "<script", `href="/`} {
		if strings.Contains(body, text) {
			t.Errorf("the page for an unknown host has %q:\n%s", text, body)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(body, "<style>") || !strings.Contains(policy, "style-src 'sha256-") || !strings.Contains(policy, "form-action 'none'") {
		t.Errorf("the page for an unknown host has the policy %q and the content\n%s", policy, body)
	}
}
