package access

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access/internal/cause"
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
		{&Moved{To: u}, "moved temporarily to ftp://me:xxxxx@h/x"},
		{&Moved{To: u, Permanent: true}, "moved permanently to ftp://me:xxxxx@h/x"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("Error() of %#v = %q, want %q", test.err, got, test.want)
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
	tip := &Error{Op: "open", Err: fs.ErrNotExist, Remedy: Advice("look elsewhere")}
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fs.ErrNotExist, ""},
		{tip, "look elsewhere"},
		{fmt.Errorf("around: %w", tip), "look elsewhere"},
		{&Error{Op: "open", Err: tip}, "look elsewhere"},
		{&Error{Op: "open", Err: tip, Remedy: Advice("first")}, "first"},
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
		{Reply{220, "a\nb\x1b[31m\x00"}, `220 a; b\x1b[31m\x00`},
		{Reply{0, "a \r\n\n b\n"}, `a; b`},
		{Reply{220, "café \xe9 \ufffd \u202e"}, `220 café \xe9 ` + "\ufffd" + ` \u202e`},
	} {
		if got := test.reply.String(); got != test.want {
			t.Errorf("%#v.String() = %q, want %q", test.reply, got, test.want)
		}
	}
	if got := (&Reply{1, strings.Repeat("a", 1e6)}).String(); len(got) > 500 {
		t.Errorf("a long reply is shown with %d bytes, want it cut", len(got))
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

// The meaning of an error is left out if its reply says the same.
func TestReplySays(t *testing.T) {
	for _, test := range []struct {
		kind error
		says []string
	}{
		{fs.ErrNotExist, []string{"No such file", "does not exist", "Not found", "not available", "not-found", "Unknown group"}},
		{fs.ErrExist, []string{"File exists"}},
		{fs.ErrPermission, []string{
			"Permission bad", "Access denied", "not allowed", "not permitted", "unauthorized", "Forbidden", "Login incorrect",
			"bad password", "Read only file system",
		}},
		{errors.ErrUnsupported, []string{"Not implemented", "not supported", "not allowed", "Unknown command"}},
		{cause.ErrRefused, []string{"No.", "not found", "anything", "Unknown error"}},
	} {
		for _, text := range append(test.says, "something else", "Unknown error", "") { // FileZilla Server's 550
			reply := &Reply{Code: 550, Text: text}
			says := slices.Contains(test.says, text) || test.kind == cause.ErrRefused && text != ""
			want := "550"
			if text != "" {
				want += " " + strings.TrimSuffix(text, ".")
			}
			if !says {
				want += ": " + test.kind.Error()
			}
			if got := (&Error{Op: "open", Reply: reply, Err: test.kind}).Why(); got != want {
				t.Errorf("550 %q, which means %v, gives %q, want %q", text, test.kind, got, want)
			}
			around := fmt.Errorf("at the gate: %w", test.kind)
			if got := (&Error{Op: "open", Reply: reply, Err: around}).Why(); !strings.HasSuffix(got, ": "+around.Error()) {
				t.Errorf("550 %q, which means %v, gives %q, want all of it", text, around, got)
			}
		}
	}
	for _, test := range []struct {
		err  *Error
		want string
	}{
		{&Error{Op: "open", Reply: &Reply{220, "ready"}, Err: cause.ErrRefused}, "open: 220 ready: the server refuses"},
		{&Error{Op: "open", Reply: &Reply{400, "no"}, Err: cause.ErrRefused}, "open: 400 no"},
		{&Error{Op: "open", Reply: &Reply{0, "no"}, Err: cause.ErrRefused}, "open: no: the server refuses"},
		{&Error{Op: "open"}, "open"},
		{&Error{Op: "open", Reply: &Reply{}, Err: fs.ErrExist}, "open: : file already exists"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%#v gives %q, want %q", test.err, got, test.want)
		}
	}
}

// The message of a syntax error in the URL names that URL once.
func TestErrorOfSyntax(t *testing.T) {
	const text = "http://h/~me" // a syntax error by RFC 1738
	_, err := url.RFC1738.Parse(text)
	syntax, ok := errors.AsType[*url.SyntaxError](err)
	if !ok {
		t.Fatal(err)
	}
	u := url.MustParse(text)
	for _, test := range []struct {
		err  *Error
		want string
	}{
		{&Error{Op: "open", URL: u, Err: err}, "open " + text + ": " + syntax.Detail()},
		{&Error{Op: "open", URL: url.MustParse("http://other/"), Err: err}, "open http://other/: " + err.Error()},
		{&Error{Op: "open", URL: u, Err: fmt.Errorf("around: %w", err)}, "open " + text + ": around: " + err.Error()},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("Error() of %#v = %q, want %q", test.err, got, test.want)
		}
	}
}

// errors.Is tells these sentinel errors apart.
func TestSentinels(t *testing.T) {
	all := []error{
		ErrNotModified, ErrChanged, ErrRange, ErrPassword, ErrForm, ErrNoScheme, ErrNoDial, ErrRedirect, ErrNotPublic, ErrLoop, ErrTemporary, ErrFull,
		ErrTooLong, ErrProtocol, cause.ErrRefused, errEndless,
	}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("errors.Is(%v, %v) = %v", a, b, i != j)
			}
		}
	}
}

func TestValidatorIsZero(t *testing.T) {
	for _, test := range []struct {
		v    Validator
		want bool
	}{
		{Validator{}, true},
		{Validator{ETag: `""`}, false},
		{Validator{ModTime: shelved}, false},
		{Validator{ETag: `"1"`, ModTime: shelved}, false},
	} {
		if got := test.v.IsZero(); got != test.want {
			t.Errorf("%+v.IsZero() = %v, want %v", test.v, got, test.want)
		}
	}
	r := Resource{ETag: `"1"`, Entry: Entry{ModTime: shelved}}
	if got, want := r.Validator(), (Validator{`"1"`, shelved}); got != want {
		t.Errorf("Validator() = %+v, want %+v", got, want)
	}
}
