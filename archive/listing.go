package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"locus/access"
	"locus/url"
	"locus/url/whatwg"
)

// marshalEntry returns e as a line of a recorded listing, with its line feed and without a
// password.
func marshalEntry(e access.Entry) ([]byte, error) {
	if !e.URL.IsZero() {
		kept, err := e.URL.Without(url.Password)
		if err != nil {
			return nil, err
		}
		e.URL = kept
	}
	return append(access.AppendEntry(nil, e), '\n'), nil
}

// unmarshalEntry parses a line that marshalEntry has written.
func unmarshalEntry(line []byte) (access.Entry, error) {
	e, err := access.ParseEntry(line, whatwg.Standard)
	if err != nil {
		return access.Entry{}, fmt.Errorf("an entry of the recorded listing: %w", err)
	}
	return e, nil
}

// maxEntry is the length of the longest line of a listing.
const maxEntry = 1 << 20

// A listing is the List of a recorded listing.
type listing struct{ lines *bufio.Reader }

// newListing returns the listing in r, which has a line for each entry.
func newListing(r io.Reader) *listing { return &listing{bufio.NewReaderSize(r, maxEntry)} }

// Next returns the next entry, and io.EOF after the last one. A recording that ends inside a line
// gives io.ErrUnexpectedEOF.
func (l *listing) Next() (access.Entry, error) {
	line, err := l.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return access.Entry{}, fmt.Errorf("an entry of the recorded listing has more than %d bytes", maxEntry)
	case access.IsEnd(err) && len(line) > 0:
		return access.Entry{}, io.ErrUnexpectedEOF
	case err != nil:
		return access.Entry{}, err
	}
	return unmarshalEntry(line)
}
