package tn3270_test

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/demo"
	"locus/internal/peers"
	"locus/proto/tn3270"
)

func startDemo(t *testing.T) string {
	t.Helper()
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d.Service("tn3270").Addr
}

// A complete session with typed input: a menu, a form with a hidden field, and the
// end.
func TestDemo(t *testing.T) {
	s := connect(t, tn3270.Client{}, startDemo(t))
	for _, test := range []struct{ typed, shown string }{
		{"", "Option ===>"},
		{"7\r", `There is no option "7".`},
		{"1\r", "Secret ===>"},
		{"\r", "What is your name?"},
		{"Ada Lovelace\tsesame\r", "Hello, Ada Lovelace! Your secret has 6 letters."},
		{"\x1b5", "PF5 does nothing here."},
		{"\x1b3", "Option ===>"},
		{"2\r", "Turquoise"},
		{"\x1bOR", "Option ===>"},
		{"x\r", "Good bye."},
	} {
		if _, err := io.WriteString(s, test.typed); err != nil {
			t.Fatalf("%q: %v", test.typed, err)
		}
		waitFor(t, s, test.shown)
		if screen := strings.Join(s.Screen().Lines, "\n"); strings.Contains(screen, "sesame") {
			t.Errorf("after %q, the screen shows a hidden field:\n%s", test.typed, screen)
		}
	}
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading to the end: %v", err)
	}
}

// s3270 shows the same screens of the demo as this client.
func TestDemoByS3270(t *testing.T) {
	addr := startDemo(t)
	for _, test := range []struct {
		typed   string
		actions []string
		shown   string
	}{
		{"", nil, "Option ===>"},
		{"1\r", []string{"String(1)", "Enter()"}, "Secret ===>"},
		{"1\rAda\tsesame\r", []string{"String(1)", "Enter()", "String(Ada)", "Tab()", "String(sesame)", "Enter()"}, "Hello, Ada!"},
		{"2\r", []string{"String(2)", "Enter()"}, "Turquoise"},
		{"2\r\x1b39\r", []string{"String(2)", "Enter()", "PF(3)", "String(9)", "Enter()"}, `There is no option "9".`},
	} {
		want := peers.S3270(t, addr, test.actions...)
		s := connect(t, tn3270.Client{}, addr)
		if _, err := io.WriteString(s, test.typed); err != nil {
			t.Fatalf("%q: %v", test.typed, err)
		}
		waitFor(t, s, test.shown)
		if got := s.Screen().Lines; !slices.Equal(got, want) {
			t.Errorf("after %q the screen shows\n%s\nwant, as s3270 has it,\n%s", test.typed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		s.Close()
	}
}
