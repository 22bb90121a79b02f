package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/lines"
	"locus/extract/document"
)

// Binary files in a folder are skipped. A binary file that the user names is read.
func TestExtractBinary(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "http://a/", "b.bin": "\x00 http://b/", "sub/c.txt": "http://c/"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	x := &extractor{Env: cli.NewEnv(nil, nil, nil), workers: 2, out: lines.New(&out, lines.Options{})}
	found := func(pages iter.Seq[*lines.Page]) []string {
		out.Reset()
		if err := x.out.Write(pages, func(err error) error { return err }); err != nil {
			t.Error(err)
		}
		return strings.Fields(out.String())
	}
	if got, want := found(x.folder(dir)), []string{"http://a/", "http://c/"}; !slices.Equal(got, want) {
		t.Errorf("the URLs in the folder are %q, want %q", got, want)
	}
	if got, want := found(x.file(filepath.Join(dir, "b.bin"), false, 1)), []string{"http://b/"}; !slices.Equal(got, want) {
		t.Errorf("the URLs in the binary file are %q, want %q", got, want)
	}
	for range x.folder(dir) { // ending early must not leak a goroutine
		break
	}
}

// A compressed file, or a file in UTF-16, is an error that names the format, in a file and in a
// pipe.
func TestExtractForeign(t *testing.T) {
	for _, test := range []struct{ start, want string }{
		{"\xff\xfeh\x00", "UTF-16"},
		{"\xfe\xff\x00h", "UTF-16"},
		{"\x1f\x8b\x08\x00", "gzip"},
		{"BZh91AY&SY", "bzip2"},
		{"\xfd7zXZ\x00", "xz"},
		{"\x28\xb5\x2f\xfd", "zstd"},
		{"PK\x03\x04", "zip"},
		{"BZh9 http://h/", ""},
		{"\xff http://h/", ""},
		{"P", ""},
	} {
		text := test.start + strings.Repeat("x", 10)
		file := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		x := &extractor{Env: cli.NewEnv(nil, nil, nil), workers: 1, out: lines.New(io.Discard, lines.Options{})}
		for name, pages := range map[string]iter.Seq[*lines.Page]{
			"file": x.file(file, false, 1),
			"pipe": x.read(&input{name: "-", from: iotest.OneByteReader(strings.NewReader(text))}, 0),
			"page": x.read(&input{name: "-", mode: document.HTML, from: strings.NewReader(text)}, 0),
		} {
			last := x.out.Write(pages, func(err error) error { return err })
			if (last == nil) != (test.want == "") || last != nil && !strings.Contains(last.Error(), test.want) {
				t.Errorf("extract from %s of %q = %v, want an error about %q", name, text, last, test.want)
			}
		}
		err := x.out.Write(x.file(file, true, 1), func(err error) error { return err })
		if err != nil && test.want != "UTF-16" {
			t.Errorf("extract of a folder with the file %q = %v", text, err)
		}
	}
}

// All URLs of large files in a folder are found, with few pages in memory. walk.Reader and
// lines.Writer limit them.
func TestLargeFolder(t *testing.T) {
	dir := t.TempDir()
	text := []byte(strings.Repeat("http://example.org/\n", 50_000))
	for _, name := range []string{"a", "b", "c", "d"} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := &extractor{Env: cli.NewEnv(nil, nil, nil), workers: 2, out: lines.New(io.Discard, lines.Options{})}
	if err := x.write(x.folder(dir)); err != nil || x.out.Count() != 200_000 {
		t.Errorf("%d URLs, %v, want 200000", x.out.Count(), err)
	}
}

// If the reader of stdout has closed it, extract returns that error without reporting it.
func TestClosedOutput(t *testing.T) {
	stdin, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	reader, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	var written sync.WaitGroup
	defer written.Wait()
	defer input.Close()
	written.Go(func() {
		for range 1000 {
			if _, err := input.WriteString(strings.Repeat("http://example.org/\n", 100)); err != nil {
				return
			}
		}
	})
	if err := Run(t.Context(), cli.NewEnv(stdin, stdout, os.Stderr), Options{}); !cli.IsBrokenPipe(err) {
		t.Errorf("Run = %v, want a broken pipe", err)
	}
}

// The output for a long file is the same with one worker and with several.
func TestLongFile(t *testing.T) {
	var text strings.Builder
	for i := 0; text.Len() < long; i++ {
		fmt.Fprintf(&text, "http://h/%d, <URL:ftp://h/a-\n%d> and %s\n", i%1000, i, strings.Repeat("x", i%3000))
	}
	fmt.Fprintf(&text, "http://h/%s\nhttp://end/", strings.Repeat("y", 70_000))
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Unique: true}, {JSON: true}, {JSON: true, Unique: true}, {Count: true}, {Count: true, Unique: true}, {Schemes: []string{"ftp"}}} {
		o.Args = []string{file}
		var outputs []string
		for _, o.Jobs = range []int{1, 3} {
			stdout, stderr := outFile(t), outFile(t)
			e := cli.NewEnv(nil, stdout, stderr)
			if err := Run(t.Context(), e, o); !errors.Is(err, cli.ErrReported) { // because of the URL that is too long
				t.Fatalf("Run(%+v): %v", o, err)
			}
			if err := e.Out.Flush(); err != nil {
				t.Fatalf("Flush after Run(%+v): %v", o, err)
			}
			out, err := os.ReadFile(stdout.Name())
			if err != nil || len(out) == 0 {
				t.Fatalf("Run(%+v) of the long file = %v, with %d bytes of output", o, err, len(out))
			}
			message, err := os.ReadFile(stderr.Name())
			if err != nil || !strings.Contains(string(message), "longer than the limit") {
				t.Errorf("Run(%+v) writes %q to stderr, %v", o, message, err)
			}
			outputs = append(outputs, string(out))
		}
		if outputs[0] != outputs[1] {
			t.Errorf("%+v: the %d bytes of output with one worker differ from the %d with three", o, len(outputs[0]), len(outputs[1]))
		}
	}
}

func outFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
