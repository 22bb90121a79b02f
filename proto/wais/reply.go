package wais

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// parseInit parses b, the reply to an Init, and returns the size of messages that the server
// accepts: at most maxMessage, which is also the result if the server gives no size. The
// error is errRejected if the server refuses the client.
func parseInit(b []byte) (size int64, err error) {
	const accepted = 1
	a, err := parseAPDU(b, apduInitResponse, 1)
	if err != nil {
		return 0, err
	}
	size = maxMessage
	err = a.variable.each(func(el element) error {
		if el.tag != tagMaximumSize {
			return nil
		}
		size, err = el.number()
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case a.fixed[0] != accepted:
		return 0, errRejected
	case size <= 0:
		return maxMessage, nil // 0 means no limit
	}
	return min(size, maxMessage), nil
}

// parseSearch parses b, the reply to a search, and returns its records, which refer to the
// memory of b. All of them are well-formed. It ignores the status and the counts, because
// freeWAIS servers report failure for searches that worked, and count wrong.
func parseSearch(b []byte) (records elements, err error) {
	const status, count, returned, next = 1, 3, 3, 3
	a, err := parseAPDU(b, apduSearchResponse, status+count+returned+next)
	if err != nil {
		return nil, err
	}
	if err := a.variable.each(func(element) error { return nil }); err != nil {
		return nil, err
	}
	err = a.user.each(func(el element) error {
		if el.tag == tagUserInformation && records == nil {
			records = el.value
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, records.each(func(element) error { return nil })
}

// A Hit describes a document that a search found.
type Hit struct {
	DocID    string   // document-id; opaque
	Score    int64    // rank of the document, usually 0 to 1000; -1 if not given, or if the search has no words
	Best     int64    // the line that matches best; -1 if not given
	Size     int64    // in bytes, of the first type; -1 if not given
	Lines    int64    // -1 if not given
	Types    []string // types in which it is available, best first; never empty
	Source   string   // name of the database on the server
	Date     string   // as received; "0" or "" if unknown
	Headline string   // the title
	City     string   // of the author
	Version  int64    // -1 if not given
}

// fields returns header fields with the values that the server gives.
func (h *Hit) fields() access.Header {
	return headerOf(
		"Score", number(h.Score), "Lines", number(h.Lines), "Types", strings.Join(h.Types, ", "),
		"Source", h.Source, "From", h.City)
}

// number formats n in decimal. It returns "" for a negative n, which means not given.
func number(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// isHit reports whether the element is a document header of any kind.
func (el element) isHit() bool {
	switch el.tag {
	case tagDocumentHeader, tagShortHeader, tagLongHeader, tagHeadlineGroup:
		return true
	}
	return false
}

// hit decodes the element, for which isHit is true. The type is typeText if the server names
// no type, and unknown numbers are -1.
func (el element) hit() (Hit, error) {
	h := Hit{Score: -1, Best: -1, Size: -1, Lines: -1, Version: -1}
	err := elements(el.value).each(h.set)
	if len(h.Types) == 0 {
		h.Types = []string{typeText}
	}
	if h.Size <= 0 {
		h.Size = -1
	}
	return h, err
}

// set sets the field of h for which el has the value. It ignores unknown elements.
func (h *Hit) set(el element) (err error) {
	switch el.tag {
	case tagDocumentID:
		h.DocID = string(el.value)
	case tagVersionNumber:
		h.Version, err = el.number()
	case tagScore:
		h.Score, err = el.number()
	case tagBestMatch:
		h.Best, err = el.number()
	case tagDocumentLength:
		h.Size, err = el.number()
	case tagLines:
		h.Lines, err = el.number()
	case tagTypeBlock:
		return elements(el.value).each(func(el element) error {
			if el.tag == tagType {
				h.Types = append(h.Types, string(el.value))
			}
			return nil
		})
	case tagSource:
		h.Source = string(el.value)
	case tagDate:
		h.Date = string(el.value)
	case tagHeadline:
		h.Headline = string(el.value)
	case tagOriginCity:
		h.City = string(el.value)
	}
	return err
}

// A diagnostic reports that the server could not fulfil a request, or only partly.
type diagnostic struct {
	code string // two characters: "SF"
	text string
}

// diagnostic decodes the element, which has the tag tagDiagnostic. elements.next has checked
// that its value has at least three bytes.
func (el element) diagnostic() diagnostic {
	end := len(el.value) - len("\x00") // the surrogate flag
	return diagnostic{code: string(el.value[:2]), text: string(el.value[2:end])}
}

// String returns the code and the text.
func (d diagnostic) String() string { return strings.TrimSpace(d.code + " " + d.text) }

// A chunk is the part of a document in one reply.
type chunk struct {
	data       []byte
	hasData    bool        // the reply has a text, which may be empty
	diagnostic *diagnostic // nil if the reply has none
}

// parseChunk returns the text and the first diagnostic among the records of a reply. The
// data refer to the memory of records. Two texts are an error.
func parseChunk(records elements) (chunk, error) {
	var p chunk
	err := records.each(func(el element) error {
		switch {
		case el.tag == tagDiagnostic && p.diagnostic == nil:
			d := el.diagnostic()
			p.diagnostic = &d
		case el.tag == tagTextGroup && p.hasData:
			return fmt.Errorf("more than one text: %w", access.ErrProtocol)
		case el.tag == tagTextGroup:
			return elements(el.value).each(func(el element) error {
				if el.tag == tagDocumentText {
					p.data, p.hasData = el.value, true
				}
				return nil
			})
		}
		return nil
	})
	return p, err
}

// isEnd reports whether d means that the requested range is beyond the end of the document.
// It is false for nil.
//
// QUIRK: freeWAIS uses one code for all errors of a retrieval.
func (d *diagnostic) isEnd() bool {
	return d != nil && d.code == "SF" && strings.Contains(d.text, "out of range")
}

var (
	errRejected     = errors.New("the server rejects the Init")
	errRefused      = errors.New("the server refuses the request")
	errTryLater     = sentinel.New("the server cannot do it now; try again later", access.ErrTemporary)
	errEmptyMessage = sentinel.New("the server sent an empty message: the server broke the protocol", access.ErrProtocol)

	// errDropped reports that the server closed the connection without a reply.
	errDropped = sentinel.New("the server closed the connection without an answer", io.ErrUnexpectedEOF)
)

// refusal returns the error for the diagnostic, with its text as the Reply.
func (d diagnostic) refusal() *engine.Refusal {
	return &engine.Refusal{Reply: access.Reply{Text: d.String()}, Means: d.reason()}
}

// reason returns the general error that the diagnostic means, such as fs.ErrNotExist, or
// errRefused. Some codes have several meanings, which only the text distinguishes.
//
// QUIRK: freeWAIS uses SF ("present request out of range") for every failed retrieval, and
// S1 ("permanent system error") for every failed search.
func (d diagnostic) reason() error {
	text := strings.ToLower(d.text)
	switch d.code {
	case "S1", "SF":
		switch {
		case d.isEnd():
			return access.ErrRange
		case strings.Contains(text, "not available"), strings.Contains(text, "docid in request"):
			return fs.ErrNotExist
		}
	case "ST": // deleted
		return fs.ErrNotExist
	case "SH", "T2", "T3", "T4": // not authorised, access control, security
		return fs.ErrPermission
	case "S2", "SU", "SV", "SY", "SZ", "T1": // temporary, in use, locked, resources exhausted
		return errTryLater
	}
	return errRefused
}

// dropped returns errDropped with advice.
func dropped() error {
	return access.WithRemedy(errDropped, access.Advice("some servers close the connection if they do not have the database"))
}
