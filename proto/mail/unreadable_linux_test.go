package mail_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"locus/proto/mail"
)

// A message is reported missing only if every file could be read.
func TestMaildirUnreadable(t *testing.T) {
	dir := makeMaildir(t, map[string]string{"cur/1.a:2,": messageWithPart("one"), "cur/2.b:2,": messageWithPart("two"), ".Sub/cur/3.c:2,": messageWithPart("three")})
	c := mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, dir)}}}
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chmod(name, 0o755))
	})
	if err != nil {
		t.Fatal(err)
	}
	checkFinds(t, c, "one", true)
	for _, name := range []string{"cur/1.a:2,", ".Sub/cur"} {
		name = filepath.Join(dir, name)
		if err := os.Chmod(name, 0); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		defer os.Chmod(name, 0o755)
	}
	withoutRoot(t, func() {
		for _, u := range []string{"mid:one@x", "mid:three@x", "mid:none@x", "cid:part.one"} {
			if _, _, err := read(t.Context(), c, u); !errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Open(%q) = %v, want %v", u, err, fs.ErrPermission)
			}
		}
		checkFinds(t, c, "two", true)
	})
}

// withoutRoot calls do without the rights of root, because root may read every file.
func withoutRoot(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	const nobody = 65534
	runtime.LockOSThread() // only this thread changes its rights
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setfsuid(0)
	do()
}
