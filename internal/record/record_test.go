package record_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"locus/internal/record"
)

// write writes a field of each kind, and texts of all lengths about that of a piece.
func write(w *record.Writer) {
	w.Byte(7)
	w.Uint(math.MaxUint64)
	for _, n := range []int64{0, -1, 1, math.MinInt64, math.MaxInt64} {
		w.Int(n)
	}
	for n := range 4 {
		w.Text(strings.Repeat("x", n*(64<<10-1)))
	}
	for _, s := range []string{"http://h/a", "http://h/ab", "", "http", "http\x00\xff"} {
		w.Similar(s)
	}
}

// A Reader returns the fields of a Writer, and reads no further.
func TestRecord(t *testing.T) {
	var w record.Writer
	write(&w)
	from := bytes.NewReader(w.Data)
	r := record.Reader{From: from}
	if b, n := r.Byte(), r.Uint(); b != 7 || n != math.MaxUint64 {
		t.Errorf("Byte, Uint = %d, %d, want 7, %d", b, n, uint64(math.MaxUint64))
	}
	for _, want := range []int64{0, -1, 1, math.MinInt64, math.MaxInt64} {
		if n := r.Int(); n != want {
			t.Errorf("Int() = %d, want %d", n, want)
		}
	}
	for n := range 4 {
		if s := r.Text(); s != strings.Repeat("x", n*(64<<10-1)) {
			t.Errorf("Text() has %d bytes, want %d", len(s), n*(64<<10-1))
		}
	}
	for _, want := range []string{"http://h/a", "http://h/ab", "", "http", "http\x00\xff"} {
		if s := r.Similar(); s != want {
			t.Errorf("Similar() = %q, want %q", s, want)
		}
	}
	if r.Err() != nil || from.Len() > 0 {
		t.Errorf("%d bytes are left, %v", from.Len(), r.Err())
	}
}

// Repeated returns the next text, whatever last is.
func TestRepeated(t *testing.T) {
	var w record.Writer
	last := "x"
	texts := []string{"a", "a", "", "", "abc"}
	for _, s := range texts {
		w.Text(s)
	}
	r := record.Reader{From: bytes.NewReader(w.Data)}
	for _, want := range texts {
		if last = r.Repeated(last); last != want {
			t.Errorf("Repeated() = %q, want %q", last, want)
		}
	}
	if s := r.Repeated("abc"); s != "" || r.Err() == nil {
		t.Errorf("at the end Repeated() = %q, %v, want an error", s, r.Err())
	}
}

// An early end in any field is an error, which later calls keep.
func TestReaderCut(t *testing.T) {
	var w record.Writer
	w.Uint(300)
	w.Text("text")
	w.Similar("similar")
	for n := range w.Data {
		r := record.Reader{From: bytes.NewReader(w.Data[:n])}
		r.Uint()
		r.Text()
		if s := r.Similar(); !errors.Is(r.Err(), io.ErrUnexpectedEOF) || s != "" {
			t.Errorf("%d of %d bytes end with %q, %v, want %v", n, len(w.Data), s, r.Err(), io.ErrUnexpectedEOF)
		}
	}
}

// A text whose common beginning is longer than the last text is an error.
func TestReaderPrefix(t *testing.T) {
	var w record.Writer
	w.Uint(1)
	w.Text("x")
	r := record.Reader{From: bytes.NewReader(w.Data)}
	if s := r.Similar(); r.Err() == nil || s != "" {
		t.Errorf("Similar() = %q, %v, want an error", s, r.Err())
	}
}

// A wrong length does not take more memory than the bytes of the Source and one piece.
func TestReaderLength(t *testing.T) {
	var w record.Writer
	w.Uint(1 << 60)
	r := record.Reader{From: bytes.NewReader(append(w.Data, "short"...))}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := r.Text()
	runtime.ReadMemStats(&after)
	if r.Err() == nil || after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("Text() = %.20q, %v, and takes %d bytes", s, r.Err(), after.TotalAlloc-before.TotalAlloc)
	}
}

// A Reader returns a zero value with the first error and after it.
func TestReaderZero(t *testing.T) {
	var w record.Writer
	w.Text("a text")
	r := record.Reader{From: bytes.NewReader(w.Data[:4])}
	if s := r.Text(); s != "" || r.Err() == nil {
		t.Errorf("Text() = %q, %v, want an empty text and an error", s, r.Err())
	}
	tooLarge := bytes.Repeat([]byte{0xff}, 10)
	r = record.Reader{From: bytes.NewReader(tooLarge)}
	if n := r.Uint(); n != 0 || r.Err() == nil {
		t.Errorf("Uint() = %d, %v, want 0 and an error", n, r.Err())
	}
	r = record.Reader{From: bytes.NewReader(tooLarge)}
	if n := r.Int(); n != 0 || r.Err() == nil {
		t.Errorf("Int() = %d, %v, want 0 and an error", n, r.Err())
	}
}

// Numbers are read from a buffer of any size, and an early end is an error.
func TestNumbersInBuffer(t *testing.T) {
	var w record.Writer
	for n := range 64 {
		w.Uint(1<<n - 1)
	}
	for size := 16; size < 40; size++ {
		r := record.Reader{From: bufio.NewReaderSize(bytes.NewReader(w.Data), size)}
		for n := range 64 {
			if got := r.Uint(); got != 1<<n-1 {
				t.Fatalf("with a buffer of %d bytes number %d is %d, want %d", size, n, got, uint64(1<<n-1))
			}
		}
		if r.Uint(); !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("with a buffer of %d bytes, after the last number the error is %v", size, r.Err())
		}
		r = record.Reader{From: bufio.NewReaderSize(bytes.NewReader(w.Data), size)}
		for n := 0; n < 66; n += 3 {
			got, want := [3]uint64{7, 7, 7}, [3]uint64{1<<n - 1, 1<<(n+1) - 1, 1<<(n+2) - 1}
			if n == 63 {
				want = [3]uint64{1<<63 - 1, 0, 0} // the numbers end
			}
			if r.Uints(got[:]); got != want || (r.Err() != nil) != (n == 63) {
				t.Fatalf("with a buffer of %d bytes numbers from %d on are %d, %v, want %d", size, n, got, r.Err(), want)
			}
		}
	}
	r := record.Reader{From: bufio.NewReader(strings.NewReader(strings.Repeat("\xff", 20)))}
	if n := r.Uint(); n != 0 || r.Err() == nil {
		t.Errorf("a number that is too long is %d, %v, want an error", n, r.Err())
	}
}
