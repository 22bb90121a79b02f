package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	"locus/access"
	"locus/access/internal/cause"
	"locus/url"
)

// tipped is an error with a Remedy.
type tipped struct{ error }

func (tipped) Suggest() access.Remedy { return access.Advice("look there") }

func TestFail(t *testing.T) {
	u := url.MustParse("ftp://u:sesame@h/x")
	said := access.Reply{Code: 550, Text: "we are closed"}
	for _, test := range []struct {
		err  error
		want string
		is   error
		hint string
	}{
		{&Refusal{Reply: said, Means: fs.ErrNotExist}, "open ftp://u:xxxxx@h/x: 550 we are closed: file does not exist", fs.ErrNotExist, ""},
		{&Refusal{Reply: said}, "open ftp://u:xxxxx@h/x: 550 we are closed", nil, ""},
		{&Refusal{Reply: said, Remedy: access.Advice("try again")}, "open ftp://u:xxxxx@h/x: 550 we are closed", nil, "try again"},
		{fmt.Errorf("around: %w", &Refusal{Reply: said, Means: access.ErrFull}), "open ftp://u:xxxxx@h/x: 550 we are closed: " + access.ErrFull.Error(), access.ErrFull, ""},
		{tipped{io.ErrClosedPipe}, "open ftp://u:xxxxx@h/x: io: read/write on closed pipe", nil, "look there"},
		{io.ErrUnexpectedEOF, "open ftp://u:xxxxx@h/x: unexpected EOF", io.ErrUnexpectedEOF, ""},
		{io.EOF, "open ftp://u:xxxxx@h/x: EOF", io.EOF, ""},
		{fmt.Errorf("around: %w", &access.Error{Op: "read", Err: fs.ErrNotExist}), "open ftp://u:xxxxx@h/x: around: read: file does not exist", fs.ErrNotExist, ""},
	} {
		got := Fail("open", u, test.err)
		if got.Error() != test.want || test.is != nil && !errors.Is(got, test.is) || access.Hint(got) != test.hint {
			t.Errorf("Fail(%#v) = %q with hint %q, want %q with %q", test.err, got, access.Hint(got), test.want, test.hint)
		}
		refusal, _ := errors.AsType[*Refusal](test.err)
		if e, ok := errors.AsType[*access.Error](got); !ok || (refusal == nil) != (e.Reply == nil) {
			t.Errorf("Fail(%#v).Reply = %v", test.err, e.Reply)
		}
	}
	if got := Fail("open", u, &Refusal{Reply: access.Reply{Code: 220, Text: "ready"}}); !errors.Is(got, cause.ErrRefused) {
		t.Errorf("Fail of a Refusal without Means = %v, want cause.ErrRefused", got)
	}
	later := &Refusal{Reply: said, RetryAfter: time.Minute, HTTPStatus: 503}
	if e, ok := errors.AsType[*access.Error](Fail("open", u, later)); !ok || e.RetryAfter != time.Minute || e.HTTPStatus != 503 {
		t.Errorf("Fail(%#v) = %#v, want a minute to wait, and the status", later, e)
	}
}

// Fail does not wrap an *access.Error in another.
func TestFailUnchanged(t *testing.T) {
	u := url.MustParse("ftp://h/x")
	told, moved := &access.Error{Op: "read", URL: u, Err: io.ErrUnexpectedEOF}, &access.Moved{To: u}
	for _, test := range []struct{ err, want error }{
		{nil, nil},
		{told, told},
		{moved, moved},
		{fmt.Errorf("around: %w", moved), moved},
		{&Refusal{Means: moved}, moved},
	} {
		if got := Fail("open", u, test.err); got != test.want {
			t.Errorf("Fail(%v) = %#v, want %#v", test.err, got, test.want)
		}
	}
}

func TestFailReading(t *testing.T) {
	u := url.MustParse("ftp://h/x")
	for _, test := range []struct {
		err  error
		ends bool
	}{
		{io.EOF, true},
		{fmt.Errorf("connection closed: %w", io.EOF), false}, // an early end
		{io.ErrUnexpectedEOF, false},
		{fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, io.EOF), false},
		{fs.ErrClosed, false},
	} {
		got := FailReading("read", u, test.err)
		if (got == io.EOF) != test.ends || !errors.Is(got, test.err) && !test.ends {
			t.Errorf("FailReading(%v) = %v, want io.EOF: %v", test.err, got, test.ends)
		}
	}
	if got := FailReading("read", u, nil); got != nil {
		t.Errorf("FailReading(nil) = %v", got)
	}
}
