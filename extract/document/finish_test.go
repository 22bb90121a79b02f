package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/extract"
	"locus/url"
)

// An error stays with its match when matches are sorted.
func TestErrorsInOrder(t *testing.T) {
	long := "http://h/" + strings.Repeat("a", 600)
	in := "{\"a\": \"" + long + "\",\n \"b\": \"x " + long + " http://i/\", \"http:\\/\\/j\": 1}"
	o := Options{Find: extract.Options{MaxLength: 512}, URL: url.MustParse("http://base/")}
	var got []string
	for m, err := range JSON.All(strings.NewReader(in), o) {
		got = append(got, fmt.Sprintf("%d:%d %s %d %q in %s: %v", m.Line, m.Column, m.Place, m.Length, m.Text, m.Base, err))
	}
	want := []string{
		`1:8 a 512 "` + long[:256] + `" in http://base/: ` + extract.ErrTooLong.Error(),
		`2:10 b 512 "` + long[:256] + `" in http://base/: ` + extract.ErrTooLong.Error(),
		`2:620 b 9 "http://i/" in http://base/: <nil>`,
		`2:633 name 10 "http://j" in http://base/: <nil>`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("All(…) =\n\t%q, want\n\t%q", got, want)
	}
	found := 0
	for _, err := range JSON.All(strings.NewReader(in), o) {
		if found++; found == 1 && !errors.Is(err, extract.ErrTooLong) {
			t.Errorf("the first error is %v, want %v", err, extract.ErrTooLong)
		}
		break
	}
	if found != 1 {
		t.Errorf("the loop gets %d matches before its break, want 1", found)
	}
}

// A counted is a reader that counts the bytes that are read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// An endless is a reader without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// Only one byte more than the limit is read of a document, to know whether the document is longer.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		limit, want int64
	}{{1, 2}, {5, 6}, {1000, 1001}} {
		r := &counted{Reader: io.MultiReader(strings.NewReader(".\n"), endless{})} // a line with "." ends a menu
		var last error
		for m, err := range Gopher.All(r, Options{Limit: test.limit}) {
			if last = err; err == nil {
				t.Errorf("with a limit of %d, All finds %v", test.limit, m)
			}
		}
		if r.n != test.want || !errors.Is(last, ErrTooLarge) {
			t.Errorf("with a limit of %d, All reads %d bytes and returns %v, want %d and %v", test.limit, r.n, last, test.want, ErrTooLarge)
		}
	}
	// The limit also applies to a text in memory.
	menu := "1a\t\th\t70\r\n1b\t\th\t70\r\n"
	for limit := 1; limit <= len(menu)+1; limit++ {
		o := Options{Limit: int64(limit)}
		got, gotErr := collect(Gopher.All(bytes.NewBufferString(menu), o))
		want, wantErr := collect(Gopher.All(strings.NewReader(menu), o))
		if !reflect.DeepEqual(got, want) || !errors.Is(gotErr, wantErr) {
			t.Errorf("in memory with a limit of %d, All gives %v, %v, want %v, %v", limit, got, gotErr, want, wantErr)
		}
	}
	r := &counted{Reader: io.MultiReader(strings.NewReader(".\n"), io.LimitReader(endless{}, 1<<20))}
	if all := gather(t, Gopher, r, Options{}); len(all) > 0 || r.n != 1<<20+2 {
		t.Errorf("without a limit, All reads %d bytes and returns %v, want %d", r.n, all, 1<<20+2)
	}
	// Text is read to its end, in constant memory.
	r = &counted{Reader: io.LimitReader(endless{}, 1000)}
	for m, err := range Text.All(r, Options{Limit: 1}) {
		t.Errorf("All of an empty text = %v, %v", m, err)
	}
	if r.n != 1000 {
		t.Errorf("All reads %d bytes of text, want 1000", r.n)
	}
	// The matches before the limit are found, and so are the matches before an error.
	const in = "<a href=x> <a href=y>"
	for n, want := range map[int]string{9: "", 10: "x", 20: "x", 21: "x y"} {
		broken := io.MultiReader(strings.NewReader(in[:n]), iotest.ErrReader(io.ErrClosedPipe))
		for _, test := range []struct {
			r     io.Reader
			limit int64
			want  error
		}{{strings.NewReader(in + " "), int64(n), ErrTooLarge}, {broken, 0, io.ErrClosedPipe}} {
			var got []string
			var last error
			for m, err := range HTML.All(test.r, Options{Limit: test.limit}) {
				if last = err; err == nil {
					got = append(got, m.Text)
				} else if m.Text != "" || m.Length != 0 {
					t.Errorf("with the error %v comes the match %+v, want the zero Match", err, m)
				}
			}
			if strings.Join(got, " ") != want || !errors.Is(last, test.want) {
				t.Errorf("for %d bytes and the error %v, All gives %q and %v, want %s", n, test.want, got, last, want)
			}
		}
	}
}

// A match does not change when more is read, or when the memory of the reader is reused.
func TestMatchesAreCopies(t *testing.T) {
	for mode, document := range map[Mode]string{
		HTML: "<a href=b>c</a> http://h/", Markdown: "[a](b) http://h/", XML: "<a href='b'>http://h/</a><link>c/d</link>", JSON: `"http://h/"`,
		RST: ".. _a: b\n", Man: ".UR b\nhttp://h/\n", Gopher: "1a\tb\tc\t70\n", Mail: "A: http://h/\n\nhttp://i/", CSS: "url(a) url(b)",
	} {
		want := read(t, mode, document, Options{})
		text := []byte(document)
		var kept []extract.Match
		for m := range mode.All(bytes.NewReader(text), Options{}) {
			kept = append(kept, m)
		}
		clear(text)
		var texts []string
		for m := range mode.All(strings.NewReader(document), Options{}) {
			texts = append(texts, m.Text)
		}
		if len(kept) != len(want) {
			t.Errorf("%v finds %v, want as many as %q", mode, kept, want)
		}
		for i, m := range kept {
			if m.Text != texts[i] {
				t.Errorf("%v: match %d has become %q, want %q", mode, i, m.Text, texts[i])
			}
		}
	}
}

// collect returns the matches in a document and the last error.
func collect(all iter.Seq2[extract.Match, error]) (found []extract.Match, last error) {
	for m, err := range all {
		if last = err; err == nil {
			found = append(found, m)
		}
	}
	return found, last
}
