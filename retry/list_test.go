package retry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"locus/access"
	"locus/url"
)

// A menu is an Engine with one listing. Each request gets the entries of its turn, and then the error of its turn.
type menu struct {
	turns  []turn
	asked  int
	closed int
}

type turn struct {
	titles []string
	err    error // after the entries; nil for the end
	isFile bool  // the resource has no listing
}

func (m *menu) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	now := m.turns[min(m.asked, len(m.turns)-1)]
	m.asked++
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: &menuBody{menu: m, left: now.titles, err: now.err, text: strings.NewReader(strings.Join(now.titles, "\n"))}}
	if !now.isFile {
		r.List = r.Body.(*menuBody)
	}
	return r, nil
}

type menuBody struct {
	menu *menu
	left []string
	err  error
	text *strings.Reader
}

func (b *menuBody) Next() (access.Entry, error) {
	if len(b.left) == 0 {
		if b.err != nil {
			return access.Entry{}, b.err
		}
		return access.Entry{}, io.EOF
	}
	title := b.left[0]
	b.left = b.left[1:]
	return access.Entry{Title: title, URL: url.MustParse("gopher://h/0" + title)}, nil
}

func (b *menuBody) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if errors.Is(err, io.EOF) && b.err != nil {
		err = b.err
	}
	return n, err
}

func (b *menuBody) Close() error {
	b.menu.closed++
	return nil
}

// A listing that breaks off is read again and continues, unless it has changed. Each entry is returned once.
func TestListingResumes(t *testing.T) {
	cut := func(titles ...string) turn { return turn{titles: titles, err: errCut} }
	whole := turn{titles: []string{"a", "b", "c"}}
	for _, test := range []struct {
		name  string
		turns []turn
		want  []string
		fails error
		asked int
	}{
		{"it breaks off", []turn{cut("a"), whole}, whole.titles, nil, 2},
		{"twice", []turn{cut("a"), cut("a", "b"), whole}, whole.titles, nil, 3},
		{"before the first", []turn{cut(), whole}, whole.titles, nil, 2},
		{"earlier the second time", []turn{cut("a", "b"), cut("a"), whole}, whole.titles, nil, 3},
		{"after the last", []turn{cut("a", "b", "c"), whole}, whole.titles, nil, 2},
		{"always", []turn{cut("a")}, []string{"a"}, io.ErrUnexpectedEOF, 4},
		{"another entry", []turn{cut("a", "b"), {titles: []string{"a", "x", "c"}}}, []string{"a", "b"}, access.ErrChanged, 2},
		{"fewer entries", []turn{cut("a", "b"), {titles: []string{"a"}}}, []string{"a", "b"}, access.ErrChanged, 2},
		{"no listing", []turn{cut("a"), {isFile: true}}, []string{"a"}, access.ErrChanged, 2},
		{"against the protocol", []turn{{titles: []string{"a"}, err: access.ErrProtocol}}, []string{"a"}, access.ErrProtocol, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &menu{turns: test.turns}
			r, err := Engine{Engine: m}.Do(t.Context(), get("gopher://h/1"))
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			var got []string
			err = access.Entries(r.List, func(e access.Entry) error {
				got = append(got, e.Title)
				return nil
			})
			r.Body.Close()
			if !errors.Is(err, test.fails) || !slices.Equal(got, test.want) || m.asked != test.asked {
				t.Errorf("%s: entries %q, %v, after %d requests; want %q, %v, %d", test.name, got, err, m.asked, test.want, test.fails, test.asked)
			}
			if m.closed < m.asked {
				t.Errorf("%s: %d of %d Bodies are closed, want all", test.name, m.closed, m.asked)
			}
		})
	}
}

// The bytes of a listing also continue after a failure.
func TestListingBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &menu{turns: []turn{{titles: []string{"a", "b"}, err: errCut}, {titles: []string{"a", "b", "c"}}}}
		r, err := Engine{Engine: m}.Do(t.Context(), get("gopher://h/1"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if text, err := io.ReadAll(r.Body); err != nil || string(text) != "a\nb\nc" || m.asked != 2 {
			t.Errorf("read %q, %v, after %d requests, want three lines after 2", text, err, m.asked)
		}
	})
}

// Each hundred entries reset the count of failures.
func TestListingProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var titles []string
		m := &menu{}
		for i := range 1000 {
			titles = append(titles, fmt.Sprint(i))
			if i%resetEntries == resetEntries-1 {
				m.turns = append(m.turns, turn{titles: slices.Clone(titles), err: errCut})
			}
		}
		m.turns = append(m.turns, turn{titles: titles})
		r, err := Engine{Engine: m, Policy: Policy{Retries: 1}}.Do(t.Context(), get("gopher://h/1"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		n := 0
		err = access.Entries(r.List, func(access.Entry) error {
			n++
			return nil
		})
		if err != nil || n != 1000 || m.asked != 11 {
			t.Errorf("read %d entries, %v, after %d requests, want 1000 after 11", n, err, m.asked)
		}
	})
}

// Close ends the wait before the next attempt.
func TestListingClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &menu{turns: []turn{{titles: []string{"a"}, err: errCut}}}
		r, err := Engine{Engine: m}.Do(t.Context(), get("gopher://h/1"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.List.Next(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := r.List.Next()
			done <- err
		}()
		synctest.Wait()
		r.Body.Close()
		if err := <-done; err == nil || m.asked != 1 {
			t.Errorf("Next after Close = %v, after %d requests, want an error after 1", err, m.asked)
		}
	})
}
