package marc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxRecord is the maximum number of bytes of a record in a file. ISO 2709 allows 99 999, but
// some programs write more.
const maxRecord = 1 << 20

// Read yields the records of a file, as [Parse] reads them. It skips white space between
// records. After an error that wraps [ErrNotMARC] it continues with the next record. It stops
// after any other error: an error of r, a record that is cut off, or a record of more than a
// megabyte.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		in := bufio.NewReader(r)
		for {
			b, err := nextRecord(in)
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

// nextRecord returns the bytes of the next record with its end mark. The error is io.EOF at the end
// of the file, and wraps io.ErrUnexpectedEOF, ErrNotMARC or errTooLong if the end mark is missing.
func nextRecord(in *bufio.Reader) ([]byte, error) {
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
			_, err := (&source{}).trimRecord(record)
			return nil, err
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

var errTooLong = errors.New("the MARC record is too long")

// cutOff returns the error for a record that ends early: after got bytes, although its leader
// says that it has length. It wraps io.ErrUnexpectedEOF.
func cutOff(got, length int) error {
	if length > got {
		return fmt.Errorf("the MARC record is cut off after %d of %d bytes: %w", got, length, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("the MARC record is cut off after %d bytes: %w", got, io.ErrUnexpectedEOF)
}

// skipBlanks skips the white space, NUL and ^Z that programs write between records. The error
// is io.EOF at the end of the file.
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

// LookLen is the number of bytes that [LooksLike] needs.
const LookLen = leaderLen + 12

// LooksLike reports whether text begins like a record of ISO 2709, with a length, the numbers
// of a leader and an entry of a directory. It returns false if text has fewer than LookLen
// bytes.
func LooksLike(text []byte) bool {
	if len(text) < LookLen {
		return false
	}
	_, length := number(text[:5])
	_, base := number(text[12:17])
	_, entry := number(text[leaderLen+3 : leaderLen+12])
	return length && base && entry && text[20] == '4' && text[21] == '5'
}
