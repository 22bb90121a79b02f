package demo

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"locus/demo/internal/library"
	"locus/proto/mail"
)

// The Maildir of the demo has letters that mid and cid URLs name, and the folder of texts has the texts of the library,
// whichever files the servers have.
func TestMailAndTexts(t *testing.T) {
	dir := t.TempDir()
	maildir, texts := filepath.Join(dir, "a", "Maildir"), filepath.Join(dir, "b")
	d := start(t, Config{Mail: maildir, Texts: texts, Files: fstest.MapFS{"x.txt": {}}})
	picture, err := fs.ReadFile(library.Files(), "pictures/lens.png")
	if err != nil {
		t.Fatal(err)
	}
	box := &mail.Mailbox{Name: maildir}
	for _, test := range []struct {
		url  string
		want []byte // a part of the resource
	}{
		{"mid:lens@demo.example", []byte("Subject: The lens that you asked about")},
		{"mid:thanks@demo.example", []byte("In-Reply-To: <lens@demo.example>")},
		{"cid:picture@demo.example", picture},
	} {
		if got, err := read(t.Context(), box, test.url); err != nil || !bytes.Contains(got, test.want) {
			t.Errorf("%s is %.80q, %v, want %.80q in it", test.url, got, err, test.want)
		}
	}
	for _, letter := range d.Letters() {
		if text := letter.String(); strings.Contains(text, "--mail") && !strings.Contains(text, maildir) {
			t.Errorf("the command %s is for another folder than %s", text, maildir)
		}
	}
	if len(d.Letters()) == 0 {
		t.Error("there are no commands for the letters")
	}
	want, err := fs.ReadFile(library.Files(), "texts/ftp.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(texts, "texts", "ftp.txt")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the folder of texts has %.80q, %v, want %.80q", got, err, want)
	}
	if info, err := os.Stat(maildir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the mode of the Maildir is %v, %v, want 0700", info, err)
	}
	if got := start(t, Config{}).Letters(); got != nil {
		t.Errorf("without a Maildir, the commands for letters are %v", got)
	}
}

// If a folder or an index cannot be made, Start says which one, and opens no port.
func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	file, full := filepath.Join(dir, "file"), filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "texts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(full, "texts", "ftp.txt")} {
		if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name string
		cfg  Config
		want string
		is   error
	}{
		{"a Maildir below a file", Config{Mail: filepath.Join(file, "Maildir")}, "start demo: write mail: ", nil},
		{"texts below a file", Config{Texts: filepath.Join(file, "b")}, "start demo: write texts: ", nil},
		{"texts that exist", Config{Texts: full}, "start demo: write texts: ", fs.ErrExist},
		{"files that cannot be read", Config{Files: locked{}}, "start demo: index the texts: ", fs.ErrPermission},
	} {
		test.cfg.Listen = func(string, string) (net.Listener, error) {
			t.Errorf("%s: a port is opened", test.name)
			return nil, errors.New("no port")
		}
		_, err := Start(t.Context(), test.cfg)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("%s: Start = %v, want %q and %v", test.name, err, test.want, test.is)
		}
	}
	if got, err := os.ReadFile(filepath.Join(full, "texts", "ftp.txt")); string(got) != "mine" || err != nil {
		t.Errorf("a text of the user is replaced by %.80q, %v", got, err)
	}
}

// A locked file system opens no file.
type locked struct{}

func (locked) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}
