package urllist

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// A list is a List that records whether it was closed.
type list struct {
	io.Reader
	closed bool
}

func (l *list) Close() error {
	l.closed = true
	return nil
}

// URLs come from the texts and then from the list, with brackets and braces expanded.
func TestAll(t *testing.T) {
	for _, test := range []struct {
		texts   string // separated by blanks
		list    string
		literal bool
		want    string // the URLs, "!" for an error, "!glob" for a GlobError
	}{
		{texts: "http://h/{a,b}[1-2]", want: "http://h/a1 http://h/a2 http://h/b1 http://h/b2"},
		{texts: "URL:http://h/x http://[::1]/", want: "http://h/x http://[::1]/"},
		{texts: "http://h/{a http://h/", want: "!glob http://h/"},
		{texts: "http://h/%zz http://h/", want: "! http://h/"},
		{texts: "http://h/{a}", literal: true, want: "!"},
		{texts: "http://h/1", list: "# a list\n\n  http://h/2  \r\nhttp://h/{3,4}\nhttp://h/5", want: "http://h/1 http://h/2 http://h/3 http://h/4 http://h/5"},
		{list: "http://h/1\nhttp://h/" + strings.Repeat("a", MaxLine) + "\nhttp://h/2", want: "http://h/1 !"},
	} {
		l := &list{Reader: strings.NewReader(test.list)}
		var got []string
		for u, err := range (Source{Texts: strings.Fields(test.texts), List: l, Literal: test.literal}).All() {
			_, isGlob := errors.AsType[*GlobError](err)
			switch {
			case isGlob:
				got = append(got, "!glob")
			case err != nil:
				got = append(got, "!")
			default:
				got = append(got, u.String())
			}
		}
		if text := strings.Join(got, " "); text != test.want || !l.closed {
			t.Errorf("All of %q and the list %.100q = %.200q, closed %v, want %q", test.texts, test.list, text, l.closed, test.want)
		}
	}
}

// A loop that ends early also closes the list.
func TestAllEndsEarly(t *testing.T) {
	l := &list{Reader: strings.NewReader("http://h/2")}
	for range (Source{Texts: []string{"http://h/1"}, List: l}).All() {
		break
	}
	if !l.closed {
		t.Error("a loop that ends early leaves the list open")
	}
}

// If the list cannot be read, All yields the error last, with the name of the list.
func TestListFails(t *testing.T) {
	var last error
	for _, err := range (Source{List: io.NopCloser(io.MultiReader(strings.NewReader("http://h/\n"), failing{})), Name: "list.txt"}).All() {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) || !strings.HasPrefix(last.Error(), `read "list.txt": `) {
		t.Errorf("the last error of a list that fails is %v", last)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
