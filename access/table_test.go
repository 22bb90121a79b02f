package access

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/url"
)

// A full is an Opener with every ability, which notes what it was asked.
type full struct{ asked *[]string }

func (o full) note(op string, u url.URL) { *o.asked = append(*o.asked, op+" "+u.String()) }

func (o full) Open(_ context.Context, req *Request) (*Resource, error) {
	o.note("open", req.URL)
	return &Resource{URL: req.URL, Size: 0, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func (o full) Stat(_ context.Context, req *Request) (Entry, error) {
	o.note("stat", req.URL)
	return Entry{URL: req.URL}, nil
}

func (o full) Search(u url.URL, words string) (url.URL, bool) {
	o.note("search "+words, u)
	return u, true
}

func (o full) Questions(_ context.Context, req *Request) (*Questions, error) {
	o.note("ask", req.URL)
	return &Questions{}, nil
}

func (o full) Answer(_ context.Context, req *Request, _ []Answer) (*Resource, error) {
	o.note("answer", req.URL)
	return &Resource{URL: req.URL, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func (o full) Store(_ context.Context, req *Request, _ io.Reader) error {
	o.note("store", req.URL)
	return nil
}

func (o full) Append(_ context.Context, req *Request, _ io.Reader) (url.URL, error) {
	o.note("append", req.URL)
	return req.URL, nil
}

func (o full) Delete(_ context.Context, req *Request) error {
	o.note("delete", req.URL)
	return nil
}

func (o full) MakeDir(_ context.Context, req *Request) error {
	o.note("make", req.URL)
	return nil
}

// useAll asks o for all that it can do with u and returns the errors.
func useAll(t *testing.T, o Opener, u url.URL) []error {
	t.Helper()
	ctx, req := t.Context(), &Request{URL: u}
	_, err1 := o.Open(ctx, req)
	_, err2 := Stat(ctx, o, req)
	_, err3 := Ask(ctx, o, req)
	_, err4 := AnswerForm(ctx, o, req, nil)
	var err5 error
	if _, ok := SearchURL(o, u, "w"); !ok {
		err5 = errors.ErrUnsupported
	}
	err6 := Store(ctx, o, req, strings.NewReader(""))
	_, err7 := Append(ctx, o, req, strings.NewReader(""))
	err8 := Delete(ctx, o, req)
	err9 := MakeDir(ctx, o, req)
	return []error{err1, err2, err3, err4, err5, err6, err7, err8, err9}
}

func TestTable(t *testing.T) {
	var asked []string
	table := Table{"x-full": full{&asked}, "x-nil": nil}
	for _, err := range useAll(t, table, url.MustParse("X-Full:a")) {
		if err != nil {
			t.Errorf("a Table with an Opener for the scheme gives %v", err)
		}
	}
	want := "open X-Full:a, stat X-Full:a, ask X-Full:a, answer X-Full:a, search w X-Full:a, store X-Full:a, append X-Full:a, delete X-Full:a, make X-Full:a"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("the Opener was asked %q, want %q", got, want)
	}
	for _, text := range []string{"x-other:a", "x-nil:a", "relative", ""} {
		for i, err := range useAll(t, table, url.MustParse(text)) {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("ability %d for %q gives %v, want errors.ErrUnsupported", i, text, err)
			}
		}
	}
	_, err := Table(nil).Open(t.Context(), &Request{URL: url.MustParse("relative")})
	if Hint(err) == "" || !errors.Is(err, ErrNoScheme) {
		t.Errorf("opening a relative reference gives %v, hint %q, want ErrNoScheme and a hint", err, Hint(err))
	}
}

// Who leaves out the scheme is told so, and nobody else.
func TestTableHint(t *testing.T) {
	for text, hints := range map[string]bool{
		"relative": true, "//h/x": true, "": true, "localhost:8080": true, "localhost:8080/": true, "example.org:80/x/y": true,
		"x-other:": false, "x-other:/80": false, "x-other:80a/": false, "x-other://h:80/": false, "mailto:a@b": false,
	} {
		_, err := Table{}.Open(t.Context(), &Request{URL: url.MustParse(text)})
		if (Hint(err) != "") != hints || !errors.Is(err, ErrNoScheme) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Open(%q) = %v, hint %q, want a hint: %v", text, err, Hint(err), hints)
		}
		if isAbs := strings.Contains(text, ":"); strings.HasSuffix(err.Error(), "it has no scheme") == isAbs {
			t.Errorf("Open(%q) = %v, want it to say that there is no scheme: %v", text, err, !isAbs)
		}
	}
}

// An Opener that can do nothing but open says so.
// req: 1738-2-1
func TestUnsupported(t *testing.T) {
	o := OpenerFunc(func(context.Context, *Request) (*Resource, error) { return nil, nil })
	for i, err := range useAll(t, o, url.MustParse("x:y"))[1:] {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("ability %d gives %v, want errors.ErrUnsupported", i+1, err)
		}
	}
}

type sliceLister []any // entries and errors

func (l *sliceLister) Next() (Entry, error) {
	if len(*l) == 0 {
		return Entry{}, io.EOF
	}
	next := (*l)[0]
	*l = (*l)[1:]
	if err, ok := next.(error); ok {
		return Entry{}, err
	}
	return next.(Entry), nil
}

func TestEntries(t *testing.T) {
	stop := errors.New("stop")
	for _, test := range []struct {
		list sliceLister
		stop string // the title at which yield stops
		want int
		err  error
	}{
		{want: 0},
		{list: sliceLister{Entry{Title: "a"}, Entry{Title: "b"}}, want: 2},
		{list: sliceLister{Entry{Title: "a"}, io.ErrUnexpectedEOF}, want: 1, err: io.ErrUnexpectedEOF},
		{list: sliceLister{Entry{Title: "a"}, &Error{Op: "list", Err: io.ErrUnexpectedEOF}}, want: 1, err: io.ErrUnexpectedEOF},
		{list: sliceLister{Entry{Title: "a"}, Entry{Title: "b"}}, stop: "a", want: 1, err: stop},
	} {
		n := 0
		err := Entries(&test.list, func(e Entry) error {
			n++
			if e.Title == test.stop {
				return stop
			}
			return nil
		})
		if n != test.want || !errors.Is(err, test.err) {
			t.Errorf("Entries gives %d entries, %v, want %d, %v", n, err, test.want, test.err)
		}
	}
}
