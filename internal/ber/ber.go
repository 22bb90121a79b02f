// Package ber reads and writes the Basic Encoding Rules of ASN.1 (ISO 8825-1), to the extent
// that Z39.50 uses them.
//
// [Read] reads a message and gives every element a definite length. [Parse] returns the first
// element without copying it or parsing its contents. The cost of a hostile message is
// therefore proportional to its size.
//
// Notable divergences:
//   - Lengths of more than four bytes, tags of more than 28 bits (leading zeros count) and
//     elements that are nested deeper than [MaxDepth] are errors.
package ber

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"locus/internal/sentinel"
)

// MaxDepth is the maximum depth of nested elements.
const MaxDepth = 256

var (
	// ErrSyntax reports that the bytes are not BER.
	ErrSyntax = errors.New("malformed BER")
	// ErrTooLong reports that an element has more bytes than allowed.
	ErrTooLong = errors.New("a BER element that is too long")
)

// A Class is the class of a tag.
type Class uint8

// The classes of tags.
const (
	Universal Class = iota
	Application
	Context
	Private
)

// The universal tags that Z39.50 uses.
const (
	TagBoolean     = 1
	TagInteger     = 2
	TagBitString   = 3
	TagOctetString = 4
	TagNull        = 5
	TagOID         = 6
	TagExternal    = 8
	TagSequence    = 16
	TagVisible     = 26
	TagGeneral     = 27
)

// An Element is a tag with its content.
type Element struct {
	Class         Class
	Tag           uint32
	IsConstructed bool   // Content consists of elements
	Content       []byte // shares memory with the message
}

// Is reports whether e has the class Context and this tag.
func (e Element) Is(tag uint32) bool { return e.Class == Context && e.Tag == tag }

// IsUniversal reports whether e has the class Universal and this tag.
func (e Element) IsUniversal(tag uint32) bool { return e.Class == Universal && e.Tag == tag }

// Parse returns the first element of b, and the bytes after it. It does not parse the content. b
// must come from [Read] or a [Builder], because Parse refuses indefinite lengths. Every error wraps
// ErrSyntax.
func Parse(b []byte) (e Element, rest []byte, err error) {
	h, size, err := parseHeader(b)
	if err != nil {
		return Element{}, nil, err
	}
	e, rest = h.Element, b[size:]
	if h.isIndefinite {
		return Element{}, nil, fmt.Errorf("%w: an indefinite length", ErrSyntax)
	}
	if h.length > len(rest) {
		return Element{}, nil, fmt.Errorf("%w: %d bytes, and %d are there", ErrSyntax, h.length, len(rest))
	}
	e.Content = rest[:h.length]
	return e, rest[h.length:], nil
}

// A header is the tag and the length of an element.
type header struct {
	Element
	length       int
	isIndefinite bool
}

var errShort = sentinel.New("malformed BER: it ends within a header", ErrSyntax)

// parseHeader parses the header at the start of b. size is the length of the header in bytes. The
// Content of h is nil. The error is errShort if b ends within the header, and otherwise wraps
// ErrSyntax.
func parseHeader(b []byte) (h header, size int, err error) {
	if len(b) < 2 {
		return h, 0, errShort
	}
	h.Class, h.IsConstructed, h.Tag = Class(b[0]>>6), b[0]&0x20 != 0, uint32(b[0]&0x1f)
	i := 1
	if h.Tag == 0x1f {
		if h.Tag, i, err = longTag(b); err != nil {
			return h, 0, err
		}
	}
	if i >= len(b) {
		return h, 0, errShort
	}
	first := b[i]
	i++
	switch {
	case first < 0x80:
		h.length = int(first)
	case first == 0x80:
		h.isIndefinite = true
		if !h.IsConstructed {
			return h, 0, fmt.Errorf("%w: a primitive of indefinite length", ErrSyntax)
		}
	default:
		n := int(first & 0x7f)
		if n > 4 {
			return h, 0, fmt.Errorf("%w: a length of %d bytes", ErrSyntax, n)
		}
		if len(b) < i+n {
			return h, 0, errShort
		}
		length := uint64(0)
		for _, c := range b[i : i+n] {
			length = length<<8 | uint64(c)
		}
		if length > 1<<31-1 {
			return h, 0, fmt.Errorf("%w: a length of %d", ErrSyntax, length)
		}
		h.length, i = int(length), i+n
	}
	return h, i, nil
}

// longTag parses the identifier at the start of b if its tag takes more than one byte. size is the
// length of the identifier in bytes. The error is errShort if b ends within it.
func longTag(b []byte) (tag uint32, size int, err error) {
	const most = 4 // bytes after the first
	for i := 1; i < len(b); i++ {
		if i > most {
			return 0, 0, fmt.Errorf("%w: a tag of more than 28 bits", ErrSyntax)
		}
		tag = tag<<7 | uint32(b[i]&0x7f)
		if b[i] < 0x80 {
			return tag, i + 1, nil
		}
	}
	return 0, 0, errShort
}

// Each calls f for each element directly inside e, in order. It stops at the first error of f, or
// at a malformed element, and returns the error. It does not call f if e is primitive.
func (e Element) Each(f func(Element) error) error {
	if !e.IsConstructed {
		return nil
	}
	for rest := e.Content; len(rest) > 0; {
		child, after, err := Parse(rest)
		if err != nil {
			return err
		}
		if err := f(child); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// errStop ends Each early.
var errStop = errors.New("stop")

// First returns the first element directly inside e. ok is false if e is primitive, empty or
// malformed.
func (e Element) First() (first Element, ok bool) {
	err := e.Each(func(child Element) error {
		first = child
		return errStop
	})
	return first, errors.Is(err, errStop)
}

// Find returns the first element directly inside e with this context tag. ok is false if e has no
// such element before a malformed one.
func (e Element) Find(tag uint32) (found Element, ok bool) {
	err := e.Each(func(child Element) error {
		if child.Is(tag) {
			found = child
			return errStop
		}
		return nil
	})
	return found, errors.Is(err, errStop)
}

// Int returns the content of e as a signed number, whatever the tag of e. The error wraps ErrSyntax
// if e is constructed, empty or longer than eight bytes.
func (e Element) Int() (int64, error) {
	if e.IsConstructed || len(e.Content) == 0 || len(e.Content) > 8 {
		return 0, fmt.Errorf("%w: an integer of %d bytes", ErrSyntax, len(e.Content))
	}
	n := int64(int8(e.Content[0]))
	for _, c := range e.Content[1:] {
		n = n<<8 | int64(c)
	}
	return n, nil
}

// Bool returns the content of e as a boolean, whatever the tag of e. The error wraps ErrSyntax if e
// is constructed or is not one byte long.
func (e Element) Bool() (bool, error) {
	if e.IsConstructed || len(e.Content) != 1 {
		return false, fmt.Errorf("%w: a boolean of %d bytes", ErrSyntax, len(e.Content))
	}
	return e.Content[0] != 0, nil
}

// Bytes returns the content of a string. If e is constructed, it returns a new slice with the
// contents of the elements in e in order; otherwise it returns e.Content. The error wraps
// [ErrSyntax] if these elements are malformed or nested too deeply.
func (e Element) Bytes() ([]byte, error) {
	if !e.IsConstructed {
		return e.Content, nil
	}
	return e.appendBytes(nil, 0)
}

// appendBytes appends the content of the string e to b and returns the extended slice. If e is
// constructed, it appends the contents of the elements in e. depth is the number of elements around
// e; more than MaxDepth are an error.
func (e Element) appendBytes(b []byte, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrSyntax, MaxDepth)
	}
	if !e.IsConstructed {
		return append(b, e.Content...), nil
	}
	err := e.Each(func(part Element) (err error) {
		b, err = part.appendBytes(b, depth+1)
		return err
	})
	return b, err
}

// Text returns the content of a string, or "" if it is malformed.
func (e Element) Text() string {
	b, err := e.Bytes()
	if err != nil {
		return ""
	}
	return string(b)
}

// Bit reports whether bit n of a BIT STRING is set; bit 0 is the first. It returns false for a bit
// beyond the end.
func (e Element) Bit(n int) bool {
	i := 1 + n/8
	return !e.IsConstructed && i < len(e.Content) && e.Content[i]&(0x80>>(n%8)) != 0
}

// OID returns an OBJECT IDENTIFIER as decimal numbers separated by ".", such as
// "1.2.840.10003.5.10". The error wraps ErrSyntax.
func (e Element) OID() (string, error) {
	if e.IsConstructed || len(e.Content) == 0 || len(e.Content) > 64 {
		return "", fmt.Errorf("%w: an object identifier of %d bytes", ErrSyntax, len(e.Content))
	}
	var b strings.Builder
	n, isFirst := uint64(0), true
	for i, c := range e.Content {
		if n >= 1<<56 {
			return "", fmt.Errorf("%w: a long number in an object identifier", ErrSyntax)
		}
		n = n<<7 | uint64(c&0x7f)
		if c >= 0x80 {
			if i == len(e.Content)-1 {
				return "", fmt.Errorf("%w: an object identifier that ends early", ErrSyntax)
			}
			continue
		}
		if isFirst {
			root := min(n/40, 2)
			b.WriteString(strconv.FormatUint(root, 10))
			n -= root * 40
			isFirst = false
		}
		b.WriteString("." + strconv.FormatUint(n, 10))
		n = 0
	}
	return b.String(), nil
}
