package marc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxRecord is how many bytes a record of a file may have. ISO 2709 allows 99 999; some
// programs write more.
const maxRecord = 1 << 20

// Read yields the records of a file, as [Parse] reads them. White space between records
// is skipped. After an error that wraps [ErrNotMARC] the next record follows. Any other
// error is the last: of r, of a record that is cut off, or of one longer than a megabyte.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := bufio.NewReader(r)
		for {
			b, err := next(in)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(Parse(b)) {
				return
			}
		}
	}
}

// next returns the bytes of the next record with its end. The error is io.EOF if there
// is none.
func next(in *bufio.Reader) ([]byte, error) {
	if err := skipBlanks(in); err != nil {
		return nil, err
	}
	var record []byte
	for {
		part, err := in.ReadSlice(endOfRecord)
		record = append(record, part...)
		switch {
		case err == nil:
			return record, nil
		case len(record) > maxRecord:
			return nil, fmt.Errorf("%w: it has no end within %d bytes", errTooLong, maxRecord)
		case err == io.EOF:
			_, err := (&source{}).cut(record)
			return nil, err
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

var errTooLong = errors.New("the MARC record is too long")

// cutOff is the error for a record of which only got bytes are there.
func cutOff(got, length int) error {
	if length > got {
		return fmt.Errorf("the MARC record is cut off after %d of %d bytes: %w", got, length, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("the MARC record is cut off after %d bytes: %w", got, io.ErrUnexpectedEOF)
}

// skipBlanks skips what programs write between records.
func skipBlanks(in *bufio.Reader) error {
	for {
		c, err := in.ReadByte()
		if err != nil {
			return err
		}
		if bytes.IndexByte([]byte(" \t\r\n\x00\x1a"), c) < 0 {
			return in.UnreadByte()
		}
	}
}

// LookLen is how many bytes [LooksLike] needs.
const LookLen = leaderLen + 12

// LooksLike reports whether text begins like a record of ISO 2709: a length, the numbers
// of a leader and an entry of a directory.
func LooksLike(text []byte) bool {
	if len(text) < LookLen {
		return false
	}
	_, length := number(text[:5])
	_, base := number(text[12:17])
	_, entry := number(text[leaderLen+3 : leaderLen+12])
	return length && base && entry && text[20] == '4' && text[21] == '5'
}
