package main

import (
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"locus/demo"
)

var updateReadme = flag.Bool("readme", false, "update the output of the sessions in README.md and doc/schemes")

const (
	readme     = "../../README.md"
	schemeDocs = "../../doc/schemes/*.md"
	fence      = "```"
)

// The sessions of README.md and of the documents about schemes show the output of their commands,
// which run in an empty folder. The output of cat becomes a file for the commands after it. Other
// lines that do not run locus ("$ go install …") have no output to compare.
func TestReadme(t *testing.T) {
	files, err := filepath.Glob(schemeDocs)
	if err != nil || len(files) < 17 {
		t.Fatalf("%s has %d files: %v", schemeDocs, len(files), err)
	}
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Mail: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	for _, file := range append(files, readme) {
		file, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { testSessions(t, d, file) })
	}
}

// testSessions holds the sessions of a document to the command. With -readme it writes them anew.
func testSessions(t *testing.T, d *demo.Demo, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	before, rest, ok := strings.Cut(string(text), fence+"console\n")
	if !ok {
		t.Fatalf("%s has no session", file)
	}
	got := before
	for ok {
		var session string
		session, rest, _ = strings.Cut(rest, fence+"\n")
		got += fence + "console\n" + replay(t, d, session) + fence + "\n"
		before, rest, ok = strings.Cut(rest, fence+"console\n")
		got += before
	}
	if got == string(text) {
		return
	}
	if !*updateReadme {
		is, shown := difference(got, string(text))
		t.Errorf("the command prints %q where %s has %q: run `go test ./cmd/locus -run TestReadme -readme`", is, file, shown)
		return
	}
	if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replay returns a session with the current output of its commands.
func replay(t *testing.T, d *demo.Demo, session string) string {
	t.Helper()
	toFree, toUsual := addresses(t, d)
	var shown strings.Builder
	for step := range strings.SplitSeq("\n"+session, "\n$ ") {
		command, was, _ := strings.Cut(step, "\n")
		if command == "" {
			continue
		}
		shown.WriteString("$ " + command + "\n")
		file, isFile := strings.CutPrefix(command, "cat ")
		switch {
		case command == "locus demo":
			var help strings.Builder
			if err := d.Help(&help, "127.0.0.1:1738"); err != nil {
				t.Fatalf("Help for %q: %v", step, err)
			}
			shown.WriteString(toUsual.Replace(help.String()))
		case isFile:
			was = strings.TrimSuffix(was, "\n") + "\n"
			if err := os.WriteFile(file, []byte(toFree.Replace(was)), 0o600); err != nil {
				t.Fatal(err)
			}
			shown.WriteString(was)
		case strings.HasPrefix(command, "locus "):
			if special := shellCharacter(command); special != "" {
				t.Errorf("the command %q has %q outside of quotes, which a shell interprets: put the argument in single quotes", command, special)
			}
			shown.WriteString(toUsual.Replace(show(t, words(toFree.Replace(command)))))
		}
	}
	return shown.String()
}

// addresses returns two replacers. toFree replaces the demo's usual ports, which README.md shows,
// by the ports of d. toUsual is the inverse.
func addresses(t *testing.T, d *demo.Demo) (toFree, toUsual *strings.Replacer) {
	t.Helper()
	const usualMail = "/tmp/locus-demo-1234567890" // an example
	mail := d.Letters()[0].Args[2]
	there, back := []string{usualMail, mail}, []string{mail, usualMail}
	for _, s := range d.Services() {
		_, port, err := net.SplitHostPort(s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		usualPort := strconv.Itoa(int(demo.UsualPort(s.Scheme)))
		for _, before := range []string{"127.0.0.1:", "127.0.0.1%3A", "127.0.0.1\t", "\n  port      "} { // in URLs, in menus, and as parse shows a port
			there = append(there, before+usualPort, before+port)
			back = append(back, before+port, before+usualPort)
		}
	}
	return strings.NewReplacer(there...), strings.NewReplacer(back...)
}

// show runs the command and returns the text that a terminal would show. Verbs that list entries run
// at a terminal, because they write shorter lines there.
func show(t *testing.T, args []string) string {
	t.Helper()
	var text []byte
	var err error
	if args[1] == "ls" || args[1] == "stat" {
		text, err = atTerminal(func(tty *os.File) { program().Run(context.Background(), testEnv(tty, tty, tty), args) })
	} else {
		text, err = intoFile(t, func(f *os.File) { program().Run(context.Background(), testEnv(os.Stdin, f, f), args) })
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("package ptytest opens terminals only on Linux")
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// intoFile calls run with a file, and returns the text that the file has at the end.
func intoFile(t *testing.T, run func(f *os.File)) ([]byte, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shown")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	run(f)
	return os.ReadFile(file)
}

// difference returns the first line in which a and b differ, from both.
func difference(a, b string) (inA, inB string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i], bs[i]
		}
	}
	return "", ""
}

// shellCharacter returns the first character of a line that a shell such as bash or zsh interprets. It returns "" if
// there is none outside of single quotes, so that readers can paste the line.
func shellCharacter(line string) string {
	for i, part := range strings.Split(line, "'") {
		if at := strings.IndexAny(part, "!\"$&()*;<>?[\\]`{|}"); i%2 == 0 && at >= 0 {
			return part[at : at+1]
		}
	}
	return ""
}

// words splits a line as a shell that knows single quotes does.
func words(line string) []string {
	var args []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
			continue
		}
		args = append(args, strings.Fields(part)...)
	}
	return args
}
