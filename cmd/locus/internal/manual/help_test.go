package manual

import (
	"strings"
	"testing"
)

// The short help has the common flags, the full help has every flag, and in the manual page no line
// begins with a dot by accident.
func TestHelp(t *testing.T) {
	p := tryProgram().Verbs[0]
	p.Common = "output as"
	p.Description = "First.\n\n.Second 'quoted' \\ paragraph."
	p.Details = func() string { return "\n\nThird." }
	p.Examples = []string{"locus try 1", "locus try 2", "locus try 3", "locus try 4"}
	var short, all, man strings.Builder
	if err := p.WriteHelp(&short, false); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteHelp(&all, true); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteManual(&man); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ what, got, want string }{
		{"short help", short.String(), `locus try: try it

usage:
   locus try [FLAG…]

First.

flags:
   --output, -o FILE  write to FILE; - is stdout
   --as KIND          read as KIND: rfc1738, rfc3986

locus help --all try shows everything: 2 more flags.

example:
   locus try 1
   locus try 2
   locus try 3
`},
		{"whole help", all.String(), `locus try: try it

usage:
   locus try [FLAG…]

First.

.Second 'quoted' \ paragraph.

Third.

flags:
   --output, -o FILE  write to FILE; - is stdout
   --as KIND          read as KIND: rfc1738, rfc3986
   --scheme SCHEME    take only SCHEME
   --json             write JSON, one object per line
   --help, -h         show help

example:
   locus try 1
   locus try 2
   locus try 3
   locus try 4
`},
		{"manual page", man.String(), `.TH LOCUS\-TRY 1
.SH NAME
locus\-try \- try it
.SH SYNOPSIS
.B locus try [FLAG...]
.SH DESCRIPTION
First.
.PP
\&.Second \(aqquoted\(aq \e paragraph.
.PP
Third.
.SH OPTIONS
.TP
.B \-\-output, \-o FILE
write to FILE; \- is stdout
`},
	} {
		if test.what == "manual page" {
			test.got = test.got[:min(len(test.got), len(test.want))]
		}
		if test.got != test.want {
			t.Errorf("the %s is\n%s\nwant\n%s", test.what, test.got, test.want)
		}
	}
	p.Common = ""
	short.Reset()
	if _ = p.WriteHelp(&short, false); !strings.Contains(short.String(), "--help, -h") || !strings.Contains(short.String(), "\nlocus help --all try shows everything.\n") {
		t.Errorf("without common flags the short help is\n%s", short.String())
	}
}

// The short help omits the end of a sentence that does not fit.
func TestShortened(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"write to FILE; - is stdout", 26, "write to FILE; - is stdout"},
		{"write to FILE; - is stdout", 25, "write to FILE"},
		{"at most DURATION, such as 30s (default: no limit)", 30, "at most DURATION, such as 30s"},
		{"at most DURATION, such as 30s (default: no limit)", 20, "at most DURATION"},
		{"through the proxy (http, socks5)", 20, "through the proxy"},
		{"one; two (three); repeatable", 5, "one"},
		{"take files that match PATTERN; repeatable", 80, "take files that match PATTERN"},
		{"log as FORMAT: text, json or off", 20, "log as FORMAT: text, json or off"},
		{"a sentence without an end", 5, "a sentence without an end"},
	} {
		if got := shortened(test.text, test.most); got != test.want {
			t.Errorf("shortened(%q, %d) = %q, want %q", test.text, test.most, got, test.want)
		}
	}
	if got, want := filled(strings.Repeat("word ", 20)), strings.Repeat("word ", 15)+"word\n"+strings.Repeat("word ", 3)+"word"; got != want {
		t.Errorf("filled = %q, want %q", got, want)
	}
}
