package form

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locus/access"
)

// newFiller returns a Filler with hints, and without a terminal.
func newFiller() *Filler {
	return &Filler{HowTo: func(answer string) string { return "--answer " + strconv.Quote(answer) }}
}

// hintOf returns the hint of an error, or "".
func hintOf(err error) string {
	if remedy := access.RemedyFor(err); remedy != nil {
		return remedy.String()
	}
	return ""
}

// Without a terminal an answer comes from --answer or is the default of the form. Otherwise the
// error says how to give the answer. A form cannot name a file for its result.
func TestAnswer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "letter"), []byte("the letter"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newFiller()
	f.Open = func(name string) (*os.File, error) { return os.Open(filepath.Join(dir, name)) }
	f.Answers = []Answer{{"name", "Ada"}, {"name", "Bob"}, {"file", "@letter"}, {"raw", "letter"}, {"gone", "@none"}, {"kept", "my.txt"}}
	for _, test := range []struct {
		question access.Question
		text     string
		file     string // the content of the file
		hint     string // the hint of the error; "" without an error
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
		got, err := f.answer(t.Context(), test.question)
		if got.Text != test.text || (err != nil) != test.fails || !strings.Contains(hintOf(err), test.hint) {
			t.Errorf("answer to %+v = %q, %v (hint %q), want %q", test.question, got.Text, err, hintOf(err), test.text)
		}
		var content []byte
		if got.File != nil {
			content, _ = io.ReadAll(got.File)
			got.File.(io.Closer).Close()
		}
		if string(content) != test.file {
			t.Errorf("answer to %+v has the file %q, want %q", test.question, content, test.file)
		}
	}
}

// An answer without a question is an error that names the questions.
func TestCheckNames(t *testing.T) {
	q := &access.Questions{Items: []access.Question{{Name: "your name"}, {Name: "hello", Kind: access.AskNote}, {Name: "out", Kind: access.AskSave}, {Name: "age"}}}
	for name, ok := range map[string]bool{"age": true, "your name": true, "nam": false, "hello": false, "out": true} {
		err := (&Filler{Answers: []Answer{{name, "secret"}}}).checkNames(q)
		if (err == nil) != ok || err != nil && (hintOf(err) != `its questions are "your name", "out", "age"` || strings.Contains(err.Error(), "secret")) {
			t.Errorf("checkNames(%q) = %v, hint %q", name, err, hintOf(err))
		}
	}
}

// Lines are read byte by byte, so that another reader gets the bytes after them.
func TestReadText(t *testing.T) {
	terminal := &Terminal{In: strings.NewReader("one\r\ntwo\n\n.\n.\nlast")}
	for _, want := range []string{"one\ntwo\n", "usual"} {
		if got, err := terminal.readText("usual"); got != want || err != nil {
			t.Errorf("readText = %q, %v, want %q", got, err, want)
		}
	}
	if got, err := terminal.readLine(); got != "last" || err != nil {
		t.Errorf("readLine = %q, %v", got, err)
	}
	if _, err := terminal.readLine(); !errors.Is(err, io.EOF) {
		t.Errorf("readLine at the end = %v, want io.EOF", err)
	}
	if _, err := terminal.readText(""); !errors.Is(err, io.EOF) {
		t.Errorf("readText at the end = %v, want io.EOF", err)
	}
}

// Reading a line without an end takes limited memory.
func TestReadLongLine(t *testing.T) {
	terminal := &Terminal{In: strings.NewReader(strings.Repeat("x", 1<<17))}
	if got, err := terminal.readLine(); len(got) != 1<<16 || err != nil {
		t.Errorf("readLine = %d bytes, %v", len(got), err)
	}
}

// The terminal asks each question and shows the possible answers. An empty answer means the
// default. The server gets the name of the file for the result, without its folders.
func TestFill(t *testing.T) {
	var shown []string
	show := func(text string) { shown = append(shown, text) }
	f := newFiller()
	f.Terminal = &Terminal{
		In: strings.NewReader("\nblue\none\ntwo\n.\n1\n\ndown/out.txt\n"), Say: show, Ask: show,
		Hidden: func(_ context.Context, prompt string) (string, error) { show(prompt); return "sesame", nil },
	}
	q := &access.Questions{Title: "A form", Items: []access.Question{
		{Name: "note", Kind: access.AskNote, Prompt: "Welcome"},
		{Name: "name", Prompt: "Name", Default: "Ada"},
		{Name: "colour", Kind: access.AskChoice, Prompt: "Colour", Choices: []string{"red", "blue"}},
		{Name: "text", Kind: access.AskText, Prompt: "Text", Default: "usual"},
		{Name: "agree", Kind: access.AskSelect, Prompt: "Agree"},
		{Name: "password", Kind: access.AskPassword, Prompt: "Password"},
		{Name: "file", Kind: access.AskFile, Prompt: "File"},
		{Name: "save", Kind: access.AskSave, Prompt: "Save", Default: "result.txt"},
	}}
	filled, err := f.Fill(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer filled.Close()
	var got []string
	for _, answer := range filled.Answers {
		got = append(got, answer.Text)
	}
	if want := []string{"", "Ada", "blue", "one\ntwo", "1", "sesame", "", "out.txt"}; !slices.Equal(got, want) || filled.SaveAs != "down/out.txt" {
		t.Errorf("Fill = %q, with the file %q, want %q", got, filled.SaveAs, want)
	}
	want := []string{
		"A form", "Welcome", "Name [Ada]", "Colour (red, blue)",
		"Text (several lines; a line that is just a dot ends them)", "Agree (1 is yes, 0 is no)", "Password",
		"File (name of a file to send, empty for none)", "Save (name of a file for the result, empty to show it)",
	}
	if !slices.Equal(shown, want) {
		t.Errorf("the terminal shows %q, want %q", shown, want)
	}
}

// If the caller knows where the result goes, Fill does not ask for a file for it.
func TestKnowsFile(t *testing.T) {
	f := newFiller()
	f.KnowsFile, f.Terminal = true, &Terminal{}
	filled, err := f.Fill(t.Context(), &access.Questions{Items: []access.Question{{Name: "save", Kind: access.AskSave, Default: "out.txt"}}})
	if err != nil || filled.SaveAs != "" || filled.Answers[0].Text != "out.txt" {
		t.Errorf("Fill = %+v, %v", filled, err)
	}
}
