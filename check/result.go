package check

import (
	"slices"
	"strings"
	"time"
)

// A Link is a URL in a document.
type Link struct {
	// URL is absolute, with its fragment. It may be a text that is no URL.
	URL string `json:"url"`

	Line   int `json:"line,omitempty"` // from 1; 0 if the document has no lines
	Column int `json:"column,omitempty"`

	// Bad says why URL is no URL; "" if it is one.
	Bad string `json:"bad,omitempty"`

	known *knownLink // nil: of a page that has no linkCache
}

// Slot returns a variable in which a [Queue] remembers where it has the text of l, because the
// pages of a site have most of their links in common. Its value is 0 at first. The Queue that
// l is added to locks it. nil means that l has none.
func (l *Link) Slot() *int64 {
	if l.known == nil {
		return nil
	}
	return &l.known.at
}

// A Place is the place of a link.
type Place struct {
	Document string `json:"document"` // the name of a file, with slashes, or a URL
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// A Status says how a check ended.
type Status uint8

const (
	Good         Status = iota // the resource exists
	Dead                       // it does not exist or cannot be fetched
	Unchecked                  // there is no way to find out, see Result.Reason
	Excluded                   // the Policy excludes it
	BotWall                    // the server refuses programs; a browser may open it
	SoftNotFound               // a page was found, and probably stands for a missing one
	Parked                     // a page was found, and is probably that of a domain without a site
)

var statuses = [...]string{"good", "dead", "unchecked", "excluded", "bot-wall", "soft-404", "parked"}

// Statuses returns all values of Status.
func Statuses() []Status {
	return []Status{Good, Dead, Unchecked, Excluded, BotWall, SoftNotFound, Parked}
}

// MovedVerdict is the verdict on a good link that has moved for good.
const MovedVerdict = "moved"

// Verdict returns what a report says of a link: MovedVerdict, or the word of its Status.
func (r Result) Verdict() string {
	if r.Status == Good && r.Moved() != "" {
		return MovedVerdict
	}
	return r.Status.String()
}

// FailOn returns the verdicts that can make a run fail: the choice for
// [ReportOptions.FailOn].
func FailOn() []string {
	return []string{Dead.String(), MovedVerdict, Unchecked.String(), BotWall.String(), SoftNotFound.String(), Parked.String()}
}

// String returns the status as a word.
func (s Status) String() string {
	if int(s) < len(statuses) {
		return statuses[s]
	}
	return "unknown"
}

// MarshalText returns the word of String.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the word of String.
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

// A Result is the result of one check.
type Result struct {
	URL    string `json:"url"` // without a fragment; it may have a password
	Status Status `json:"status"`

	// Code is the reply code of the server; 0 if there is none.
	Code int `json:"code,omitempty"`

	// Reason says why the status is not Good; "" if it is. Class is its kind.
	Reason string `json:"reason,omitempty"`
	Class  Class  `json:"class,omitempty"`

	// Hops are the redirects, in order.
	Hops []Hop `json:"hops,omitempty"`

	Tries int       `json:"tries,omitempty"` // number of attempts
	Time  time.Time `json:"time"`            // when it was checked

	// Duration is how long the last attempt took, without waiting for its turn.
	Duration time.Duration `json:"duration,omitempty"`

	// Known means that the result is that of an earlier run.
	Known bool `json:"known,omitempty"`

	// NotCrawled means that a page was not checked or crawled, because the server's
	// robots.txt cannot be fetched.
	NotCrawled bool `json:"unwalked,omitempty"`

	// Anchors are the anchors of the page, as [AnchorOf] returns them. nil means
	// that they were not read, empty that there are none.
	Anchors []uint64 `json:"anchors,omitzero"`

	// Unread says why the page may have anchors that are not in Anchors; "" if it has
	// none.
	Unread string `json:"unread,omitempty"`
}

// hasOwnFragment reports whether a redirect has a fragment. It replaces that of the
// link (RFC 9110 §10.2.2).
func (r Result) hasOwnFragment() bool {
	return slices.ContainsFunc(r.Hops, func(h Hop) bool { return strings.Contains(h.To, "#") })
}

// Moved returns where a URL has moved for good: the target of the last permanent
// redirect before any other one; "" if the first is not permanent.
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

// FinalURL returns where the redirects of a URL end: the URL itself if there are none.
func (r Result) FinalURL() string {
	if len(r.Hops) == 0 {
		return r.URL
	}
	return r.Hops[len(r.Hops)-1].To
}
