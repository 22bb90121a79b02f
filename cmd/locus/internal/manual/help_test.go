package manual

import (
	"strings"
	"testing"
)

// Short help has the common flags, all of it every flag, and man(7) source no line that
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
	for _, tt := range []struct{ what, got, want string }{
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
   --json             write JSON, one object a line
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
		if tt.what == "manual page" {
			tt.got = tt.got[:min(len(tt.got), len(tt.want))]
		}
		if tt.got != tt.want {
			t.Errorf("the %s is\n%s\nwant\n%s", tt.what, tt.got, tt.want)
		}
	}
	p.Common = ""
	short.Reset()
	if _ = p.WriteHelp(&short, false); !strings.Contains(short.String(), "--help, -h") || !strings.Contains(short.String(), "\nlocus help --all try shows everything.\n") {
		t.Errorf("without common flags the short help is\n%s", short.String())
	}
}

// What is left out of the short help is the end of a sentence.
func TestShortened(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"write to FILE; - is stdout", 26, "write to FILE; - is stdout"},
		{"write to FILE; - is stdout", 25, "write to FILE"},
		{"at most DURATION, such as 30s (default: no limit)", 30, "at most DURATION, such as 30s"},
		{"at most DURATION, such as 30s (default: no limit)", 20, "at most DURATION"},
		{"through the proxy (http, socks5)", 20, "through the proxy"},
		{"one (two), three; repeatable", 5, "one"},
		{"a sentence without an end", 5, "a sentence without an end"},
	} {
		if got := shortened(tt.text, tt.most); got != tt.want {
			t.Errorf("shortened(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
	if got, want := filled(strings.Repeat("word ", 20)), strings.Repeat("word ", 15)+"word\n"+strings.Repeat("word ", 3)+"word"; got != want {
		t.Errorf("filled = %q, want %q", got, want)
	}
}
