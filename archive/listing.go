package archive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"locus/access"
	"locus/url"
)

// A storedEntry is an entry of a listing, as a line of JSON. It has no password.
type storedEntry struct {
	Title    string        `json:"title"`
	RawTitle []byte        `json:"raw_title,omitempty"` // of a Title that is not UTF-8
	URL      string        `json:"url,omitempty"`
	Kind     string        `json:"kind"`
	Type     string        `json:"type,omitempty"`
	Size     int64         `json:"size"` // -1: unknown
	ModTime  time.Time     `json:"mtime,omitzero"`
	Facts    []access.Fact `json:"facts,omitempty"`
}

// A fact list is the Sys of an entry.
type factList []access.Fact

// Facts returns the facts.
func (f factList) Facts() []access.Fact { return f }

// marshalEntry returns the line of an entry.
func marshalEntry(e access.Entry) ([]byte, error) {
	s := storedEntry{Title: e.Title, Kind: e.Kind.String(), Type: e.Type, Size: e.Size, ModTime: e.ModTime, Facts: access.Facts(e.Sys)}
	if !utf8.ValidString(e.Title) {
		s.RawTitle = []byte(e.Title)
	}
	if !e.URL.IsZero() {
		kept, err := e.URL.Without(url.Password)
		if err != nil {
			return nil, err
		}
		s.URL = kept.String()
	}
	line, err := json.Marshal(s)
	return append(line, '\n'), err
}

// unmarshalEntry returns the entry of a line.
func unmarshalEntry(line []byte) (access.Entry, error) {
	var s storedEntry
	if err := json.Unmarshal(line, &s); err != nil {
		return access.Entry{}, fmt.Errorf("an entry of the recorded listing: %w", err)
	}
	e := access.Entry{Title: s.Title, Kind: kindOf(s.Kind), Type: s.Type, Size: s.Size, ModTime: s.ModTime}
	if s.RawTitle != nil {
		e.Title = string(s.RawTitle)
	}
	if len(s.Facts) > 0 {
		e.Sys = factList(s.Facts)
	}
	if s.URL == "" {
		return e, nil
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return access.Entry{}, fmt.Errorf("an entry of the recorded listing: %w", err)
	}
	e.URL = u
	return e, nil
}

func kindOf(text string) access.Kind {
	for k := access.Unknown; k <= access.Failure; k++ {
		if k.String() == text {
			return k
		}
	}
	return access.Unknown
}

// maxEntry is the length of the longest line of a listing.
const maxEntry = 1 << 20

// A listing is the List of a recorded listing.
type listing struct{ lines *bufio.Reader }

func newListing(r io.Reader) *listing { return &listing{bufio.NewReaderSize(r, maxEntry)} }

// Next returns the next entry.
func (l *listing) Next() (access.Entry, error) {
	line, err := l.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return access.Entry{}, fmt.Errorf("an entry of the recorded listing has more than %d bytes", maxEntry)
	case err == io.EOF && len(line) > 0:
		return access.Entry{}, io.ErrUnexpectedEOF
	case err != nil:
		return access.Entry{}, err
	}
	return unmarshalEntry(line)
}
