package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locus/access"
)

// Fields are the named fields of a record, in order (WARC/1.1 §4):
//
//	WARC-Type: response
//	\_______/  \______/
//	name       value
type Fields []Field

// A Field is one named field.
type Field struct{ Name, Value string }

// Get returns the value of the first field of that name, in any case of letters; "" if f
// has no such field.
func (f Fields) Get(name string) string {
	for _, field := range f {
		if strings.EqualFold(field.Name, name) {
			return field.Value
		}
	}
	return ""
}

// maxValue is the length of the longest value that is written, so that every reader can
// read it.
const maxValue = 32 << 10

// add appends a field, unless the value is "". Line ends and other controls become spaces,
// because a server may have sent the value. A value of more than maxValue bytes is
// truncated.
func (f *Fields) add(name, value string) {
	if value == "" {
		return
	}
	value = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, value[:min(len(value), maxValue)])
	*f = append(*f, Field{name, value})
}

// appendTo appends to b the text of the fields: the version, a line for each field, and an empty
// line.
func (f Fields) appendTo(b []byte) []byte {
	b = append(b, "WARC/1.1\r\n"...)
	for _, field := range f {
		b = append(append(append(b, field.Name...), ": "...), field.Value...)
		b = append(b, "\r\n"...)
	}
	return append(b, "\r\n"...)
}

const (
	maxFields    = 256 << 10 // bytes of all fields of a record
	maxFieldLine = 64 << 10
)

// otherFormats has the first bytes of files that people take for WARC files.
var otherFormats = []struct{ start, advice string }{
	{"PK\x03\x04", "it is a zip archive, such as a WACZ file: unpack it, and open the WARC files in it"},
	{"\x28\xb5\x2f\xfd", "it is compressed with zstd: decompress it first"},
	{"BZh", "it is compressed with bzip2: decompress it first"},
	{"\xfd7zXZ\x00", "it is compressed with xz: decompress it first"},
}

// notWARC returns the error for a record that begins with line, which is not a line of WARC.
func notWARC(line string) error {
	for _, other := range otherFormats {
		if strings.HasPrefix(line, other.start) {
			return errors.New(other.advice)
		}
	}
	return fmt.Errorf("it begins with %q, not with WARC/1.0 or WARC/1.1", shorten(line))
}

// readFields reads the version and the fields of a record, with the empty line after them. isARC is
// true if the record belongs to an ARC file; the fields are then its first line, as arcFields
// converts it. At the end of the file the error is io.EOF.
//
// QUIRK: it skips a line without a colon, because some tools write remarks between the fields. It also skips a byte
// order mark, because some editors write one at the start of a file.
func readFields(r *bufio.Reader) (fields Fields, isARC bool, err error) {
	version, n, err := readLine(r)
	for err == nil && version == "" && n <= maxFieldLine { // some writers put more empty lines between records
		var more int
		version, more, err = readLine(r)
		n += more
	}
	version = strings.TrimPrefix(version, "\ufeff")
	endsEarly := errors.Is(err, io.ErrUnexpectedEOF)
	fields, isARC = arcFields(version)
	switch {
	case err != nil && !endsEarly:
		return nil, false, err
	case !isFirstLine(version) && !(endsEarly && strings.HasPrefix(startWARC, version)):
		return nil, false, notWARC(version)
	case endsEarly, isARC:
		return fields, isARC, err
	}
	for total := n; ; {
		line, n, err := readLine(r)
		if total += n; err == nil && total > maxFields {
			err = fmt.Errorf("its fields have more than %d bytes", maxFields)
		}
		switch {
		case access.IsEnd(err):
			return nil, false, io.ErrUnexpectedEOF
		case err != nil:
			return nil, false, err
		case line == "":
			return fields, false, nil
		case line[0] == ' ' || line[0] == '\t': // RFC 822 folding
			if len(fields) > 0 {
				fields[len(fields)-1].Value += " " + strings.TrimSpace(line)
			}
			continue
		}
		if name, value, ok := strings.Cut(line, ":"); ok && name != "" {
			fields = append(fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
}

// readLine reads a line, and returns it without its line end. n is the number of bytes read, with
// the line end. At the end of the file the error is io.EOF. If the file ends in the line, readLine
// returns its bytes and io.ErrUnexpectedEOF. A line that does not fit into the buffer of r is an
// error.
func readLine(r *bufio.Reader) (line string, n int, err error) {
	text, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", len(text), fmt.Errorf("a line has more than %d bytes", r.Size())
	case access.IsEnd(err) && len(text) > 0:
		err = io.ErrUnexpectedEOF
	}
	return string(bytes.TrimRight(text, "\r\n")), len(text), err
}

// shorten returns text for an error. If text is longer than 60 bytes, it returns the first 60 and
// "…".
func shorten(text string) string {
	const most = 60
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// target returns WARC-Target-URI without angle brackets; "" if it is missing.
func (f Fields) target() string { return bare(f.Get("WARC-Target-URI")) }

// bare returns a URL without the angle brackets around it. QUIRK: wget 1.21 writes them around
// targets, as the grammar of WARC/1.0 has them.
func bare(target string) string {
	if strings.HasPrefix(target, "<") && strings.HasSuffix(target, ">") {
		return target[1 : len(target)-1]
	}
	return target
}

// date returns WARC-Date; the zero time if it is missing or invalid.
func (f Fields) date() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, f.Get("WARC-Date"))
	return t
}

// length returns Content-Length. It returns an error if the field is missing or invalid.
func (f Fields) length() (int64, error) {
	n, err := strconv.ParseUint(f.Get("Content-Length"), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("its Content-Length is %q", shorten(f.Get("Content-Length")))
	}
	return int64(n), nil
}
