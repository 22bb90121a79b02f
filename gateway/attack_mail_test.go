package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"locus/gateway"
	"locus/url"
)

// A mail loads nothing, so that its sender does not learn that it was read.
func TestAttackMailPictures(t *testing.T) {
	// attack: A mail has a picture or a style at a server of its sender, by a URL of the gateway, to learn when and where it is
	// read | mail may load only pictures that it contains itself
	for _, test := range []struct {
		url   string
		loads bool
	}{
		{"mid:1@h.example/2@h.example", false},
		{"cid:2@h.example", false},
		{"imap://h.example/INBOX;UID=1/;SECTION=2", false},
		{"imaps://h.example/INBOX;UID=1/;SECTION=2", false},
		{"http://h.example/", true},
	} {
		g := &gateway.Gateway{Harmless: func(url.URL) bool { return true }, Engine: resources{test.url: content("text/html", `<img src="/http://evil.example/">`)}}
		resp, _, err := serve(t, g)(http.MethodGet, "/"+test.url, strings.Split(typed, "\n")...)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("GET /%s = %d, %v", test.url, resp.StatusCode, err)
			continue
		}
		policy := resp.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "sandbox ") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "'self'") != test.loads {
			t.Errorf("%s has the policy %q, want one that loads from the gateway: %v", test.url, policy, test.loads)
		}
	}
}

// A browser plays the sound or the film in a mail. It makes a document around such content, which obeys the policy of the
// content.
func TestMailMedia(t *testing.T) {
	for _, test := range []struct {
		mediaType string
		plays     bool
	}{
		{"audio/mpeg", true},
		{"Video/MP4; codecs=avc1", true},
		{"image/svg+xml", false},
		{"text/html", false},
		{"", false},
	} {
		g := &gateway.Gateway{Harmless: func(url.URL) bool { return true }, Engine: resources{"mid:1@h.example/2@h.example": content(test.mediaType, "x")}}
		resp, _, err := serve(t, g)(http.MethodGet, "/-/raw?url=mid:1@h.example/2@h.example", strings.Split(typed, "\n")...)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("GET of %q = %d, %v", test.mediaType, resp.StatusCode, err)
			continue
		}
		if policy := resp.Header.Get("Content-Security-Policy"); strings.Contains(policy, "media-src 'self'") != test.plays {
			t.Errorf("%q has the policy %q, want one that plays media: %v", test.mediaType, policy, test.plays)
		}
	}
}
