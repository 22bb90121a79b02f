//go:build axe

package browsertest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
	"golang.org/x/crypto/bcrypt"
)

// axeVersion is the version of axe-core, from npm, that checks the pages. Debian does not have
// axe-core, so this test has a tag: go test -tags axe -run Axe ./cmd/locus/internal/browsertest
const axeVersion = "4.14.1"

// fetchAxe returns the script of axe-core.
func fetchAxe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	npm := exec.CommandContext(t.Context(), "npm", "pack", "--silent", "axe-core@"+axeVersion)
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm pack: %v\n%s", err, out)
	}
	f, err := os.Open(filepath.Join(dir, "axe-core-"+axeVersion+".tgz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(unzipped); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("the package has no axe.min.js")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name != "package/axe.min.js" {
			continue
		}
		script, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		return string(script)
	}
}

// axe-core finds no violation in any page.
func TestBrowserAxe(t *testing.T) {
	t.Parallel()
	script := fetchAxe(t)
	at, help := startDemo(t)
	b := newBrowser(t)
	pages := 0
	b.eachPage(at, help, func(name string) {
		b.checkWithAxe(script, name)
		pages++
	})
	t.Logf("axe-core %s checked %d pages", axeVersion, pages)
}

// axe-core finds no violation in the page for users who must log in at the gateway.
func TestBrowserAxeLogin(t *testing.T) {
	t.Parallel()
	users := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(users, []byte("ada:"+hashOf(t, "right")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := startServe(t, "--auth", users) + "/"
	b := newBrowser(t)
	b.cancelLogins()
	if status, _ := b.follow(chromedp.Navigate(at)); status != 401 {
		t.Fatalf("the gateway answers %d, want 401", status)
	}
	script := fetchAxe(t)
	b.eachLook("login-here", func(name string) { b.checkWithAxe(script, name) })
}

// axe-core finds no violation in the pages of a gateway that serves a web archive.
func TestBrowserAxeArchive(t *testing.T) {
	t.Parallel()
	file, site, _ := recordSite(t)
	at := startServe(t, "--from-warc", file) + "/"
	b := newBrowser(t)
	script := fetchAxe(t)
	for _, test := range []struct {
		name, path string
		status     int64
	}{
		{"archived-front", "", 200},
		{"archived-list", "-/archived?sort=-date", 200},
		{"archived-about", "-/about?url=" + site, 200},
		{"not-archived", site + "unheard", 404},
		{"not-archived-ftp", "ftp://ftp.example.org/", 404},
	} {
		if status, text := b.follow(chromedp.Navigate(at + test.path)); status != test.status {
			t.Errorf("%s = %d, want %d: %.300s", test.path, status, test.status, text)
		}
		b.eachLook(test.name, func(name string) { b.checkWithAxe(script, name) })
	}
}

func hashOf(t *testing.T, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

// cancelLogins makes the browser show the page of a 401 response, as if its user had pressed
// Cancel.
func (b *browser) cancelLogins() {
	b.t.Helper()
	err := chromedp.Listen(b.ctx, func(event any) {
		switch e := event.(type) {
		case *fetch.EventAuthRequired:
			go chromedp.Call(b.ctx, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{
				RequestID:             e.RequestID,
				AuthChallengeResponse: &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth},
			})
		case *fetch.EventRequestPaused:
			go chromedp.Call(b.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
		}
	})
	if err == nil {
		_, err = chromedp.Call(b.ctx, fetch.Enable, fetch.EnableParams{HandleAuthRequests: new(true)})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// checkWithAxe reports the violations that axe-core finds in the page.
func (b *browser) checkWithAxe(script, name string) {
	b.t.Helper()
	if !value[bool](b, `!!window.axe`) {
		b.do(run(script))
	}
	b.do(run(`
		window.found = null;
		axe.run().then(r => { window.found = r.passes.length < 5 ? ["too few rules ran"] : r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 200) + " " + n.failureSummary).join(" | ")); },
			e => { window.found = [String(e)]; });`))
	b.until("axe has run", `window.found !== null`)
	for _, wrong := range value[[]string](b, `window.found`) {
		b.t.Errorf("%s: %.700s", name, wrong)
	}
}
