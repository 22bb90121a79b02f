package gemini_test

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/certtest"
	"locus/internal/peers"
	"locus/proto/gemini"
	"locus/proto/pin"
	"locus/url"
)

// capsule makes a folder for molly-brown, and returns its name.
func capsule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.gmi":           "# Tea\n=> pots/ Pots\n",
		"song.txt":        "la\n",
		"pots/blue.gmi":   "blue\n",
		"locked/note.gmi": "secret\n",
		"cgi/ask":         "#!/bin/sh\n[ -z \"$QUERY_STRING\" ] && printf '10 Your name\\r\\n' || printf '20 text/plain\\r\\n%s' \"$QUERY_STRING\"\n",
		"cgi/secret":      "#!/bin/sh\nprintf '11 Your password\\r\\n'\n",
		"cgi/busy":        "#!/bin/sh\nprintf '44 7\\r\\n'\n",
		"cgi/away":        "#!/bin/sh\nprintf '30 https://example.org/\\r\\n'\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil { //nolint:gosec // the server runs some of them
			t.Fatalf("%q: %v", name, err)
		}
	}
	return dir
}

// molly-brown serves listings and files, redirects, asks, and lets one client certificate in.
func TestLiveMollyBrown(t *testing.T) {
	known, _ := certtest.Configs(t, "ada")
	other, _ := certtest.Configs(t, "bob")
	digest := sha256.Sum256(known.Certificates[0].Certificate[0])
	s := peers.MollyBrown(t, capsule(t), hex.EncodeToString(digest[:]))
	at := "gemini://" + s.Addr
	for _, test := range []struct {
		path, want  string
		certificate *tls.Config
	}{
		{"/", `text/gemini "# Directory listing`, nil},
		{"/a.gmi", `text/gemini "# Tea\n=> pots/ Pots\n"`, nil},
		{"/song.txt", `text/plain; charset=utf-8 "la\n"`, nil},
		{"/pots", "permanent move to " + at + "/pots/", nil},
		{"/pots/", `text/gemini "# Directory listing`, nil},
		{"/moved", "move to " + at + "/a.gmi", nil},
		{"/gone", "permanent move to " + at + "/a.gmi", nil},
		{"/none", "51 ", nil},
		{"/cgi/ask", "open " + at + "/cgi/ask: " + access.ErrForm.Error(), nil},
		{"/cgi/ask?Ada%20L", `text/plain "Ada%20L"`, nil},
		{"/cgi/secret", "open " + at + "/cgi/secret: " + access.ErrForm.Error(), nil},
		{"/cgi/busy", "44 7", nil},
		{"/cgi/away", "30 https://example.org/", nil},
		{"/locked/note.gmi", "60 ", nil},
		{"/locked/note.gmi", "61 ", other},
		{"/locked/note.gmi", `text/gemini "secret\n"`, known},
		{"/a.gmi", `text/gemini "# Tea`, other},
	} {
		c := gemini.Client{Dial: new(net.Dialer).DialContext, Pins: new(pin.Pins), Certificate: func(url.URL) *tls.Certificate {
			if test.certificate == nil {
				return nil
			}
			return &test.certificate.Certificates[0]
		}}
		got := described(do(t, c, &access.Request{URL: url.MustParse(at + test.path)}))
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("Do(%q) gives %s, want %s", test.path, got, test.want)
		}
	}
}

// The questions of molly-brown's programs are forms, and an answer is the input of the program.
func TestLiveMollyBrownAsks(t *testing.T) {
	s := peers.MollyBrown(t, capsule(t), "none")
	c := gemini.Client{Dial: new(net.Dialer).DialContext, Pins: new(pin.Pins)}
	for _, test := range []struct {
		path, prompt string
		kind         access.QuestionKind
	}{
		{"/cgi/ask", "Your name", access.AskLine},
		{"/cgi/secret", "Your password", access.AskPassword},
	} {
		u := url.MustParse("gemini://" + s.Addr + test.path)
		_, r, err := do(t, c, &access.Request{Op: access.Ask, URL: u})
		if err != nil || len(r.Questions.Items) != 1 || r.Questions.Items[0].Prompt != test.prompt || r.Questions.Items[0].Kind != test.kind {
			t.Errorf("Ask(%q) = %+v, %v, want the question %q", test.path, r, err, test.prompt)
		}
	}
	u := url.MustParse("gemini://" + s.Addr + "/cgi/ask")
	got, _, err := do(t, c, &access.Request{URL: u, Answers: []access.Answer{{Text: "tea & cake"}}})
	if got != "tea%20&%20cake" || err != nil {
		t.Errorf("an answer is the input %q, %v, want %q", got, err, "tea%20&%20cake")
	}
}
