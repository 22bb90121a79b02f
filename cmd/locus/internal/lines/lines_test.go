package lines_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/cmd/locus/internal/lines"
	"locus/extract"
)

// write returns the lines that are written for a text, the number of matches, and the errors.
func write(t *testing.T, text string, find extract.Options, o lines.Options, size int) (written string, count int, errs []error) {
	t.Helper()
	var out strings.Builder
	w := lines.New(&out, o)
	from := lines.Text{Name: "a.txt", At: strings.NewReader(text)}
	err := w.Write(w.Pages(from, extract.All(strings.NewReader(text), find), size), func(err error) error {
		errs = append(errs, err)
		return nil
	})
	if err != nil {
		t.Errorf("Write = %v", err)
	}
	return out.String(), w.Count(), errs
}

// The output does not depend on the size of pages.
func TestWrite(t *testing.T) {
	const text = "see http://a/, ftp://b/x and\nhttp://a/ again"
	for _, test := range []struct {
		options lines.Options
		want    string
		count   int
	}{
		{lines.Options{}, "http://a/\nftp://b/x\nhttp://a/\n", 3},
		{lines.Options{Unique: true}, "http://a/\nftp://b/x\n", 2},
		{lines.Options{Count: true}, "", 3},
		{lines.Options{Count: true, Unique: true}, "", 2},
		{lines.Options{Schemes: []string{"wais", "ftp"}}, "ftp://b/x\n", 1},
		{lines.Options{Hosts: []string{"c", "a"}}, "http://a/\nhttp://a/\n", 2},
		{lines.Options{Schemes: []string{"http"}, Hosts: []string{"b"}, JSON: true}, "", 0},
		{
			lines.Options{JSON: true, Unique: true},
			`{"url":"http://a/","text":"http://a/","kind":"url","file":"a.txt","offset":4,"length":9,"line":1,"column":5,"context":"see http://a/, ftp://b/x and"}` + "\n" +
				`{"url":"ftp://b/x","text":"ftp://b/x","kind":"url","file":"a.txt","offset":15,"length":9,"line":1,"column":16,"context":"see http://a/, ftp://b/x and"}` + "\n",
			2,
		},
	} {
		for _, size := range []int{0, 10, 1 << 20} {
			got, count, errs := write(t, text, extract.Options{}, test.options, size)
			if got != test.want || count != test.count || len(errs) > 0 {
				t.Errorf("Write with %+v and pages of %d bytes: %d matches\n%s%v, want %d\n%s", test.options, size, count, got, errs, test.count, test.want)
			}
		}
	}
}

// A host also stands for its subdomains.
func TestHosts(t *testing.T) {
	for _, test := range []struct {
		host, name string
		want       bool
	}{
		{"example.org", "example.org", true},
		{"a.EXAMPLE.org", "example.ORG", true},
		{"a.example.org", ".example.org", true},
		{"badexample.org", "example.org", false},
		{"example.org", "a.example.org", false},
		{"[::1]", "::1", true},
	} {
		_, count, _ := write(t, "http://"+test.host+"/", extract.Options{}, lines.Options{Hosts: []string{test.name}}, 0)
		if (count == 1) != test.want {
			t.Errorf("the URL of %q with the host %q: %d matches, want one: %v", test.host, test.name, count, test.want)
		}
	}
}

// In JSON, a text that is not a valid URL has the URL null. Its unprintable bytes are escaped.
func TestInvalid(t *testing.T) {
	invalid := func(yield func(extract.Match, error) bool) {
		yield(extract.Match{Text: ":\x01é", Kind: extract.Reference}, nil)
	}
	for isJSON, want := range map[bool]string{
		false: ":%01%C3%A9\n",
		true:  `{"url":null,"text":":\u0001é","kind":"reference","file":"","offset":0,"length":0,"line":0,"column":0}` + "\n",
	} {
		var out strings.Builder
		w := lines.New(&out, lines.Options{JSON: isJSON})
		if err := w.Write(w.Pages(lines.Text{}, invalid, 0), func(err error) error { return err }); err != nil || out.String() != want {
			t.Errorf("JSON: %v: %s%v, want %s", isJSON, &out, err, want)
		}
	}
}

// matches yields n matches of one URL, and then an error.
func matches(n int, err error) iter.Seq2[extract.Match, error] {
	return func(yield func(extract.Match, error) bool) {
		for range n {
			if !yield(extract.Match{Text: "http://example.org/"}, nil) {
				return
			}
		}
		if err != nil {
			yield(extract.Match{Line: 7}, err)
		}
	}
}

// A page has little more than its size, and at most a thousand matches, even without lines.
func TestPages(t *testing.T) {
	for _, test := range []struct {
		options lines.Options
		size    int
		want    int // the number of pages of 5000 matches of 20 bytes
	}{
		{lines.Options{}, 0, 5000},
		{lines.Options{}, 2000, 50},
		{lines.Options{}, 1 << 30, 5},
		{lines.Options{Count: true}, 10, 5},
	} {
		w := lines.New(io.Discard, test.options)
		pages := slices.Collect(w.Pages(lines.Text{}, matches(5000, nil), test.size))
		if len(pages) != test.want {
			t.Errorf("Pages with %+v and %d bytes = %d pages, want %d", test.options, test.size, len(pages), test.want)
		}
		if err := w.Write(slices.Values(pages), func(err error) error { return err }); err != nil || w.Count() != 5000 {
			t.Errorf("Write of pages with %+v and %d bytes = %d matches, %v", test.options, test.size, w.Count(), err)
		}
	}
}

// An error is reported after the lines before it, in the words of Explain. The report function may
// end the writing.
func TestErrors(t *testing.T) {
	broken, gone := errors.New("broken"), errors.New("gone")
	text := lines.Text{Explain: func(m extract.Match, err error) error { return fmt.Errorf("line %d: %w", m.Line, err) }}
	for _, ends := range []bool{false, true} {
		var out strings.Builder
		w := lines.New(&out, lines.Options{})
		var got []string
		pages := func(yield func(*lines.Page) bool) {
			for _, some := range []iter.Seq[*lines.Page]{w.Pages(text, matches(2, broken), 100), w.ErrorPage(gone), w.Pages(lines.Text{}, matches(1, broken), 0)} {
				for p := range some {
					if !yield(p) {
						return
					}
				}
			}
		}
		err := w.Write(pages, func(err error) error {
			got = append(got, fmt.Sprint(err, " after ", strings.Count(out.String(), "\n")))
			if ends && errors.Is(err, gone) {
				return err
			}
			return nil
		})
		want := []string{"line 7: broken after 2", "gone after 2", "broken after 3"}
		if ends {
			want = want[:2]
		}
		if !slices.Equal(got, want) || errors.Is(err, gone) != ends {
			t.Errorf("Write that ends with an error (%v) reports %q, want %q, and returns %v", ends, got, want, err)
		}
	}
}

type closed struct{ err error }

func (c closed) Write([]byte) (int, error) { return 0, c.err }

func TestWriteFails(t *testing.T) {
	broken := errors.New("broken")
	for _, isUnique := range []bool{false, true} {
		w := lines.New(closed{broken}, lines.Options{Unique: isUnique})
		if err := w.Write(w.Pages(lines.Text{}, matches(3, nil), 0), func(err error) error { return nil }); !errors.Is(err, broken) {
			t.Errorf("unique: %v: Write = %v", isUnique, err)
		}
	}
}

// Several goroutines make pages while another writes pages.
func TestTogether(t *testing.T) {
	var out strings.Builder
	w := lines.New(&out, lines.Options{JSON: true, Unique: true})
	pages := make(chan *lines.Page)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for p := range w.Pages(lines.Text{Name: "a"}, matches(500, nil), 1000) {
				pages <- p
			}
		})
	}
	go func() {
		all.Wait()
		close(pages)
	}()
	err := w.Write(func(yield func(*lines.Page) bool) {
		for p := range pages {
			yield(p)
		}
	}, func(err error) error { return err })
	if err != nil || w.Count() != 1 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("Write = %d matches, %v: %s", w.Count(), err, &out)
	}
}

func Example() {
	const text = "See http://example.org/ and ftp://ftp.example.org/pub/, or http://example.org/."
	var out strings.Builder
	w := lines.New(&out, lines.Options{Unique: true})
	found := extract.All(strings.NewReader(text), extract.Options{})
	if err := w.Write(w.Pages(lines.Text{}, found, 32<<10), func(err error) error { return err }); err != nil {
		fmt.Println(err)
	}
	fmt.Print(&out)
	// Output:
	// http://example.org/
	// ftp://ftp.example.org/pub/
}
