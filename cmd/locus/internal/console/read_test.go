package console

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestUntilDone(t *testing.T) {
	long := strings.Repeat("long ", 100_000)
	for _, text := range []string{"", "x", long} {
		if got, err := io.ReadAll(UntilDone(t.Context(), strings.NewReader(text))); string(got) != text || err != nil {
			t.Errorf("UntilDone of %d bytes reads %d, %v", len(text), len(got), err)
		}
	}
	broken := errors.New("broken")
	if got, err := io.ReadAll(UntilDone(t.Context(), io.MultiReader(strings.NewReader("x"), iotest.ErrReader(broken)))); string(got) != "x" || !errors.Is(err, broken) {
		t.Errorf("UntilDone of a reader that fails reads %q, %v, want %v", got, err, broken)
	}
	rest := strings.NewReader("header\nbody\n")
	if n, err := UntilDone(t.Context(), rest).Read(make([]byte, 7)); n != 7 || err != nil || rest.Len() != 5 {
		t.Errorf("read %d bytes, %v, and %d are left, want 7 and 5", n, err, rest.Len())
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent, w := io.Pipe()
	defer w.Close()
	r := UntilDone(ctx, silent)
	cancel()
	if got, err := io.ReadAll(r); len(got) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context, UntilDone reads %q, %v, want %v", got, err, context.Canceled)
	}
}

// UntilDone can seek in files on disk and in memory, but not in pipes and devices.
func TestUntilDoneSeeks(t *testing.T) {
	onDisk, err := os.Create(filepath.Join(t.TempDir(), "m.eml"))
	if err != nil {
		t.Fatal(err)
	}
	defer onDisk.Close()
	if _, err := onDisk.WriteString("one two"); err != nil {
		t.Fatal(err)
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer pipe.Close()
	null, err := os.Open(os.DevNull) // a device that claims to seek
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, test := range []struct {
		what string
		r    io.Reader
		ok   bool
	}{
		{"a file", onDisk, true},
		{"a text", strings.NewReader("one two"), true},
		{"a pipe", pipe, false},
		{"a device", null, false},
		{"a reader", iotest.OneByteReader(strings.NewReader("one two")), false},
	} {
		r := UntilDone(t.Context(), test.r)
		at, err := r.(io.Seeker).Seek(4, io.SeekStart)
		if (err == nil) != test.ok {
			t.Errorf("Seek in %s = %d, %v, want success %v", test.what, at, err, test.ok)
		}
		if err != nil {
			continue
		}
		if got, err := io.ReadAll(r); string(got) != "two" || err != nil {
			t.Errorf("after Seek, %s reads %q, %v, want %q", test.what, got, err, "two")
		}
	}
}
