package extract

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"locus/cmd/locus/internal/cli"
	"locus/extract/document"
)

// Binary files in a folder are skipped. A binary file that is named is read.
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
	x := &extractor{Env: new(cli.Env), workers: 2}
	found := func(hits func(func(hit) bool)) (all []string) {
		for h := range hits {
			if h.err != nil {
				t.Error(h.err)
			}
			all = append(all, h.text)
		}
		return all
	}
	if got, want := found(x.folder(dir)), []string{"http://a/", "http://c/"}; !slices.Equal(got, want) {
		t.Errorf("in the folder: %q, want %q", got, want)
	}
	if got, want := found(x.file(filepath.Join(dir, "b.bin"), false, 1)), []string{"http://b/"}; !slices.Equal(got, want) {
		t.Errorf("in the file: %q, want %q", got, want)
	}
	for range x.folder(dir) { // stopping early leaks no goroutine
		break
	}
}

// A compressed file, or one in UTF-16, is an error that says so, from a file or a pipe.
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
		x := &extractor{Env: new(cli.Env), workers: 1}
		for name, hits := range map[string]iter.Seq[hit]{
			"file": x.file(file, false, 1),
			"pipe": x.read(&input{name: "-", from: iotest.OneByteReader(strings.NewReader(text))}),
			"page": x.read(&input{name: "-", mode: document.HTML, from: strings.NewReader(text)}),
		} {
			var last error
			for h := range hits {
				last = h.err
			}
			if (last == nil) != (test.want == "") || last != nil && !strings.Contains(last.Error(), test.want) {
				t.Errorf("%s of %q: %v, want an error about %q", name, text, last, test.want)
			}
		}
		for h := range x.file(file, true, 1) {
			if h.err != nil && test.want != "UTF-16" {
				t.Errorf("in a folder, %q: %v", text, h.err)
			}
		}
	}
}

// However many URLs a file of a folder has, few of them wait to be written.
func TestFolderMemory(t *testing.T) {
	dir := t.TempDir()
	text := []byte(strings.Repeat("http://example.org/\n", 50_000))
	for _, name := range []string{"a", "b", "c", "d"} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := &extractor{Env: new(cli.Env), workers: 2}
	var all sync.WaitGroup
	count := 0
	for j := range x.jobs(t.Context(), dir, &all) {
		for batch := range j.hits {
			if count += len(batch); len(batch) > batchSize || cap(j.hits) > batches {
				t.Fatalf("%d of %d hits wait", len(batch), cap(j.hits))
			}
		}
	}
	all.Wait()
	if count != 200_000 {
		t.Errorf("%d hits, want 200000", count)
	}
}

// When the reader of stdout is gone, extract ends with that error, which it does not
// report.
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
