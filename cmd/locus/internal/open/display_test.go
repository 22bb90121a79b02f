package open

import (
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/tn3270"
	"locus/url"
)

// A session may end within a drawing, which hides the cursor first.
func TestDisplayCutShort(t *testing.T) {
	server := accesstest.Serve(t, accesstest.Script{accesstest.Send("login: "), accesstest.Stall()})
	r, err := tn3270.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
	if err != nil {
		t.Fatal(err)
	}
	d := &drawing{Session: r.Session.(*tn3270.Session)}
	begun := make([]byte, len("\x1b[?25l"))
	if _, err := d.Read(begun); err != nil || string(begun) != "\x1b[?25l" {
		t.Fatalf("a drawing begins with %q, %v, want the cursor hidden", begun, err)
	}
	d.Close()
	if rest, _ := io.ReadAll(d); !strings.Contains(string(rest), "\x1b[?25h") {
		t.Errorf("after Close Read gives %q, want the cursor shown", rest)
	}
}
