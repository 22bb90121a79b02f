package wais

import (
	"fmt"
	"strings"

	"locus/access"
)

// parseInit returns the size of messages that the server agrees to.
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
		return maxMessage, nil // 0 is no limit
	}
	return min(size, maxMessage), nil
}

// parseSearch returns the records of the answer to a search. The rest of it is
// not looked at: servers of freeWAIS say that a search failed when it worked, and
// count wrongly. What tells success is what there is.
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

// A Hit is what a server tells of a document that a search found.
type Hit struct {
	DocID    string   // the document-id, to be sent back as it is
	Score    int64    // how well it fits, by convention from 0 to 1000; -1 if it is not told
	Best     int64    // the line that fits best; -1 if it is not told
	Size     int64    // octets of the first type; -1 if it is not told
	Lines    int64    // -1 if it is not told
	Types    []string // in which it can be had, the best first; never empty
	Source   string   // the database, as the server calls it
	Date     string   // as it came; "0" or "" if it is not known
	Headline string   // what people call it
	City     string   // where it comes from
	Version  int64    // -1 if it is not told
}

// isHit reports whether an element is the header of a document, of one of the
// four kinds.
func (el element) isHit() bool {
	switch el.tag {
	case tagDocumentHeader, tagShortHeader, tagLongHeader, tagHeadlineGroup:
		return true
	}
	return false
}

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

// set sets what an element tells.
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
		return elements(el.value).each(h.addType)
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

func (h *Hit) addType(el element) error {
	if el.tag == tagType {
		h.Types = append(h.Types, string(el.value))
	}
	return nil
}

// A diagnostic is what a server says of a request that it could not fulfil, or
// not wholly.
type diagnostic struct {
	code string // two characters: "SF"
	text string
}

// diagnostic reads an element of that tag, which has at least three octets.
func (el element) diagnostic() diagnostic {
	end := len(el.value) - len("\x00") // which says that it stands for a record
	return diagnostic{code: string(el.value[:2]), text: string(el.value[2:end])}
}

func (d diagnostic) String() string { return strings.TrimSpace(d.code + " " + d.text) }

// A piece is what came of a document.
type piece struct {
	octets []byte
	given  bool        // there are octets, be it none
	said   *diagnostic // nil if there is none
}

// parsePiece reads the records of the answer to a retrieval.
func parsePiece(records elements) (piece, error) {
	var p piece
	err := records.each(func(el element) error {
		switch {
		case el.tag == tagDiagnostic && p.said == nil:
			d := el.diagnostic()
			p.said = &d
		case el.tag == tagTextGroup && p.given:
			return fmt.Errorf("more than one text: %w", access.ErrProtocol)
		case el.tag == tagTextGroup:
			return elements(el.value).each(p.set)
		}
		return nil
	})
	return p, err
}

func (p *piece) set(el element) error {
	if el.tag == tagDocumentText {
		p.octets, p.given = el.value, true
	}
	return nil
}

// isEnd reports whether d says that there is nothing where something was asked
// for.
//
// QUIRK: freeWAIS has one code for all that goes wrong with a retrieval.
func (d *diagnostic) isEnd() bool {
	return d != nil && d.code == "SF" && strings.Contains(d.text, "out of range")
}
