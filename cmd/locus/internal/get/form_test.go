package get

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"locus/access"
	"locus/cmd/locus/internal/cli"
)

func TestParseAnswers(t *testing.T) {
	got, err := parseAnswers([]string{"name=Ada", "empty=", "eq=a=b"})
	want := []namedAnswer{{"name", "Ada"}, {"empty", ""}, {"eq", "a=b"}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("parseAnswers = %q, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("answer %d is %q, want %q", i, got[i], want[i])
		}
	}
	for _, text := range []string{"", "x", "=secret"} {
		_, err := parseAnswers([]string{text})
		if _, ok := errors.AsType[*cli.UsageError](err); !ok || strings.Contains(err.Error(), "secret") {
			t.Errorf("parseAnswers(%q) = %v, want a UsageError without the text", text, err)
		}
	}
}

// Without a terminal an answer comes from --answer or is the default of the form; otherwise
// the error says how to give it. A form names no file for its result.
func TestAnswer(t *testing.T) {
	e, _ := newEnv(t)
	if err := os.WriteFile(e.Path("letter"), []byte("the letter"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := &getter{Env: e, answers: []namedAnswer{{"name", "Ada"}, {"name", "Bob"}, {"file", "@letter"}, {"raw", "letter"}, {"gone", "@none"}, {"kept", "my.txt"}}}
	for _, tt := range []struct {
		question access.Question
		text     string
		file     string // its content
		hint     string // of the error; "": there is none
		fails    bool
	}{
		{question: access.Question{Name: "name"}, text: "Ada"},
		{question: access.Question{Name: "name", Kind: access.AskPassword, Default: "x"}, text: "Ada"},
		{question: access.Question{Name: "colour", Default: "red"}, text: "red"},
		{question: access.Question{Name: "colour", Kind: access.AskChoice, Choices: []string{"red"}}, hint: `--answer "colour=VALUE"`, fails: true},
		{question: access.Question{Name: "agree", Kind: access.AskSelect}},
		{question: access.Question{Name: "none", Kind: access.AskFile}},
		{question: access.Question{Name: "note", Kind: access.AskNote, Prompt: "hello"}},
		{question: access.Question{Name: "save", Kind: access.AskSave, Default: "out.txt"}},
		{question: access.Question{Name: "kept", Kind: access.AskSave, Default: "out.txt"}, text: "my.txt"},
		{question: access.Question{Name: "file", Kind: access.AskFile}, text: "letter", file: "the letter"},
		{question: access.Question{Name: "raw", Kind: access.AskFile}, hint: `--answer "raw=@FILE"`, fails: true},
		{question: access.Question{Name: "gone", Kind: access.AskFile}, fails: true},
		{question: access.Question{Name: "text", Kind: access.AskText}, hint: `--answer "text=VALUE"`, fails: true},
	} {
		got, err := g.answer(t.Context(), tt.question)
		if got.Text != tt.text || (err != nil) != tt.fails || !strings.Contains(cli.Hint(err), tt.hint) {
			t.Errorf("answer to %+v = %q, %v (hint %q), want %q", tt.question, got.Text, err, cli.Hint(err), tt.text)
		}
		var content []byte
		if got.File != nil {
			content, _ = io.ReadAll(got.File)
			got.File.(io.Closer).Close()
		}
		if string(content) != tt.file {
			t.Errorf("answer to %+v has the file %q, want %q", tt.question, content, tt.file)
		}
	}
}

// An answer to no question is an error that names the questions.
func TestCheckNames(t *testing.T) {
	q := &access.Questions{Items: []access.Question{{Name: "your name"}, {Name: "hello", Kind: access.AskNote}, {Name: "out", Kind: access.AskSave}, {Name: "age"}}}
	for name, ok := range map[string]bool{"age": true, "your name": true, "nam": false, "hello": false, "out": true} {
		err := (&getter{answers: []namedAnswer{{name, "secret"}}}).checkNames(q)
		if (err == nil) != ok || err != nil && (cli.Hint(err) != `it asks "your name", "out", "age"` || strings.Contains(err.Error(), "secret")) {
			t.Errorf("checkNames(%q) = %v, hint %q", name, err, cli.Hint(err))
		}
	}
}

// Lines are read byte by byte, so that what follows is left for another reader.
func TestReadText(t *testing.T) {
	e, typed := newEnv(t)
	if _, err := typed.WriteString("one\r\ntwo\n\n.\n.\nlast"); err != nil {
		t.Fatal(err)
	}
	typed.Close()
	g := &getter{Env: e}
	for _, want := range []string{"one\ntwo\n", "usual"} {
		if got, err := g.readText("usual"); got != want || err != nil {
			t.Errorf("readText = %q, %v, want %q", got, err, want)
		}
	}
	if got, err := g.readLine(); got != "last" || err != nil {
		t.Errorf("readLine = %q, %v", got, err)
	}
	if _, err := g.readLine(); !errors.Is(err, io.EOF) {
		t.Errorf("readLine at the end = %v, want io.EOF", err)
	}
	if _, err := g.readText(""); !errors.Is(err, io.EOF) {
		t.Errorf("readText at the end = %v, want io.EOF", err)
	}
}

// A line without an end takes bounded memory.
func TestReadLongLine(t *testing.T) {
	e, typed := newEnv(t)
	go func() {
		defer typed.Close()
		_, _ = typed.WriteString(strings.Repeat("x", 1<<17))
	}()
	g := &getter{Env: e}
	if got, err := g.readLine(); len(got) != 1<<16 || err != nil {
		t.Errorf("readLine = %d bytes, %v", len(got), err)
	}
	e.Stdin.Close()
}
