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

// marshalEntry returns the line of an entry, without a password.
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

// unmarshalEntry returns the entry of a line.
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

func newListing(r io.Reader) *listing { return &listing{bufio.NewReaderSize(r, maxEntry)} }

// Next returns the next entry of the recorded listing. A recording that ends inside an entry is an
// error.
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
