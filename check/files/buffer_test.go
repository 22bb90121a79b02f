package files

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// A buffer has the whole of a file of any length, also after a longer or a shorter one.
func TestBuffer(t *testing.T) {
	var b buffer
	for _, size := range []int{0, 1, startSize - 1, startSize, startSize + 1, maxWhole - 1, maxWhole, maxWhole + 1, 10, 4 * startSize} {
		want := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := b.readStart(f); err != nil || len(b.text) != min(size, startSize) {
			t.Fatalf("the start of %d bytes has %d, %v", size, len(b.text), err)
		}
		r, err := b.readOn(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, isWhole := r.(*bytes.Buffer); isWhole != (size < maxWhole) {
			t.Errorf("%d bytes: whole is %v", size, isWhole)
		}
		if got, err := io.ReadAll(r); !bytes.Equal(got, want) || err != nil {
			t.Errorf("of %d bytes %d were read, %v", size, len(got), err)
		}
		if cap(b.text) > maxWhole {
			t.Errorf("after %d bytes the buffer has %d", size, cap(b.text))
		}
	}
}

// An error while a file is read is returned, wherever it happens.
func TestBufferError(t *testing.T) {
	want := errors.New("broken")
	for _, size := range []int{0, startSize, 2 * startSize} {
		var b buffer
		f := io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(want))
		err := b.readStart(f)
		if err == nil {
			_, err = b.readOn(f)
		}
		if !errors.Is(err, want) {
			t.Errorf("after %d bytes: %v", size, err)
		}
	}
}
