package manual

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"locus/cmd/locus/internal/flags"
)

// The help of the program lists the verbs by their tasks, in the order of the verbs.
func TestProgramHelp(t *testing.T) {
	p := tryProgram()
	p.Summary, p.Synopsis, p.Description = "try things", "locus VERB", "All about it.\n\nNot in the help."
	p.Flags = []flags.Flag{{Spec: flags.Spec{Name: "version", Usage: "print the version"}}}
	p.Examples = []string{"locus try x"}
	for i, task := range []string{"fetch", "learn", "learn", "fetch", ""} {
		p.Verbs[i].Task = task
	}
	const want = `locus: try things

usage:
   locus VERB

fetch:
   try  try it

learn:
   help        explain
   completion  complete

fetch:
   ls  list

verbs:
   put  send

All about it.

flags:
   --version   print the version
   --help, -h  show help

example:
   locus try x
`
	var b strings.Builder
	if err := p.WriteHelp(&b); err != nil || b.String() != want {
		t.Errorf("the help is\n%s%v\nwant\n%s", b.String(), err, want)
	}
}

// The manual page of the program has a section for each verb, with its flags and examples.
func TestProgramManual(t *testing.T) {
	p := tryProgram()
	p.Summary, p.Synopsis = "try things", "locus VERB"
	p.Verbs = p.Verbs[:1]
	p.Verbs[0].Description = "Tries.\n"
	p.Verbs[0].Examples = []string{`locus try 'a\b'`}
	const want = `.TH LOCUS 1
.SH NAME
locus \- try things
.SH SYNOPSIS
.B locus VERB
.SH OPTIONS
.TP
.B \-\-help, \-h
show help
.SH VERBS
.SS try
.B locus try [FLAG...]
.PP
try it.
.PP
Tries.
.TP
.B \-\-output, \-o FILE
write to FILE; \- is stdout
.TP
.B \-\-as KIND
read as KIND: rfc1738, rfc3986
.TP
.B \-\-scheme SCHEME
take only SCHEME
.TP
.B \-\-json
write JSON, one object per line
.TP
.B \-\-help, \-h
show help
.PP
.EX
locus try \(aqa\eb\(aq
.EE
`
	var b strings.Builder
	if err := p.WriteManual(&b); err != nil || b.String() != want {
		t.Errorf("the manual page is\n%s%v\nwant\n%s", b.String(), err, want)
	}
}

// The JSON has a line for each verb, with everything that its full help has.
func TestJSON(t *testing.T) {
	p := tryProgram()
	p.Verbs[0].Description, p.Verbs[0].Details = "First.", func() string { return "\n\nSecond." }
	p.Verbs[0].Common = "output"
	p.Verbs[0].Examples = []string{"locus try <x>"}
	var b strings.Builder
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(p.Verbs) {
		t.Fatalf("the JSON has %d lines, want %d:\n%s", len(lines), len(p.Verbs), b.String())
	}
	for i, line := range lines {
		var page struct {
			Name, Synopsis, Description string
			Flags                       []struct{ Flag, Text string }
			Examples                    []string
		}
		if err := json.Unmarshal([]byte(line), &page); err != nil || page.Name != p.Verbs[i].Name || len(page.Flags) != len(p.Verbs[i].Flags)+1 {
			t.Errorf("line %d is %s (%v), want the verb %q with %d flags", i, line, err, p.Verbs[i].Name, len(p.Verbs[i].Flags)+1)
		}
		if i > 0 {
			continue
		}
		if page.Description != "First.\n\nSecond." || page.Examples[0] != "locus try <x>" || page.Flags[1].Flag != "--as KIND" || page.Flags[1].Text != "read as KIND: rfc1738, rfc3986" {
			t.Errorf("the page of try is %+v", page)
		}
	}
}

// A page reports that it could not be written, so that "help > /dev/full" does not seem to succeed.
func TestWriteFails(t *testing.T) {
	full := errors.New("full")
	w := failing{full}
	p := tryProgram()
	for name, err := range map[string]error{
		"the help of the program":        p.WriteHelp(w),
		"the help of a verb":             p.Verbs[0].WriteHelp(w, true),
		"the manual page of the program": p.WriteManual(w),
		"the manual page of a verb":      p.Verbs[0].WriteManual(w),
		"the JSON":                       p.WriteJSON(w),
		"the words of a completion":      p.WriteWords(w, nil, ""),
	} {
		if !errors.Is(err, full) {
			t.Errorf("%s returns %v, want %v", name, err, full)
		}
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// A URL is completed only where the synopsis of a verb takes URLs, because files are more likely elsewhere.
func TestTakesURLs(t *testing.T) {
	for synopsis, want := range map[string]bool{
		"locus ls [FLAG…] URL…":        true,
		"locus parse [URL…]":           true,
		"locus put FILE… URL":          false,
		"locus mirror URL DIR":         false,
		"locus check [FILE|DIR|URL…]":  false,
		"locus version":                false,
		"locus edit URL [--set X=Y…]…": false, // a value may follow
	} {
		if got := (Page{Synopsis: synopsis}).takesURLs(); got != want {
			t.Errorf("%q takes URLs: %v, want %v", synopsis, got, want)
		}
	}
}
