package main

import (
	"encoding/xml"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/demo"
)

// recording is the terminal session at the top of README.md.
const recording = "../../doc/session.svg"

// recorded are the commands of the session. They use the servers of the demo.
var recorded = []string{
	"locus get gopher://127.0.0.1:17070/0/etc/motd",
	"locus ls ftp://127.0.0.1:17021/texts/",
	"locus extract notes.txt",
	"locus check notes.txt",
	"locus parse --as rfc1738 'http://example.org/a^b'",
	"locus get http://127.0.0.1:25/",
}

const recordedNotes = `Look at <ftp://127.0.0.1:17021/texts/ftp.txt>, and,
it was there once, at gopher://127.0.0.1:17070/0/texts/gone.txt.
`

// The recording shows the current output of its commands. The flag -readme updates it.
func TestRecording(t *testing.T) {
	name, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Mail: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	t.Chdir(t.TempDir())
	toFree, toUsual := addresses(t, d)
	if err := os.WriteFile("notes.txt", []byte(toFree.Replace(recordedNotes)), 0o600); err != nil {
		t.Fatal(err)
	}
	var s session
	for _, command := range recorded {
		s.add(command, toUsual.Replace(show(t, words(toFree.Replace(command)))))
	}
	got := s.svg()
	is, err := os.ReadFile(name)
	if err == nil && string(is) == got {
		return
	}
	if !*updateReadme {
		now, was := difference(got, string(is))
		t.Fatalf("the commands print %q, doc/session.svg shows %q (%v): run `go test ./cmd/locus -run TestRecording -readme`", now, was, err)
	}
	if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A session is text on a terminal. Its lines appear one after another.
type session struct {
	lines   strings.Builder
	count   int
	seconds float64 // the time at which the next line appears
}

const (
	sessionWidth = 112 // characters
	lineHeight   = 18
	charWidth    = 8
)

// add adds a command and its output.
func (s *session) add(command, printed string) {
	s.line("command", "$ "+command)
	s.seconds += 1.2
	for line := range strings.Lines(printed) {
		s.line("output", strings.TrimSuffix(line, "\n"))
	}
	s.seconds += 1.8
	s.count++ // an empty line
}

func (s *session) line(class, text string) {
	if r := []rune(text); len(r) > sessionWidth {
		text = string(r[:sessionWidth-1]) + "…"
	}
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(text)) // a strings.Builder returns no error
	s.count++
	fmt.Fprintf(&s.lines, "<text class=%q x=\"16\" y=\"%d\" style=\"animation-delay:%.1fs\">%s</text>\n", class, 12+s.count*lineHeight, s.seconds, escaped.String())
}

// svg returns the session as an image. In a viewer without animations it shows all lines.
func (s *session) svg() string {
	width, height := sessionWidth*charWidth+32, s.count*lineHeight+16
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="A terminal session with locus">
<style>
text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #d0d7de }
.command { fill: #7ee787 }
@media (prefers-reduced-motion: no-preference) {
  text { opacity: 0; animation: appear 1ms forwards }
  @keyframes appear { to { opacity: 1 } }
}
</style>
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
%s</svg>
`, width, height, s.lines.String())
}
