package wais

import (
	"encoding/binary"
	"fmt"

	"locus/access"
)

// The tags of elements. Elements with other tags are skipped.
const (
	tagReferenceID     = 2
	tagProtocolVersion = 3
	tagOptions         = 4
	tagPreferredSize   = 5
	tagMaximumSize     = 6
	tagResultSetName   = 17
	tagDatabaseNames   = 18
	tagElementSetNames = 19
	tagQueryType       = 20
	tagQuery           = 21
	tagDiagnostic      = 28 // has a framing of its own
	tagAttributeList   = 44
	tagTerm            = 45
	tagOperator        = 46

	tagUserInformation = 99
	tagSeedWords       = 106
	tagDateFactor      = 111
	tagMaxDocuments    = 114
	tagDocumentID      = 116
	tagVersionNumber   = 117
	tagScore           = 118
	tagBestMatch       = 119
	tagDocumentLength  = 120
	tagSource          = 121
	tagDate            = 122
	tagHeadline        = 123
	tagOriginCity      = 124
	tagDocumentText    = 127
	tagLines           = 131
	tagTypeBlock       = 132
	tagType            = 133

	tagDocumentHeader = 150
	tagShortHeader    = 151
	tagLongHeader     = 152
	tagTextGroup      = 153
	tagHeadlineGroup  = 154
)

// An element is a tagged value:
//
//	tag length value
//	         |       \ elements, bytes, or a number
//	          \ both 7 bits to a byte, the most significant first
type element struct {
	tag   uint32
	value []byte
}

// elements is a sequence of encoded elements. Decoding does not copy: an element is a slice of
// the message, and never extends beyond its container.
type elements []byte

// next removes and returns the first element. ok is false at the end. The error wraps
// access.ErrProtocol if the element is malformed.
func (e *elements) next() (el element, ok bool, err error) {
	if len(*e) == 0 {
		return element{}, false, nil
	}
	tag, rest, ok := cutCompressed(*e)
	if !ok {
		return element{}, false, malformed("a tag")
	}
	if tag == tagDiagnostic {
		return e.nextDiagnostic(rest)
	}
	length, rest, ok := cutCompressed(rest)
	if !ok || uint64(length) > uint64(len(rest)) {
		return element{}, false, malformed(fmt.Sprintf("the length of element %d", tag))
	}
	*e = rest[length:]
	return element{tag, rest[:length:length]}, true, nil
}

const endDiagnostic = 29

// nextDiagnostic removes and returns the first element, which is a diagnostic. rest is the text
// after its tag. The boolean result is true unless the diagnostic is malformed:
//
//	length  code    text  surrogate  29
//	 2    | 2     |     | 1        | 1 byte
//	      \________________________/ length bytes
func (e *elements) nextDiagnostic(rest []byte) (element, bool, error) {
	if len(rest) < 2 {
		return element{}, false, malformed("the length of a diagnostic")
	}
	length, rest := int(binary.BigEndian.Uint16(rest)), rest[2:]
	if length < 3 || length >= len(rest) || rest[length] != endDiagnostic {
		return element{}, false, malformed("a diagnostic")
	}
	*e = rest[length+1:]
	return element{tagDiagnostic, rest[:length:length]}, true, nil
}

// each calls visit for every element in order. It stops at the first malformed element, or at
// the first error of visit, and returns that error.
func (e elements) each(visit func(element) error) error {
	for {
		el, ok, err := e.next()
		if err != nil || !ok {
			return err
		}
		if err := visit(el); err != nil {
			return err
		}
	}
}

// number decodes a number of up to 8 bytes, the most significant first. A number of 4 bytes may
// be negative.
func (el element) number() (int64, error) {
	if len(el.value) == 0 || len(el.value) > 8 {
		return 0, malformed(fmt.Sprintf("the number in element %d", el.tag))
	}
	var n uint64
	for _, c := range el.value {
		n = n<<8 | uint64(c)
	}
	if len(el.value) == 4 {
		return int64(int32(n)), nil
	}
	return int64(n), nil
}

// cutCompressed cuts a number of at most 28 bits off b. Padding bytes (0x80) may precede it. ok
// is false if b does not begin with such a number.
func cutCompressed(b []byte) (n uint32, rest []byte, ok bool) {
	for i := 0; i < len(b) && n < 1<<21; i++ {
		n = n<<7 | uint32(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// malformed returns an error that wraps access.ErrProtocol. what names the malformed text.
func malformed(what string) error {
	return fmt.Errorf("%s is malformed: %w", what, access.ErrProtocol)
}
