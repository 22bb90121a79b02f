package check

import (
	"slices"
	"strings"
	"time"
)

// A Link is a URL in a document.
type Link struct {
	// URL is absolute, with its fragment. It may be a text that is not a URL.
	URL string `json:"url"`

	Line   int `json:"line,omitempty"` // from 1; 0 if the document has no lines
	Column int `json:"column,omitempty"`

	// Bad says why URL cannot be opened, usually because it is not a URL. It is "" if URL can be opened.
	Bad string `json:"bad,omitempty"`

	known *knownLink // shared by the links to one URL; nil if the link was not read with a linkCache
}

// Slot returns a variable in which a [Queue] may keep the position at which it stored the text of l, because most
// links occur in many pages of a site. Its value is 0 at first. The Queue to which l is added must synchronize access
// to it. Slot returns nil if l has no such variable.
func (l *Link) Slot() *int64 {
	if l.known == nil {
		return nil
	}
	return &l.known.slot
}

// A Place is the position of a link in a document.
type Place struct {
	Document string `json:"document"` // the name of a file with slashes, or a URL
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// A Status says how a check ended.
type Status uint8

const (
	Good         Status = iota // the resource exists
	Dead                       // the resource does not exist or cannot be fetched
	Unchecked                  // the check cannot find out, see Result.Reason
	Excluded                   // the Policy excludes the URL
	BotWall                    // the server refuses programs, but a browser may open the URL
	SoftNotFound               // the server returned a page that probably says that the page is missing
	Parked                     // the server returned a page that probably belongs to a domain without a site
)

var statuses = [...]string{"good", "dead", "unchecked", "excluded", "bot-wall", "soft-404", "parked"}

// MovedVerdict is the verdict on a good link that has moved permanently.
const MovedVerdict = "moved"

// Verdict returns the verdict that a report shows: MovedVerdict, or the word for the Status.
func (r Result) Verdict() string {
	if r.Status == Good && r.Moved() != "" {
		return MovedVerdict
	}
	return r.Status.String()
}

// FailOn returns the verdicts that can make a run fail, which are the valid values in [ReportOptions.FailOn].
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

// MarshalText returns the word that String returns.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses a word that String returns. An unknown word is Unchecked.
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
	URL    string `json:"url"` // without a fragment; it may contain a password
	Status Status `json:"status"`

	// Code is the code of the server's reply, or 0 if there was none.
	Code int `json:"code,omitempty"`

	// Reason says why the status is not Good, and Class is the kind of the reason. Both are "" if the status is Good.
	Reason string `json:"reason,omitempty"`
	Class  Class  `json:"class,omitempty"`

	// Hops are the redirects, in order.
	Hops []Hop `json:"hops,omitempty"`

	Tries int       `json:"tries,omitempty"` // number of attempts
	Time  time.Time `json:"time"`            // when it was checked

	// Duration is how long the last attempt took, except the time in which it waited for a turn.
	Duration time.Duration `json:"duration,omitempty"`

	// Known means that the result comes from an earlier run.
	Known bool `json:"known,omitempty"`

	// NotCrawled means that the page was neither checked nor crawled, because the server's robots.txt cannot be
	// fetched.
	NotCrawled bool `json:"unwalked,omitempty"`

	// Anchors are the hashes of the anchors of the page, for [Result.At]. nil means that they were not read, and empty
	// means that the page has no anchors.
	Anchors []uint64 `json:"anchors,omitzero"`

	// Unread says why the page may have anchors that are not in Anchors. It is "" if Anchors is complete.
	Unread string `json:"unread,omitempty"`
}

// hasOwnFragment reports whether the URL of a redirect has a fragment, which replaces the fragment of the link (RFC
// 9110 §10.2.2).
func (r Result) hasOwnFragment() bool {
	return slices.ContainsFunc(r.Hops, func(h Hop) bool { return strings.Contains(h.To, "#") })
}

// Moved returns the URL to which the link has moved permanently. This is the target of the last redirect before the
// first one that is not permanent, or "" if the first redirect is not permanent.
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

// FinalURL returns the URL at which the redirects end, or URL if there are no redirects.
func (r Result) FinalURL() string {
	if len(r.Hops) == 0 {
		return r.URL
	}
	return r.Hops[len(r.Hops)-1].To
}
