package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/klauspost/compress/flate"
)

// The name of an archive to write ends in one of these.
const (
	Suffix      = ".warc.gz" // each record is compressed
	PlainSuffix = ".warc"    // records are not compressed
)

// A format says whether records are compressed.
type format uint8

const (
	formatGzip format = iota + 1
	formatPlain
)

// formatOf returns the format of the named file of an archive. suffix is the end of name that tells
// the format. ok is false if name does not end in Suffix or PlainSuffix, or has only the suffix.
func formatOf(name string) (f format, suffix string, ok bool) {
	switch {
	case strings.HasSuffix(name, Suffix):
		f, suffix = formatGzip, Suffix
	case strings.HasSuffix(name, PlainSuffix):
		f, suffix = formatPlain, PlainSuffix
	}
	return f, suffix, suffix != "" && name != suffix
}

// start returns the start of a record with these fields, in the format f. The block follows it.
func (f format) start(fields Fields) ([]byte, error) {
	if f == formatPlain {
		return fields.appendTo(nil), nil
	}
	return memberStart(fields.appendTo(nil))
}

// startOfSize returns the start of a record with these fields, padded to exactly size bytes, so
// that it can overwrite reserved space. It returns an error if the fields do not fit.
func (f format) startOfSize(fields Fields, size int) ([]byte, error) {
	if f == formatPlain {
		return textOfSize(fields, size)
	}
	return memberOfSize(fields.appendTo(nil), size)
}

// end returns the bytes that follow the block s and recordEnd. They are the checksum and the size
// at the end of a gzip member; nil for a file that is not compressed. fields are the fields that
// start has written.
func (f format) end(fields Fields, s *stored) []byte {
	if f == formatPlain {
		return nil
	}
	text := fields.appendTo(nil)
	total := s.size + int64(len(recordEnd))
	crc := combineCRC(crc32.ChecksumIEEE(text), s.crc, total)
	end := binary.LittleEndian.AppendUint32(nil, crc)
	return binary.LittleEndian.AppendUint32(end, uint32(int64(len(text))+total)) //nolint:gosec // modulo 2^32, by RFC 1952
}

// memberStart returns the start of the gzip member (RFC 1952) of a record. fields is the text of
// its fields. The pieces of the block must follow:
//
//	1f 8b 08 00 …  fields      block       CRC  length
//	\___________/  \____/      \___/       \_________/
//	gzip header    a deflate   the pieces  end
//	               stream that
//	               goes on
func memberStart(fields []byte) ([]byte, error) {
	var text bytes.Buffer
	text.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
	z := compressors.Get().(*flate.Writer)
	defer compressors.Put(z)
	z.Reset(&text)
	if _, err := z.Write(fields); err != nil {
		return nil, err
	}
	if err := z.Flush(); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// memberOfSize returns the start of a gzip member like memberStart, but of exactly size bytes. An
// extra field fills the space:
//
//	1f 8b 08 04 …  length  zeros  00 length complement  fields
//	\___________/  \___________/  \__________________________/
//	gzip header    extra field    a stored block, after which
//	                              the deflate stream goes on
func memberOfSize(fields []byte, size int) ([]byte, error) {
	const least = 10 + 2 + 4 + 5 // with an extra field of one empty subfield
	extra := size - least - len(fields) + 4
	if extra < 4 {
		return nil, noRoom(len(fields), size-least)
	}
	text := make([]byte, 0, size)
	text = append(text, 0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255)
	text = binary.LittleEndian.AppendUint16(text, uint16(extra)) //nolint:gosec // less than 64 KiB
	text = append(text, 'l', 'o')                                // our own subfield (RFC 1952 §2.3.1.1)
	text = binary.LittleEndian.AppendUint16(text, uint16(extra-4))
	text = append(text, bytes.Repeat([]byte{0}, extra-4)...)
	text = append(text, 0)
	text = binary.LittleEndian.AppendUint16(text, uint16(len(fields)))
	text = binary.LittleEndian.AppendUint16(text, ^uint16(len(fields)))
	return append(text, fields...), nil
}

// textOfSize returns the text of the fields with exactly size bytes. An additional field fills the
// space, because readers ignore unknown fields (WARC/1.1 §4).
func textOfSize(fields Fields, size int) ([]byte, error) {
	const filler = "Locus-Room"
	padded := append(fields[:len(fields):len(fields)], Field{filler, "-"})
	missing := size - len(padded.appendTo(nil))
	if missing < 0 {
		return nil, noRoom(len(fields.appendTo(nil)), size)
	}
	padded[len(fields)].Value += strings.Repeat("-", missing)
	return padded.appendTo(nil), nil
}

// noRoom returns the error for fields of has bytes that do not fit into room bytes.
func noRoom(has, room int) error {
	return fmt.Errorf("the fields of a record have %d bytes, and only %d fit", has, room)
}
