package check

import (
	"slices"
	"strings"
	"time"
)

// A Link is a URL that stands in a document.
type Link struct {
	// URL is what it means: absolute, with its fragment. Of what is no URL it is
	// the text.
	URL string `json:"url"`

	Line   int `json:"line,omitempty"` // from 1; 0 if lines have no numbers there
	Column int `json:"column,omitempty"`

	// Bad says why it is no URL; "" if it is one.
	Bad string `json:"bad,omitempty"`
}

// A Place is where a link stands.
type Place struct {
	Document string `json:"document"` // the name of a file, or a URL
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// A Status says how a check ended.
type Status uint8

const (
	Good      Status = iota // it is there
	Dead                    // it is not, or cannot be had
	Unchecked               // there is no way to tell: Result.Reason says why
	Excluded                // it was not to be checked
)

var statuses = [...]string{"good", "dead", "unchecked", "excluded"}

// String returns the status in a word.
func (s Status) String() string {
	if int(s) < len(statuses) {
		return statuses[s]
	}
	return "unknown"
}

// MarshalText writes the word of String.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of String.
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statuses {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	*s = Unchecked
	return nil
}

// A Hop is one redirect.
type Hop struct {
	To        string `json:"to"`
	Permanent bool   `json:"permanent"`
}

// A Result is what a check found.
type Result struct {
	URL    string `json:"url"` // what was opened, without a fragment. It may have a password.
	Status Status `json:"status"`

	// Code is what the server answered, if its protocol has numbers; else 0.
	Code int `json:"code,omitempty"`

	// Reason says why the status is not Good; "" if it is.
	Reason string `json:"reason,omitempty"`

	// Hops are the redirects on the way, in order.
	Hops []Hop `json:"hops,omitempty"`

	Tries int       `json:"tries,omitempty"` // how often it was tried
	Time  time.Time `json:"time"`            // when it was checked

	// Known tells that the result is one of an earlier run.
	Known bool `json:"known,omitempty"`

	// Unwalked tells that a page was to be walked through, and was not even looked
	// at, because the server's robots.txt cannot be had.
	Unwalked bool `json:"unwalked,omitempty"`

	// Anchors are what fragments the page has, as [AnchorOf] makes them; nil if
	// it was not looked for any, empty if it has none.
	Anchors []uint64 `json:"anchors,omitzero"`
}

// hasOwnFragment reports whether a redirect has a fragment, which is then read
// instead of that of a link (RFC 9110 §10.2.2).
func (r Result) hasOwnFragment() bool {
	return slices.ContainsFunc(r.Hops, func(h Hop) bool { return strings.Contains(h.To, "#") })
}

// Moved returns where a URL has moved to for good: the end of the permanent
// redirects that the way begins with; "" if there are none.
func (r Result) Moved() string {
	to := ""
	for _, h := range r.Hops {
		if !h.Permanent {
			break
		}
		to = h.To
	}
	return to
}
