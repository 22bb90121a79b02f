package message

import (
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
)

// newEnv returns an Env with one variable, and what it says.
func newEnv(t *testing.T, email string) (e *cli.Env, said func() string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stderr")
	stderr, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stderr.Close() })
	e = cli.NewEnv(nil, nil, stderr)
	e.LookupEnv = func(name string) (string, bool) { return email, name == "EMAIL" && email != "" }
	return e, func() string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// The sender is that of --from, else of EMAIL. Neither can add a line to the message.
func TestSender(t *testing.T) {
	for _, tt := range []struct{ from, email, want, err string }{
		{"ada@example.org", "", "ada@example.org", ""},
		{"Ada <ada@example.org>", "", "ada@example.org", ""},
		{"ada@example.org", "bob@example.org", "ada@example.org", ""},
		{"", "Bob <bob@example.org>", "bob@example.org", ""},
		{"ada", "", "", `not "ada"`},
		{"", "bob", "", `not "bob"`},
		{"ada@example.org\r\nBcc: x@example.org", "", "", `not "ada@example.org\r\nBcc`},
	} {
		e, _ := newEnv(t, tt.email)
		got, err := Sender(e, tt.from)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("Sender of %q and EMAIL %q = %q, %v, want %q, %q", tt.from, tt.email, got, err, tt.want, tt.err)
		}
	}
}

// Without both, the sender is the user on this machine.
func TestSenderHere(t *testing.T) {
	e, _ := newEnv(t, "")
	got, err := Sender(e, "")
	if err != nil || !strings.HasSuffix(got, "@"+ThisHost()) || strings.HasPrefix(got, "@") {
		t.Errorf("= %q, %v", got, err)
	}
}

func TestOf(t *testing.T) {
	for _, text := range []string{
		"mailto:lib@example.org?subject=A%20lens&body=Where%3F",
		"mailserver:lib@example.org/A%20lens/Where%3F",
	} {
		e, said := newEnv(t, "")
		got, err := Of(e, text, "ada@example.org")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		m, err := mail.ReadMessage(strings.NewReader(got))
		if err != nil {
			t.Fatalf("%s: %v\n%s", text, err, got)
		}
		h := m.Header
		if h.Get("To") != "<lib@example.org>" || h.Get("From") != "<ada@example.org>" || h.Get("Subject") != "A lens" || !strings.HasSuffix(h.Get("Message-ID"), "@example.org>") {
			t.Errorf("%s: the header is %q", text, h)
		}
		if !strings.Contains(got, "\r\n\r\nWhere?") || said() != "" {
			t.Errorf("%s: %q, and said %q", text, got, said())
		}
	}
}

// A field that a stranger's URL must not set is left out, and that is said.
func TestOfDropped(t *testing.T) {
	e, said := newEnv(t, "")
	got, err := Of(e, "mailto:lib@example.org?from=eve@example.org&subject=x", "ada@example.org")
	if err != nil || strings.Contains(got, "eve@") || !strings.Contains(said(), `left out, because unsafe or repeated: "from"`) {
		t.Errorf("%q, %v, and said %q", got, err, said())
	}
}

// What is no address is refused, without its password.
func TestOfOther(t *testing.T) {
	for text, want := range map[string]string{
		"ftp://u:secret@example.org/": "is no mailto URL",
		"mailto":                      "is no mailto URL",
		"mailto:a@b?subject=x%0Ay":    "subject",
	} {
		e, _ := newEnv(t, "")
		_, err := Of(e, text, "ada@example.org")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
