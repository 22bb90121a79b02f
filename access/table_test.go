package access

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/url"
)

// A full is an Engine that has every Op and records the requests.
type full struct{ asked *[]string }

func (e full) Do(_ context.Context, req *Request) (*Resource, error) {
	*e.asked = append(*e.asked, req.Verb()+" "+req.URL.String())
	return &Resource{Entry: Entry{URL: req.URL}, Body: io.NopCloser(strings.NewReader("")), Questions: &Questions{}}, nil
}

// everyRequest returns a request of each Op for u, and one with answers.
func everyRequest(u url.URL) []*Request {
	all := []*Request{{URL: u, Answers: []Answer{}}}
	for _, op := range Ops() {
		all = append(all, &Request{Op: op, URL: u, Body: strings.NewReader("")})
	}
	return all
}

// doAll sends every request to e and returns the errors.
func doAll(t *testing.T, e Engine, u url.URL) []error {
	t.Helper()
	var errs []error
	for _, req := range everyRequest(u) {
		_, err := e.Do(t.Context(), req)
		errs = append(errs, err)
	}
	return errs
}

func TestTable(t *testing.T) {
	var asked []string
	table := Table{"x-full": full{&asked}, "x-nil": nil}
	for _, err := range doAll(t, table, url.MustParse("X-Full:a")) {
		if err != nil {
			t.Errorf("a Table with an Engine for the scheme gives %v", err)
		}
	}
	want := "answer X-Full:a, open X-Full:a, stat X-Full:a, put X-Full:a, append X-Full:a, delete X-Full:a, make X-Full:a, ask X-Full:a, send X-Full:a"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("the Engine was asked %q, want %q", got, want)
	}
	for _, text := range []string{"x-other:a", "x-nil:a", "relative", ""} {
		for i, err := range doAll(t, table, url.MustParse(text)) {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("request %d for %q gives %v, want errors.ErrUnsupported", i, text, err)
			}
		}
	}
	_, err := Table(nil).Do(t.Context(), &Request{URL: url.MustParse("relative")})
	if Hint(err) == "" || !errors.Is(err, ErrNoScheme) {
		t.Errorf("opening a relative reference gives %v, hint %q, want ErrNoScheme and a hint", err, Hint(err))
	}
}

// The error names the document that reserves a scheme. Schemes that engines of this
// module open are not called reserved.
func TestTableReserved(t *testing.T) {
	for text, want := range map[string]string{
		"nfs://h/x":       "open nfs://h/x: no access to this scheme",
		"afs://h/x":       "open afs://h/x: no access to this scheme",
		"mailserver:a@b":  "open mailserver:a@b: no access to this scheme",
		"Z39.50://h/x":    "open Z39.50://h/x: the scheme is reserved by RFC 1738 §4 and not opened",
		"z39.50://h/x":    "open z39.50://h/x: the scheme is reserved by RFC 1738 §4 and not opened",
		"urn:isbn:1":      "open urn:isbn:1: the scheme is reserved by RFC 1630 and not opened",
		"mid:a@b":         "open mid:a@b: no access to this scheme",
		"cid:a@b":         "open cid:a@b: no access to this scheme",
		"tn3270://h/":     "open tn3270://h/: no access to this scheme",
		"x-other://h/afs": "open x-other://h/afs: no access to this scheme",
	} {
		_, err := Table{}.Do(t.Context(), &Request{URL: url.MustParse(text)})
		if err == nil || err.Error() != want || !errors.Is(err, ErrNoScheme) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("opening %q gives %v, want %q, an ErrNoScheme", text, err, want)
		}
	}
}

// The error for the empty URL says that the URL is empty.
func TestTableEmpty(t *testing.T) {
	_, err := Table{}.Do(t.Context(), &Request{})
	if err == nil || err.Error() != "open: the URL is empty" || !errors.Is(err, ErrNoScheme) || Hint(err) == "" {
		t.Errorf("Open(\"\") = %v, hint %q", err, Hint(err))
	}
}

// The error says that the scheme is missing only if it is.
func TestTableHint(t *testing.T) {
	for text, hints := range map[string]bool{
		"relative": true, "//h/x": true, "localhost:8080": true, "localhost:8080/": true, "example.org:80/x/y": true,
		"x-other:": false, "x-other:/80": false, "x-other:80a/": false, "x-other://h:80/": false, "mailto:a@b": false,
		"magnet:?xt=urn:btih:0": true, "ssh://h/": true, "TEL:+1": true,
	} {
		_, err := Table{}.Do(t.Context(), &Request{URL: url.MustParse(text)})
		if (Hint(err) != "") != hints || !errors.Is(err, ErrNoScheme) || !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Open(%q) = %v, hint %q, want a hint: %v", text, err, Hint(err), hints)
		}
		if isAbs := strings.Contains(text, ":"); strings.HasSuffix(err.Error(), "it has no scheme") == isAbs {
			t.Errorf("Open(%q) = %v; want an error about a missing scheme: %v", text, err, !isAbs)
		}
	}
}

// The hint for a scheme with a mistake has the URL that was meant.
func TestTableTypo(t *testing.T) {
	for text, want := range map[string]string{
		"htp://u:secret@h/": "did you mean http://u:xxxxx@h/?", "ftp//h/": "did you mean ftp://h/?", "x-other://h/": "",
		"docs//a": "a URL starts with its scheme, as in https://example.org/",
	} {
		if _, err := (Table{}).Do(t.Context(), &Request{URL: url.MustParse(text)}); Hint(err) != want {
			t.Errorf("Open(%q) has the hint %q, want %q", text, Hint(err), want)
		}
	}
}

// A GetFunc refuses every Op but Get.
// req: 1738-2-1
func TestUnsupported(t *testing.T) {
	e := GetFunc(func(context.Context, *Request) (*Resource, error) { return nil, nil })
	for _, req := range everyRequest(url.MustParse("x:y")) {
		_, err := e.Do(t.Context(), req)
		if isGet := req.Verb() == "open"; errors.Is(err, errors.ErrUnsupported) == isGet {
			t.Errorf("%s gives %v, want errors.ErrUnsupported: %v", req.Verb(), err, !isGet)
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
			t.Errorf("Entries of %v gives %d entries, %v, want %d, %v", test.list, n, err, test.want, test.err)
		}
	}
}
