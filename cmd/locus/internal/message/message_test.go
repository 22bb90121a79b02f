package message

import (
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
)

// newEnv returns an Env with one variable, and a function that returns its stderr.
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

// The sender is the value of --from or else of EMAIL. Neither can add a line to the message.
func TestSender(t *testing.T) {
	for _, test := range []struct{ from, email, want, err string }{
		{"ada@example.org", "", "ada@example.org", ""},
		{"Ada <ada@example.org>", "", "ada@example.org", ""},
		{"ada@example.org", "bob@example.org", "ada@example.org", ""},
		{"", "Bob <bob@example.org>", "bob@example.org", ""},
		{"ada", "", "", `not "ada"`},
		{"", "bob", "", `not "bob"`},
		{"ada@example.org\r\nBcc: x@example.org", "", "", `not "ada@example.org\r\nBcc`},
	} {
		e, _ := newEnv(t, test.email)
		got, err := Sender(e, test.from)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("Sender of %q and EMAIL %q = %q, %v, want %q, %q", test.from, test.email, got, err, test.want, test.err)
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
			t.Errorf("Of(%q) has the header %q", text, h)
		}
		if !strings.Contains(got, "\r\n\r\nWhere?") || said() != "" {
			t.Errorf("Of(%q) = %q, and stderr is %q", text, got, said())
		}
	}
}

// A field that a stranger's URL must not set is left out, and the user is told.
func TestOfDropped(t *testing.T) {
	e, said := newEnv(t, "")
	got, err := Of(e, "mailto:lib@example.org?from=eve@example.org&subject=x", "ada@example.org")
	if err != nil || strings.Contains(got, "eve@") || !strings.Contains(said(), `left out, because they are unsafe or repeated: "from"`) {
		t.Errorf("Of a URL with the field from = %q, %v, and stderr is %q", got, err, said())
	}
}

// A URL without an address is refused, without showing its password.
func TestOfOther(t *testing.T) {
	for text, want := range map[string]string{
		"ftp://u:secret@example.org/": "is not a mailto URL",
		"mailto":                      "is not a mailto URL",
		"mailto:a@b?subject=x%0Ay":    "subject",
	} {
		e, _ := newEnv(t, "")
		_, err := Of(e, text, "ada@example.org")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
