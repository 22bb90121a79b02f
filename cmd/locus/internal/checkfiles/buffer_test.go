package checkfiles

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// A buffer holds the whole file, also after a longer or a shorter file.
func TestBuffer(t *testing.T) {
	const limit = 2 * maxKept
	var b buffer
	for _, size := range []int{0, 1, startSize - 1, startSize, startSize + 1, maxKept - 1, maxKept, limit - 1, limit, limit + 1, 10, 4 * startSize} {
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
		if err := b.readStart(f); cap(b.text) > maxKept {
			t.Errorf("after a file of %d bytes, a buffer of %d bytes is kept for other files", size, cap(b.text))
		} else if err != nil || len(b.text) != min(size, startSize) {
			t.Fatalf("readStart of %d bytes reads %d, %v", size, len(b.text), err)
		}
		r, err := b.readRest(f, limit)
		if err != nil {
			t.Fatalf("readRest of a file of %d bytes: %v", size, err)
		}
		if _, isWhole := r.(*bytes.Buffer); isWhole != (size < limit) {
			t.Errorf("readStart of %d bytes: isWhole = %v", size, isWhole)
		}
		if got, err := io.ReadAll(r); !bytes.Equal(got, want) || err != nil {
			t.Errorf("readRest of %d bytes reads %d, %v", size, len(got), err)
		}
		most := max(maxKept, size+1)
		if size >= limit { // the reader of the rest has a buffer of its own
			most = maxKept
		}
		if cap(b.text) > most {
			t.Errorf("readRest of %d bytes leaves %d in the buffer", size, cap(b.text))
		}
	}
}

// An error of reading a file is returned, at any offset.
func TestBufferError(t *testing.T) {
	want := errors.New("broken")
	for _, size := range []int{0, startSize, 2 * startSize} {
		var b buffer
		f := unknownSize{io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(want))}
		err := b.readStart(f)
		if err == nil {
			_, err = b.readRest(f, maxKept)
		}
		if !errors.Is(err, want) {
			t.Errorf("reading that fails after %d bytes = %v", size, err)
		}
	}
}

// An unknownSize is a file whose Stat fails.
type unknownSize struct{ io.Reader }

func (unknownSize) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
