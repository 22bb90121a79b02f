package access

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"locus/url"
)

// req: 1738-6-3
func TestErrorText(t *testing.T) {
	u := url.MustParse("ftp://me:sesame@h/x")
	for _, test := range []struct {
		err  error
		want string
	}{
		{&Error{Op: "open", URL: u, Err: fs.ErrNotExist}, "open ftp://me:xxxxx@h/x: file does not exist"},
		{&Error{Op: "open", URL: u, Reply: &Reply{550, "no such file"}, Err: fs.ErrNotExist}, "open ftp://me:xxxxx@h/x: 550 no such file"},
		{&Error{Op: "open", URL: u, Reply: &Reply{530, "Login incorrect."}, Err: fs.ErrPermission}, "open ftp://me:xxxxx@h/x: 530 Login incorrect"},
		{&Error{Op: "open", Reply: &Reply{421, "Later..."}}, "open: 421 Later"},
		{&Error{Op: "dial", Err: fs.ErrPermission}, "dial: permission denied"},
		{&Moved{To: u}, "moved for now to ftp://me:xxxxx@h/x"},
		{&Moved{To: u, Permanent: true}, "moved for good to ftp://me:xxxxx@h/x"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("Error() = %q, want %q", got, test.want)
		}
	}
}

func TestErrorUnwrap(t *testing.T) {
	err := fmt.Errorf("around: %w", &Error{Op: "open", Err: fs.ErrNotExist})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("errors.Is(%v, fs.ErrNotExist) = false, want true", err)
	}
	for err, kind := range map[error]error{ErrNoScheme: errors.ErrUnsupported, ErrNoDial: fs.ErrPermission} {
		if !errors.Is(err, kind) {
			t.Errorf("errors.Is(%v, %v) = false, want true", err, kind)
		}
	}
}

func TestHint(t *testing.T) {
	tip := &Error{Op: "open", Err: fs.ErrNotExist, Tip: "look elsewhere"}
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fs.ErrNotExist, ""},
		{tip, "look elsewhere"},
		{fmt.Errorf("around: %w", tip), "look elsewhere"},
		{&Error{Op: "open", Err: tip}, "look elsewhere"},
		{&Error{Op: "open", Err: tip, Tip: "first"}, "first"},
		{errors.Join(fs.ErrNotExist, tip), "look elsewhere"},
		{&Error{Op: "open", Err: fmt.Errorf("%w: %w", fs.ErrNotExist, tip)}, "look elsewhere"},
	} {
		if got := Hint(test.err); got != test.want {
			t.Errorf("Hint(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}

func TestReplyString(t *testing.T) {
	for _, test := range []struct {
		reply Reply
		want  string
	}{
		{Reply{550, "no such file"}, "550 no such file"},
		{Reply{550, ""}, "550"},
		{Reply{0, "error"}, "error"},
		{Reply{200, `say "hi"`}, `200 say "hi"`},
		{Reply{200, `C:\x`}, `200 C:\x`},
		{Reply{220, "a\nb\x1b[31m\x00"}, `220 a\nb\x1b[31m\x00`},
		{Reply{220, "café \xe9 \ufffd \u202e"}, `220 café \xe9 ` + "\ufffd" + ` \u202e`},
	} {
		if got := test.reply.String(); got != test.want {
			t.Errorf("%#v.String() = %q, want %q", test.reply, got, test.want)
		}
	}
	if got := (&Reply{1, strings.Repeat("a", 1e6)}).String(); len(got) > 500 {
		t.Errorf("a long reply is shown with %d octets, want it cut", len(got))
	}
}

func TestKindString(t *testing.T) {
	if got := Failure.String(); got != "failure" {
		t.Errorf("Failure.String() = %q, want %q", got, "failure")
	}
	if got := Kind(200).String(); got != "unknown" {
		t.Errorf("Kind(200).String() = %q, want %q", got, "unknown")
	}
}
