package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is in a folder is read unless it is binary; what is named is read.
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
	x := &extractor{workers: 2}
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
	for range x.folder(dir) { // who stops early leaves nothing behind
		break
	}
}

// A text in UTF-16 that is named is said to be one, not searched in vain.
func TestExtractUTF16(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("\xff\xfeh\x00t\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := &extractor{workers: 1}
	var last error
	for h := range x.file(file, false, 1) {
		last = h.err
	}
	if last == nil || !strings.Contains(last.Error(), "UTF-16") {
		t.Errorf("the error is %v, want one about UTF-16", last)
	}
}
