package site

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"locus/url"
)

// plainFiles is a file system whose test fails if something other than a file or a folder is opened, because reading a
// pipe waits until somebody writes to it, and a device such as /dev/zero never ends.
type plainFiles struct {
	fstest.MapFS
	t *testing.T
}

func (f plainFiles) Open(name string) (fs.File, error) {
	if info, err := f.MapFS.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f.t.Errorf("%s is opened", name)
	}
	return f.MapFS.Open(name)
}

func (f plainFiles) ReadFile(name string) ([]byte, error) {
	if info, err := f.MapFS.Stat(name); err == nil && !info.Mode().IsRegular() {
		f.t.Errorf("%s is read", name)
	}
	return f.MapFS.ReadFile(name)
}

// Pipes and devices with the names of sources and configurations are not opened.
func TestPlainFiles(t *testing.T) {
	pipe := &fstest.MapFile{Mode: fs.ModeNamedPipe, Data: []byte("x: 1\n")}
	device := &fstest.MapFile{Mode: fs.ModeDevice | fs.ModeCharDevice, Data: []byte("x: 1\n")}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	siteOf := func(files fstest.MapFS) *Site {
		return &Site{Folder: url.MustParse("file:///s/"), Files: plainFiles{files, t}}
	}
	for _, odd := range []*fstest.MapFile{pipe, device} {
		if g, _ := GeneratorIn(plainFiles{fstest.MapFS{"mkdocs.yml": odd, "_config.yml": odd, "a.md": file("")}, t}); g.Name != "MkDocs" {
			t.Errorf("with a mode %v, GeneratorIn = %q, want MkDocs by the name alone", odd.Mode, g.Name)
		}
		s := siteOf(fstest.MapFS{"conf.py": odd, "a.rst": odd, "b.rst": file(".. _here:\n")})
		if at, why, ok := s.Label("here"); at != "file:///s/b.rst#here" || why != "" || !ok {
			t.Errorf("with a mode %v, the label of another file is at %q, %q, %v", odd.Mode, at, why, ok)
		}
		if _, why, _ := s.Label("there"); why != MayBeLabel {
			t.Errorf("with a mode %v of conf.py, a missing label is %q, want %q", odd.Mode, why, MayBeLabel)
		}
		s = siteOf(fstest.MapFS{"_redirects": odd, "index.html": odd})
		if faults := s.Faults(); faults != nil {
			t.Errorf("with a mode %v, _redirects has the faults %v", odd.Mode, faults)
		}
		if address, ok := s.Canonical(); ok {
			t.Errorf("with a mode %v, the index page has the address %v", odd.Mode, address)
		}
	}
}

// A large conf.py is not read.
func TestLargeConf(t *testing.T) {
	s := &Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{"conf.py": {Data: []byte(strings.Repeat("#", maxConfig+1))}}}
	if _, why, _ := s.Label("there"); why != MayBeLabel {
		t.Errorf("with a large conf.py, a missing label is %q, want %q", why, MayBeLabel)
	}
}
