package ber_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"locus/internal/ber"
)

// The examples are from X.690 §8.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, in string
		class    ber.Class
		tag      uint32
		isCons   bool
		content  string
		rest     string
	}{
		{"boolean", "\x01\x01\xff", ber.Universal, 1, false, "\xff", ""},
		{"empty", "\x05\x00x", ber.Universal, 5, false, "", "x"},
		{"context", "\xa7\x02\x05\x00", ber.Context, 7, true, "\x05\x00", ""},
		{"application", "\x43\x01a", ber.Application, 3, false, "a", ""},
		{"private", "\xc3\x01a", ber.Private, 3, false, "a", ""},
		{"long tag", "\x9f\x81\x52\x01a", ber.Context, 210, false, "a", ""},
		{"padded tag", "\x9f\x80\x80\x05\x01a", ber.Context, 5, false, "a", ""},
		{"long length", "\x04\x82\x00\x02ab.", ber.Universal, 4, false, "ab", "."},
	} {
		e, rest, err := ber.Parse([]byte(test.in))
		if err != nil || e.Class != test.class || e.Tag != test.tag || e.IsConstructed != test.isCons || string(e.Content) != test.content || string(rest) != test.rest {
			t.Errorf("%s: Parse(%q) = %+v, %q, %v", test.name, test.in, e, rest, err)
		}
		var b bytes.Buffer
		if err := ber.Read(strings.NewReader(test.in), &b, 100); err != nil {
			t.Errorf("%s: Read(%q): %v", test.name, test.in, err)
		}
		again, rest, err := ber.Parse(b.Bytes())
		if err != nil || again.Class != e.Class || again.Tag != e.Tag || !bytes.Equal(again.Content, e.Content) || len(rest) > 0 {
			t.Errorf("%s: Read(%q) = %+v, %v, want %+v", test.name, test.in, again, err, e)
		}
	}
}

// Read writes definite lengths at every depth, so that the end of an element is known from its
// header.
func TestReadDefinite(t *testing.T) {
	long := strings.Repeat("\x05\x00", 100)
	for in, want := range map[string]string{
		"\x30\x80\x00\x00":                                            "\x30\x00",
		"\x30\x80\x05\x00\x00\x00.":                                   "\x30\x02\x05\x00",
		"\x30\x80\xa1\x80\x05\x00\x00\x00\x00\x00.":                   "\x30\x04\xa1\x02\x05\x00",
		"\x30\x06\xa1\x80\x05\x00\x00\x00.":                           "\x30\x04\xa1\x02\x05\x00",
		"\x30\x80\xa1\x02\x05\x00\x04\x01a\x00\x00":                   "\x30\x07\xa1\x02\x05\x00\x04\x01a",
		"\x30\x02\x00\x00.":                                           "\x30\x02\x00\x00", // this end of contents belongs to a definite length
		"\x30\x80\x30\x02\x00\x00\x00\x00":                            "\x30\x04\x30\x02\x00\x00",
		"\x9f\x80\x80\x05\x82\x00\x01a":                               "\x9f\x80\x80\x05\x82\x00\x01a", // elements of definite length are not changed
		"\x24\x80\x04\x82\x00\x02ab\x24\x80\x04\x01c\x00\x00\x00\x00": "\x24\x09\x04\x02ab\x24\x03\x04\x01c",
		"\x30\x80\xa1\x80" + long + "\x00\x00\x00\x00":                "\x30\x84\x00\x00\x00\xce\xa1\x84\x00\x00\x00\xc8" + long,
	} {
		var b bytes.Buffer
		if err := ber.Read(strings.NewReader(in), &b, 1000); err != nil || b.String() != want {
			t.Errorf("Read(%q) = %q, %v, want %q", in, b.String(), err, want)
		}
	}
	for _, text := range []string{"\x30\x03\x04\x02a.", "\x30\x01\x30.", "\x30\x04\xa1\x80\x05\x00\x00\x00", "\x30\x03\xa1\x02\x05\x00"} {
		var b bytes.Buffer
		if err := ber.Read(strings.NewReader(text), &b, 100); !errors.Is(err, ber.ErrSyntax) {
			t.Errorf("Read(%q) = %q, %v, want ErrSyntax", text, b.String(), err)
		}
	}
	deep := strings.Repeat("\x30\x80", ber.MaxDepth) + strings.Repeat("\x00\x00", ber.MaxDepth)
	if err := ber.Read(strings.NewReader(deep), new(bytes.Buffer), 10_000); err != nil {
		t.Errorf("Read of %d levels: %v", ber.MaxDepth, err)
	}
}

func TestParseMalformed(t *testing.T) {
	for _, text := range []string{
		"", "\x30", "\x30\x05a", "\x9f", "\x9f\x81", "\x9f\x81\x52", "\x30\x82\x01", "\x30\x85\x00\x00\x00\x00\x00", "\x30\xff", "\x30\x84\xff\xff\xff\xff",
		"\x04\x80a", "\x30\x80", "\x30\x80\x05\x00", "\x30\x80\x05\x00\x00", "\x9f\xff\xff\xff\xff\x7f\x00",
		"\x9f\x80\x80\x80\x80\x05\x01a", "\x9f\x80\x80\x80\x80\x80\x80\x80\x80\x800\x010",
		strings.Repeat("\x30\x80", ber.MaxDepth+1) + strings.Repeat("\x00\x00", ber.MaxDepth+1),
	} {
		if e, _, err := ber.Parse([]byte(text)); !errors.Is(err, ber.ErrSyntax) {
			t.Errorf("Parse(%.20q) = %+v, %v, want ErrSyntax", text, e, err)
		}
		var b bytes.Buffer
		if err := ber.Read(strings.NewReader(text), &b, 10_000); err == nil {
			t.Errorf("Read(%.20q) = %q without an error", text, b.Bytes())
		}
	}
}

func TestReadEnds(t *testing.T) {
	for _, test := range []struct {
		in   string
		want error
	}{
		{"", io.EOF},
		{"\x30", io.ErrUnexpectedEOF},
		{"\x04\x05ab", io.ErrUnexpectedEOF},
		{"\x30\x05\x04\x03ab", io.ErrUnexpectedEOF},
		{"\x30\x80", io.ErrUnexpectedEOF},
		{"\x30\x80\x05\x00", io.ErrUnexpectedEOF},
		{"\x30\x7f" + strings.Repeat("a", 127), ber.ErrTooLong},
		{"\x30\x84\x7f\xff\xff\xff", ber.ErrTooLong},
		{"\x30\x80" + strings.Repeat("\x05\x00", 100) + "\x00\x00", ber.ErrTooLong},
		{"\x30\x85", ber.ErrSyntax},
	} {
		for _, r := range []io.ByteReader{strings.NewReader(test.in), bufio.NewReader(iotest.OneByteReader(strings.NewReader(test.in))), onlyBytes{strings.NewReader(test.in)}} {
			var b bytes.Buffer
			if err := ber.Read(r, &b, 100); !errors.Is(err, test.want) {
				t.Errorf("Read(%.20q) = %v, want %v", test.in, err, test.want)
			}
		}
	}
}

// onlyBytes does not have the method Read.
type onlyBytes struct{ io.ByteReader }

// An element takes as much memory as has arrived, whatever length its header claims.
func TestClaimsCostNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		var b bytes.Buffer
		if err := ber.Read(strings.NewReader("\x30\x84\x0f\xff\xff\xffshort"), &b, 1<<30); err == nil {
			t.Fatal("an element that breaks off is no error")
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 100; each > 16<<10 {
		t.Errorf("a claim of 256 MB costs %d bytes", each)
	}
}

func TestValues(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 127, 128, -128, -129, 255, 256, 1 << 31, -1 << 31, 1<<63 - 1, -1 << 63} {
		var b ber.Builder
		b.Integer(n)
		b.Int(99, n)
		rest := b.Bytes()
		for range 2 {
			e, after, err := ber.Parse(rest)
			if got, err2 := e.Int(); err != nil || err2 != nil || got != n {
				t.Errorf("%d is read as %d, %v, %v", n, got, err, err2)
			}
			rest = after
		}
	}
	for _, oid := range []string{"1.2.840.10003.5.10", "0.0", "2.999.3", "1.39.0", "2.5"} {
		var b ber.Builder
		b.OID(oid)
		e, _, _ := ber.Parse(b.Bytes())
		if got, err := e.OID(); err != nil || got != oid {
			t.Errorf("%s is read as %q, %v", oid, got, err)
		}
	}
	var b ber.Builder
	b.Bits(4, 15, 0, 1, 8, 14, 99)
	b.Bool(1, true)
	b.Text(2, "abc")
	first, rest, _ := ber.Parse(b.Bytes())
	if string(first.Content) != "\x01\xc0\x82" || !first.Bit(0) || first.Bit(2) || !first.Bit(14) || first.Bit(99) {
		t.Errorf("bits are %q", first.Content)
	}
	second, rest, _ := ber.Parse(rest)
	if v, err := second.Bool(); !v || err != nil {
		t.Errorf("a boolean is %v, %v", v, err)
	}
	if third, _, _ := ber.Parse(rest); third.Text() != "abc" {
		t.Errorf("a text is %q", third.Text())
	}
}

func TestMalformedValues(t *testing.T) {
	for _, content := range []string{"", "123456789"} {
		if n, err := (ber.Element{Content: []byte(content)}).Int(); err == nil {
			t.Errorf("%q is the number %d", content, n)
		}
	}
	for _, content := range []string{"", "\x80", "\x2a\x86", strings.Repeat("\xff", 12) + "\x01", strings.Repeat("\x01", 99)} {
		if oid, err := (ber.Element{Content: []byte(content)}).OID(); err == nil {
			t.Errorf("%q is the object %s", content, oid)
		}
	}
	if _, err := (ber.Element{Content: []byte("ab")}).Bool(); err == nil {
		t.Error("two bytes are a boolean")
	}
	deep := []byte("\x04\x01a")
	for range 40 {
		deep = append([]byte{0x24, byte(len(deep))}, deep...)
	}
	e, _, _ := ber.Parse(deep)
	if got, err := e.Bytes(); string(got) != "a" || err != nil {
		t.Errorf("a string in 40 parts is %q, %v", got, err)
	}
}

func TestBadOIDPanics(t *testing.T) {
	for _, oid := range []string{"", "1", "a.b", "3.1", "1.40", "1.2.-1"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("OID(%q) does not panic", oid)
				}
			}()
			new(ber.Builder).OID(oid)
		}()
	}
}

func TestFind(t *testing.T) {
	var b ber.Builder
	b.Sequence(func(b *ber.Builder) {
		b.Int(1, 7)
		b.In(300, func(b *ber.Builder) { b.Text(2, strings.Repeat("x", 300)) })
	})
	e, _, err := ber.Parse(b.Bytes())
	in, ok := e.Find(300)
	text, ok2 := in.First()
	if err != nil || !ok || !ok2 || len(text.Text()) != 300 || !e.IsUniversal(ber.TagSequence) {
		t.Errorf("found %+v, %v, %+v, %v", in, ok, text, err)
	}
	if _, ok := e.Find(2); ok {
		t.Error("Find returns an element of a deeper level")
	}
	if _, ok := text.First(); ok {
		t.Error("First returns an element of a primitive")
	}
}

// The output of Read is hardly longer than the message. Parse accepts it, and Read does not
// change it again. Read and Parse do not panic.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"\x30\x80\x05\x00\x00\x00", "\x9f\x81\x52\x01a", "\x30\x06\x02\x01\x05\x06\x01\x2a", "\x24\x80\x04\x01a\x00\x00", "\x30\x84\x00\x00\x00\x00", "\x9f\x80\x80\x80\x80\x80\x80\x80\x80\x800\x010"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		_, _, _ = ber.Parse(in)
		var b, twice bytes.Buffer
		if err := ber.Read(bytes.NewReader(in), &b, 1<<20); err != nil {
			return
		}
		if b.Len() > 2*len(in) {
			t.Fatalf("Read makes %d bytes of %d", b.Len(), len(in))
		}
		e, rest, err := ber.Parse(b.Bytes())
		if err != nil || len(rest) > 0 {
			t.Fatalf("Read reads %q; of this Parse finds %+v, %q, %v", b.Bytes(), e, rest, err)
		}
		if err := ber.Read(bytes.NewReader(b.Bytes()), &twice, 1<<20); err != nil || !bytes.Equal(b.Bytes(), twice.Bytes()) {
			t.Fatalf("Read reads %q, and of this %q, %v", b.Bytes(), twice.Bytes(), err)
		}
		_, _ = e.Int()
		_, _ = e.OID()
		_, _ = e.Bytes()
		_ = e.Bit(9)
		_ = e.Each(func(ber.Element) error { return nil })
		if !e.IsConstructed {
			var w ber.Builder
			w.Primitive(e.Class, e.Tag, e.Content)
			again, left, err := ber.Parse(w.Bytes())
			if err != nil || len(left) > 0 || again.Tag != e.Tag || again.Class != e.Class || !bytes.Equal(again.Content, e.Content) {
				t.Errorf("%+v is written %q, which is %+v, %v", e, w.Bytes(), again, err)
			}
		}
	})
}
