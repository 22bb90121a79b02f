package browsertest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"locus/internal/certtest"
)

// If a browser uses the gateway as its proxy, an error page looks like the gateway's own pages, in
// light and in dark, and the gateway's field on it works.
func TestBrowserProxyError(t *testing.T) {
	t.Parallel()
	at := startServe(t, "--policy", "public")
	b := newBrowserThrough(t, at)
	status, text := b.follow(chromedp.Navigate("http://192.0.2.1/x"))
	if status != 403 || !strings.Contains(text, "not public") {
		t.Fatalf("%d, %q", status, text)
	}
	grounds := []string{"rgb(253, 252, 249)", "rgb(22, 24, 27)"}
	for i, light := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 360} {
			b.look(light, width)
			if ground := value[string](b, `getComputedStyle(document.documentElement).backgroundColor`); ground != grounds[i] {
				t.Errorf("%s, %d wide: the page is %s, want %s", light, width, ground, grounds[i])
			}
			for _, wrong := range value[[]string](b, audit) {
				t.Errorf("%s, %d wide: %s", light, width, wrong)
			}
		}
	}
	b.shoot("proxy-error")
	complaints := slices.DeleteFunc(b.complaints(), func(s string) bool { return strings.Contains(s, "the server responded with a status of 403") })
	if len(complaints) > 0 {
		t.Errorf("after the error page, the browser complains: %q", complaints)
	}
	// The page belongs to http://192.0.2.1, so the gateway asks first, because the address is not
	// public.
	status, text = b.follow(run(`document.querySelector("#url").value = "http://192.0.2.2/"; document.querySelector("header form").requestSubmit()`))
	if status != 403 || !strings.Contains(text, "http://192.0.2.2/") {
		t.Fatalf("the field of the error page leads to %d, %q", status, text)
	}
	status, _ = b.confirm()
	if to := value[string](b, `location.href`); to != at+"/http://192.0.2.2/" || status != 403 {
		t.Errorf("the field of the error page leads to %s, %d, after %q", to, status, b.complaints())
	}
}

// A browser prefers HTTP/2 when it speaks TLS to a proxy. Over HTTP/2 the gateway could not tell a
// request to the proxy from a request to its own pages.
func TestBrowserProxyTLS(t *testing.T) {
	t.Parallel()
	pair, _ := certtest.New(t, "127.0.0.1")
	dir := t.TempDir()
	certtest.Write(t, dir, pair)
	at := startServe(t, "--policy", "public", "--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"))
	b := newBrowserThrough(t, at)
	if status, text := b.follow(chromedp.Navigate("http://192.0.2.1/x")); status != 403 || !strings.Contains(text, "not public") {
		t.Errorf("%d, %q", status, text)
	}
}
