package gopher

import (
	"io"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// For any URL, the client sends one line, and after it only the block of a form.
//
// req: 1738-6-2
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		"gopher://h/7/find%09foo%09+", "gopher://h/0/x%09%09!+A%20+B", "gopher://h/0/x%0D%0Aquit", "gopher://h/0/x%00",
		"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A.%0D%0A", "gopher://h/0/x%09%09+v%091%0D%0A+3%0D%0Aa%0Db",
		"gopher://h/0/x%09%09%091%0D%0A+-1%0D%0A.%0D%0A", "gopher://h/%0A", "gopher://h/2%09a%0Ab",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		r, err := parseRequest(u)
		if err != nil {
			return
		}
		if strings.ContainsAny(r.line(), "\r\n\x00") {
			t.Fatalf("%q sends the line %q", text, r.line())
		}
		sent, err := io.ReadAll(r.message().text)
		if err != nil {
			t.Fatal(err)
		}
		block, ok := strings.CutPrefix(string(sent), r.line()+"\r\n")
		if m := r.item.Meaning(); !ok || block != m.Block || block != "" && m.Kind != scheme.PlusForm {
			t.Errorf("%q sends %q, want a line and the block %q", text, sent, m.Block)
		}
	})
}
