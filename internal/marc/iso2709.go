package marc

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrTooLong reports that a record or a field is longer than ISO 2709 allows: 99999 or 9999
// bytes.
var ErrTooLong = errors.New("too long for ISO 2709")

// ISO2709 returns the record in the form that [Parse] reads, in UTF-8. It computes the lengths
// in the leader, and takes the other characters of the leader from r.Leader, if that is valid.
// The error wraps [ErrTooLong], or names the tag, the indicator or the code that cannot be
// written.
func (r Record) ISO2709() ([]byte, error) {
	var directory, data strings.Builder
	for _, f := range r.Fields {
		text, err := f.iso2709()
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Tag, err)
		}
		fmt.Fprintf(&directory, "%s%04d%05d", f.Tag, len(text), data.Len())
		data.WriteString(text)
	}
	base := leaderLen + directory.Len() + 1
	length := base + data.Len() + 1
	if length > 99999 {
		return nil, fmt.Errorf("a record of %d bytes: %w", length, ErrTooLong)
	}
	leader := []byte("00000nam a2200000   4500")
	if len(r.Leader) == leaderLen && strings.IndexFunc(r.Leader, isNotPrintable) < 0 {
		copy(leader, r.Leader)
	}
	copy(leader, fmt.Sprintf("%05d", length))
	copy(leader[12:], fmt.Sprintf("%05d", base))
	copy(leader[10:], "22")
	copy(leader[20:], "450")
	if r.Format == MARC21 {
		leader[9] = 'a'
	}
	return append(leader, directory.String()+"\x1e"+data.String()+"\x1d"...), nil
}

// isNotPrintable reports whether r is not a printable ASCII character.
func isNotPrintable(r rune) bool { return r < ' ' || r > '~' }

// iso2709 returns the data of a field in ISO 2709, with the separator at its end. The error
// says why the field cannot be written, but does not name its tag.
func (f Field) iso2709() (string, error) {
	if len(f.Tag) != 3 || strings.IndexFunc(f.Tag, isNotPrintable) >= 0 {
		return "", errors.New("a tag has three characters")
	}
	text := f.Value
	if !f.IsControl() {
		if len(f.Indicators) != 2 || strings.IndexFunc(f.Indicators, isNotPrintable) >= 0 {
			return "", fmt.Errorf("indicators %q are not two characters", f.Indicators)
		}
		var b strings.Builder
		b.WriteString(f.Indicators)
		for _, s := range f.Subfields {
			if len(s.Code) != 1 || strings.IndexFunc(s.Code, isNotPrintable) >= 0 {
				return "", fmt.Errorf("code %q is not one character", s.Code)
			}
			if strings.Contains(s.Value, "\x1f") {
				return "", fmt.Errorf("subfield %s has a separator in its value", s.Code)
			}
			b.WriteString("\x1f" + s.Code + s.Value)
		}
		text = b.String()
	}
	switch {
	case strings.ContainsAny(text, "\x1d\x1e"):
		return "", errors.New("a separator is in its value")
	case !utf8.ValidString(text):
		return "", errors.New("its value is not UTF-8")
	case len(text)+1 > 9999:
		return "", fmt.Errorf("a field of %d bytes: %w", len(text)+1, ErrTooLong)
	}
	return text + "\x1e", nil
}
