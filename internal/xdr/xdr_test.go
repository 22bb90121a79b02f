package xdr

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestValues(t *testing.T) {
	var w Writer
	w.Uint32(1 << 31)
	w.Uint64(1 << 63)
	w.Bool(true)
	w.Bool(false)
	w.String("abcde")
	w.Opaque(nil)
	w.Fixed([]byte{1, 2})
	const want = "\x80\x00\x00\x00" + "\x80\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x01" + "\x00\x00\x00\x00" +
		"\x00\x00\x00\x05abcde\x00\x00\x00" + "\x00\x00\x00\x00" + "\x01\x02\x00\x00"
	if string(w.Buf) != want {
		t.Fatalf("Writer has %q, want %q", w.Buf, want)
	}
	r := NewReader(w.Buf)
	if v := r.Uint32(); v != 1<<31 {
		t.Errorf("Uint32 = %d", v)
	}
	if v := r.Uint64(); v != 1<<63 {
		t.Errorf("Uint64 = %d", v)
	}
	if !r.Bool() || r.Bool() {
		t.Error("Bool, Bool is not true, false")
	}
	if s := r.String(5); s != "abcde" {
		t.Errorf("String = %q", s)
	}
	if p := r.Opaque(0); len(p) != 0 {
		t.Errorf("Opaque = %q", p)
	}
	if p := r.Fixed(2); string(p) != "\x01\x02" {
		t.Errorf("Fixed = %q", p)
	}
	if r.Err() != nil || r.Left() != 0 {
		t.Errorf("at the end: %v, %d bytes left", r.Err(), r.Left())
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		in   string
		read func(*Reader)
		want error
	}{
		{"\x00\x00\x00", func(r *Reader) { r.Uint32() }, ErrShort},
		{"\x00\x00\x00\x00", func(r *Reader) { r.Uint64() }, ErrShort},
		{"\x00\x00\x00\x02", func(r *Reader) { r.Bool() }, ErrValue},
		{"\x00\x00\x00\x06abcdef\x00\x00", func(r *Reader) { _ = r.String(5) }, ErrLong},
		{"\xff\xff\xff\xffabcd", func(r *Reader) { _ = r.String(1 << 30) }, ErrLong},
		{"\x00\x00\x00\x05abcd", func(r *Reader) { _ = r.String(5) }, ErrShort},
		{"\x00\x00\x00\x01a\x00\x00", func(r *Reader) { r.Opaque(5) }, ErrShort}, // the padding is incomplete
		{"\x00\x00\x00\x00", func(r *Reader) { r.Opaque(-1); r.Fail(io.EOF) }, io.EOF},
		{"abc", func(r *Reader) { r.Fixed(4); r.Bool() }, ErrShort},
	} {
		r := NewReader([]byte(test.in))
		test.read(r)
		if !errors.Is(r.Err(), test.want) || r.Left() != 0 {
			t.Errorf("reading %q gives %v, %d bytes left, want %v", test.in, r.Err(), r.Left(), test.want)
		}
		if v := r.Uint32(); v != 0 {
			t.Errorf("reading %q after an error gives %d", test.in, v)
		}
	}
}

func TestReadRecord(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, test := range []struct {
		in, want string
		most     int
		err      error
	}{
		{in: "\x80\x00\x00\x03abc", want: "abc", most: 3},
		{in: "\x00\x00\x00\x01a\x00\x00\x00\x00\x80\x00\x00\x02bc", want: "abc", most: 3},
		{in: "\x80\x00\x00\x00", most: 0},
		{in: "\x80\x03\x20\x00" + long, want: long, most: len(long)},
		{in: "", err: io.EOF},
		{in: "\x80\x00", err: io.ErrUnexpectedEOF},
		{in: "\x80\x00\x00\x03ab", most: 3, err: io.ErrUnexpectedEOF},
		{in: "\x00\x00\x00\x01a", most: 3, err: io.ErrUnexpectedEOF},
		{in: "\x80\x00\x00\x04abcd", most: 3, err: ErrLong},
		{in: "\x00\x00\x00\x02ab\x80\x00\x00\x02cd", most: 3, err: ErrLong},
		{in: "\xff\xff\xff\xff", most: 1 << 20, err: ErrLong},
		{in: strings.Repeat("\x00\x00\x00\x00", mostFragments+1), most: 3, err: ErrLong},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
			got, err := ReadRecord(r, nil, test.most)
			if string(got) != test.want || !errors.Is(err, test.err) || (test.err == nil) != (err == nil) {
				t.Errorf("ReadRecord(%.40q) = %.40q, %v, want %.40q, %v", test.in, got, err, test.want, test.err)
			}
		}
	}
}

// A record whose header claims a large size takes as much memory as has arrived.
func TestReadRecordMemory(t *testing.T) {
	in := "\xc0\x00\x00\x00" + strings.Repeat("x", 100)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ReadRecord(strings.NewReader(in), nil, 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) {
				b.Fatal(err)
			}
		}
	})
	if got.AllocedBytesPerOp() > 2*step {
		t.Errorf("ReadRecord allocates %d bytes for a record of 100", got.AllocedBytesPerOp())
	}
}

func TestReadRecordBuffer(t *testing.T) {
	buf := make([]byte, 8)
	got, err := ReadRecord(strings.NewReader("\x80\x00\x00\x03abc"), buf, 8)
	if err != nil || &got[0] != &buf[0] {
		t.Errorf("ReadRecord = %q, %v, want it in the buffer", got, err)
	}
}

// ReadRecord inverts Frame.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("abc"), []byte("\x80\x00\x00\x01a"))
	f.Fuzz(func(t *testing.T, message, raw []byte) {
		got, err := ReadRecord(bytes.NewReader(Frame(append(make([]byte, 4), message...))), nil, len(message))
		if err != nil || !bytes.Equal(got, message) {
			t.Errorf("ReadRecord(Frame(%q)) = %q, %v", message, got, err)
		}
		got, err = ReadRecord(bytes.NewReader(raw), nil, 100)
		if err == nil && len(got) > min(100, len(raw)) {
			t.Errorf("ReadRecord(%q) = %q", raw, got)
		}
		r := NewReader(raw)
		r.Bool()
		_, _ = r.String(10), r.Opaque(1<<20)
		if r.Err() == nil && r.Left()%4 != len(raw)%4 {
			t.Errorf("%q: %d bytes are left", raw, r.Left())
		}
	})
}
