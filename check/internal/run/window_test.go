package run

import (
	"bytes"
	"io"
	"testing"
)

// A window reads the same bytes as the file, whatever the order of the offsets.
func TestWindow(t *testing.T) {
	text := make([]byte, 3*windowSize)
	for i := range text {
		text[i] = byte(i * 7 / 3)
	}
	w := newWindow(bytes.NewReader(text))
	for _, test := range []struct{ at, n int }{
		{0, 10}, {5, 10}, {windowSize - 3, 10}, {0, 1}, {2*windowSize + 1, windowSize - 1}, {7, 2 * windowSize}, {len(text) - 1, 1},
	} {
		w.seek(int64(test.at))
		got := make([]byte, test.n)
		first, err := w.ReadByte()
		got[0] = first
		if err == nil {
			_, err = io.ReadFull(w, got[1:])
		}
		if want := text[test.at : test.at+test.n]; err != nil || !bytes.Equal(got, want) {
			t.Errorf("reading %d bytes at %d = %v, and differs: %v", test.n, test.at, err, !bytes.Equal(got, want))
		}
	}
	for _, at := range []int{len(text), len(text) + 5} {
		w.seek(int64(at))
		if _, err := w.ReadByte(); err != io.EOF {
			t.Errorf("reading at %d = %v, want %v", at, err, io.EOF)
		}
		if n, err := w.Read(make([]byte, 3)); n != 0 || err != io.EOF {
			t.Errorf("reading at %d = %d, %v, want 0, %v", at, n, err, io.EOF)
		}
	}
}
