package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
)

// systemd makes the credentials of a service readable for the group of root, and lets only the
// service into their folder.
func TestReadSecretCredential(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cret", 6)
	for _, test := range []struct {
		folder string // in which the credentials are
		mode   os.FileMode
		want   bool
	}{
		{".", 0o440, true},
		{".", 0o400, true},
		{".", 0o444, false},
		{".", 0o460, false},
		{"..", 0o440, false},
		{"", 0o440, false},
	} {
		if runtime.GOOS == "windows" && !test.want {
			continue
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "secret")
		if err := os.WriteFile(name, []byte(long), 0o600); err != nil {
			t.Fatalf("%v: %v", test, err)
		}
		if err := os.Chmod(name, test.mode); err != nil {
			t.Fatalf("%v: %v", test, err)
		}
		variables := map[string]string{}
		if test.folder != "" {
			variables["CREDENTIALS_DIRECTORY"] = filepath.Join(dir, test.folder)
		}
		e, _ := envOf(t, variables)
		e.Dir = dir
		for _, named := range []string{name, "secret"} {
			if _, err := readSecret(e, named); (err == nil) != test.want {
				t.Errorf("readSecret(%q) of mode %v with credentials in %q = %v, want success: %v", named, test.mode, test.folder, err, test.want)
			}
		}
	}
}

// The secret is the text of the file without its line end. A file that others can read, or whose
// text is short, is refused, and the error does not show the text.
func TestReadSecret(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s3cret", 6)
	for _, test := range []struct {
		text      string
		mode      os.FileMode
		want      string
		err, hint string
	}{
		{long + "\n", 0o600, long, "", ""},
		{long + "\r\n", 0o400, long, "", ""},
		{long[:32], 0o600, long[:32], "", ""},
		{long[:31], 0o600, "", "key has 31 bytes, and a secret needs at least 32", "openssl rand"},
		{"", 0o600, "", "key has 0 bytes", "openssl rand"},
		{long, 0o640, "", "key: others can read it", "chmod 600 key"},
		{long, 0o604, "", "key: others can read it", "chmod 600 key"},
		{long, 0o620, "", "key: others can read it", "chmod 600 key"},
	} {
		if runtime.GOOS == "windows" && test.hint == "chmod 600 key" {
			continue
		}
		dir := t.TempDir()
		name := filepath.Join(dir, "key")
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		if err := os.Chmod(name, test.mode); err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		e, _ := envOf(t, nil)
		e.Dir = dir
		got, err := readSecret(e, "key")
		if test.err == "" {
			if err != nil || string(got) != test.want {
				t.Errorf("readSecret of %q = %q, %v, want %q", test.text, got, err, test.want)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(cli.Hint(err), test.hint) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("readSecret of %q, mode %v = %v (hint %q), want %q (hint %q)", test.text, test.mode, err, cli.Hint(err), test.err, test.hint)
		}
	}
	e, _ := envOf(t, nil)
	if _, err := readSecret(e, filepath.Join(t.TempDir(), "none")); err == nil || !strings.HasPrefix(err.Error(), "--secret-file: ") {
		t.Errorf("readSecret of a missing file = %v, want an error that names --secret-file", err)
	}
}

// Gateways with the same secret accept each other's tickets. Other gateways do not accept them.
func TestSharedSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(strings.Repeat("k", minSecret)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) (at string) {
		said, stop := run(t, dir, append([]string{"--no-cache", "--log", "off"}, args...)...)
		t.Cleanup(func() { stop() })
		return strings.TrimPrefix(said(), "locus: the gateway is at ")
	}
	first, second, other := start("--secret-file", "key"), start("--secret-file", "key"), start()
	_, page := fetch(t, first)
	_, rest, _ := strings.Cut(page, `name="ticket" value="`)
	ticket, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("the page has no ticket:\n%s", page)
	}
	for at, want := range map[string]bool{first: true, second: true, other: false} {
		if got := isGranted(t, at+"-/open?url=gopher://127.0.0.1:1/&ticket="+ticket); got != want {
			t.Errorf("the gateway at %s accepts the ticket of the one at %s: %v, want %v", at, first, got, want)
		}
	}
}

// isGranted reports whether a gateway opens the URL that a form names, for a text browser.
func isGranted(t *testing.T, form string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, form, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	answer, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return strings.HasPrefix(answer.Header.Get("Location"), "/-/open?ticket=")
}
