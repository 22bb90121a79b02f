package tree

import (
	"testing"

	"locus/url"
)

// Entry adds the password, which the URLs in a listing lack, but only for the server and the user of the root.
func TestIMAPEntry(t *testing.T) {
	const root = "imap://ada;AUTH=plain:p@h/box"
	for listed, want := range map[string]string{
		"imap://ada;AUTH=plain@h/box;UIDVALIDITY=3/;UID=7": "imap://ada;AUTH=plain:p@h/box;UIDVALIDITY=3/;UID=7",
		"imap://bob@h/box/;UID=7":                          "imap://bob@h/box/;UID=7",
		"imap://ada@other/box/;UID=7":                      "imap://ada@other/box/;UID=7",
		"imaps://ada@h/box/;UID=7":                         "imaps://ada@h/box/;UID=7",
		"ftp://ada@h/box":                                  "ftp://ada@h/box",
	} {
		if got := must(t, root).Entry(url.MustParse(listed)).String(); got != want {
			t.Errorf("the entry of %q has the URL %q, want %q", listed, got, want)
		}
	}
}
