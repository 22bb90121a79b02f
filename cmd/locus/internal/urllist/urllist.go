// Package urllist reads the URLs of arguments, and of a file with one URL per line.
package urllist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"locus/internal/glob"
	"locus/scheme"
	"locus/url"
)

// MaxLine is the largest number of bytes in a line of a list.
const MaxLine = 1 << 20

// A Source is a list of URLs, from arguments and from a file. The zero Source is empty.
type Source struct {
	Texts   []string      // each stands for one URL, or for several URLs: see glob.Parse
	List    io.ReadCloser // has more texts, one per line; nil: there is no list
	Name    string        // the name of List, for errors
	Literal bool          // brackets and braces are part of the URL, and do not stand for several URLs

	// Parse reads URLs by other rules than url.Parse. If it is set, brackets and braces that do not stand for several
	// URLs belong to the URL.
	Parse func(text string) (url.URL, error)
}

// A GlobError says why a text with brackets or braces does not stand for URLs.
type GlobError struct {
	Text string // may have a password
	Err  error
}

// Error returns the reason without the text.
func (e *GlobError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *GlobError) Unwrap() error { return e.Err }

// All yields the URLs of Texts and then the URLs of List. For an invalid URL it yields the reason. In List it skips
// empty lines, and lines that begin with "#". It reads List while the loop runs, and closes List at the end of the
// loop, so use one loop for a Source with a List. If List cannot be read, All yields that error last. All removes
// "URL:" before a URL.
func (s Source) All() iter.Seq2[url.URL, error] {
	return func(yield func(url.URL, error) bool) {
		if s.List != nil {
			defer s.List.Close()
		}
		for _, text := range s.Texts {
			if !s.expand(text, yield) {
				return
			}
		}
		if s.List != nil {
			s.readList(yield)
		}
	}
}

// readList yields the URLs in List, and an error if List cannot be read.
func (s Source) readList(yield func(url.URL, error) bool) {
	lines := bufio.NewScanner(s.List)
	lines.Buffer(nil, MaxLine)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line != "" && line[0] != '#' && !s.expand(line, yield) {
			return
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line has more than %d bytes", MaxLine)
	}
	if err != nil {
		yield(url.URL{}, fmt.Errorf("read %q: %w", s.Name, err))
	}
}

// expand yields the URLs that a text stands for: several if it has a set or a range in brackets or braces, unless
// Literal is set. It yields an error if the text is invalid. It returns false if yield has returned false, so that the
// caller must stop.
func (s Source) expand(text string, yield func(url.URL, error) bool) bool {
	parse := s.Parse
	if parse == nil {
		parse = url.Parse
	}
	if s.Literal || !strings.ContainsAny(text, "[]{}") {
		return yield(parse(scheme.Unprefix(text)))
	}
	all, err := glob.Parse(text)
	switch {
	case err != nil && s.Parse != nil:
		return yield(parse(scheme.Unprefix(text)))
	case err != nil:
		return yield(url.URL{}, &GlobError{text, err})
	}
	for one := range all.All() {
		if !yield(parse(scheme.Unprefix(one))) {
			return false
		}
	}
	return true
}
