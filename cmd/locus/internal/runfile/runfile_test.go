package runfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"locus/check"
)

// Open resumes a run from its file, unless the run is too old or another process has it open.
func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run")
	first, err := Open(name, time.Hour)
	if err != nil || first.IsResumed {
		t.Fatalf("the first Open = %+v, %v", first, err)
	}
	source := check.Source{Document: "a", Links: []check.Link{{URL: "http://h/", Line: 1, Column: 1}}}
	if err := check.Seed(t.Context(), first, source); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, time.Hour); !errors.Is(err, ErrLocked) {
		t.Errorf("Open of a run that is open = %v, want %v", err, ErrLocked)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(name, time.Hour)
	if err != nil || !second.IsResumed {
		t.Fatalf("the second Open = %+v, %v", second, err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	third, err := Open(name, time.Hour)
	if err != nil || third.IsResumed {
		t.Fatalf("Open after two hours = %+v, %v", third, err)
	}
	if err := third.End(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file after End: %v", err)
	}
}

func TestTemporary(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := Temporary()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err := f.WriteAt([]byte("x"), 5); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadAt(b, 5); err != nil || string(b) != "x" {
		t.Errorf("read %q, %v", b, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("the folder for temporary files still has %v, %v", left, err)
	}
}
