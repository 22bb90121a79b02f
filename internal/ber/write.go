package ber

import (
	"fmt"
	"strconv"
	"strings"
)

// A Builder writes elements one after the other. The zero Builder is empty. Bytes returns the
// elements.
type Builder struct{ b []byte }

// Bytes returns all elements that have been written. The slice is valid until the next write.
func (b *Builder) Bytes() []byte { return b.b }

// Constructed writes a constructed element. inside writes the elements in it to the Builder
// that it gets.
func (b *Builder) Constructed(class Class, tag uint32, inside func(*Builder)) {
	var in Builder
	inside(&in)
	b.element(class, true, tag, in.b)
}

// In is [Builder.Constructed] with a context tag.
func (b *Builder) In(tag uint32, inside func(*Builder)) { b.Constructed(Context, tag, inside) }

// Sequence writes a SEQUENCE. inside writes the elements in it.
func (b *Builder) Sequence(inside func(*Builder)) { b.Constructed(Universal, TagSequence, inside) }

// Primitive writes a primitive element with this content.
func (b *Builder) Primitive(class Class, tag uint32, content []byte) {
	b.element(class, false, tag, content)
}

// Text writes a string with a context tag.
func (b *Builder) Text(tag uint32, s string) { b.element(Context, false, tag, []byte(s)) }

// Int writes a number with a context tag.
func (b *Builder) Int(tag uint32, n int64) { b.element(Context, false, tag, integer(n)) }

// Integer writes an INTEGER.
func (b *Builder) Integer(n int64) { b.element(Universal, false, TagInteger, integer(n)) }

// Bool writes a boolean with a context tag.
func (b *Builder) Bool(tag uint32, v bool) {
	content := []byte{0}
	if v {
		content[0] = 0xff
	}
	b.element(Context, false, tag, content)
}

// Bits writes a bit string of size bits with a context tag. The bits with the numbers in set
// are 1; bit 0 is the first. It ignores numbers that are not below size.
func (b *Builder) Bits(tag uint32, size int, set ...int) {
	content := make([]byte, 1+(size+7)/8)
	content[0] = byte(-size & 7) // unused bits of the last byte
	for _, n := range set {
		if n < size {
			content[1+n/8] |= 0x80 >> (n % 8)
		}
	}
	b.element(Context, false, tag, content)
}

// OID writes an OBJECT IDENTIFIER. It panics if oid does not consist of numbers separated by
// ".", such as "1.2.840".
func (b *Builder) OID(oid string) { b.element(Universal, false, TagOID, object(oid)) }

// OIDAs writes an object identifier with a context tag. It panics as OID does.
func (b *Builder) OIDAs(tag uint32, oid string) { b.element(Context, false, tag, object(oid)) }

// Raw writes an element that is already encoded, with its header.
func (b *Builder) Raw(element []byte) { b.b = append(b.b, element...) }

// element appends an element: its identifier, its length and its content.
func (b *Builder) element(class Class, constructed bool, tag uint32, content []byte) {
	b.b = appendTag(b.b, class, constructed, tag)
	b.b = appendLength(b.b, len(content))
	b.b = append(b.b, content...)
}

// appendTag appends the identifier of an element: its class, whether it is constructed, and its
// tag.
func appendTag(b []byte, class Class, constructed bool, tag uint32) []byte {
	first := byte(class) << 6
	if constructed {
		first |= 0x20
	}
	if tag < 0x1f {
		return append(b, first|byte(tag))
	}
	return appendBase128(append(b, first|0x1f), uint64(tag))
}

// appendLength appends the definite length n, in as few bytes as possible. It takes five bytes from
// 64 KiB on.
func appendLength(b []byte, n int) []byte {
	switch {
	case n < 0x80:
		return append(b, byte(n))
	case n < 1<<8:
		return append(b, 0x81, byte(n))
	case n < 1<<16:
		return append(b, 0x82, byte(n>>8), byte(n))
	}
	return append(b, 0x84, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// integer returns the content of an INTEGER: n in two's complement, in the fewest bytes.
func integer(n int64) []byte {
	size := 1
	for rest := n; rest > 0x7f || rest < -0x80; rest >>= 8 {
		size++
	}
	content := make([]byte, size)
	for i := size - 1; i >= 0; i-- {
		content[i], n = byte(n), n>>8
	}
	return content
}

// object returns the content of an OBJECT IDENTIFIER. It panics if oid is invalid, as OID does.
func object(oid string) []byte {
	var numbers []uint64
	for text := range strings.SplitSeq(oid, ".") {
		n, err := strconv.ParseUint(text, 10, 56)
		if err != nil {
			panic(fmt.Sprintf("ber: %q is not an object identifier", oid))
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 2 || numbers[0] > 2 || numbers[0] < 2 && numbers[1] > 39 {
		panic(fmt.Sprintf("ber: %q is not an object identifier", oid))
	}
	content := appendBase128(nil, numbers[0]*40+numbers[1])
	for _, n := range numbers[2:] {
		content = appendBase128(content, n)
	}
	return content
}

// appendBase128 appends n in groups of 7 bits, one in each byte and the most significant first.
// The top bit is set in all bytes but the last.
func appendBase128(b []byte, n uint64) []byte {
	shift := 0
	for n>>(shift+7) != 0 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7f)
}
