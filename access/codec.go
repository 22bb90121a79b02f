package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
	"unicode/utf8"

	"locus/url"
)

// AppendEntry appends e to b as one line of JSON without the newline, and returns the
// extended slice. The line has every field but Sys, because only the engine knows the type
// of Sys; it has the text of Incomplete. If JSON cannot express one of the times, the line has
// neither time. The URL is written with its password, so remove a password that must not be
// stored.
func AppendEntry(b []byte, e Entry) []byte {
	s := storedEntry{
		Title: rawText(e.Title), Name: rawText(e.Name), ID: rawText(e.ID), URL: storeURL(e.URL), Kind: e.Kind.String(),
		Type: rawText(e.Type), Size: e.Size, ModTime: e.ModTime, Mode: e.Mode, RoughSize: e.Rough.Size, RoughTime: e.Rough.ModTime,
	}
	for _, f := range e.Header {
		s.Header = append(s.Header, storedField{rawText(f.Name), rawText(f.Value), storeURL(f.URL), f.Hidden})
	}
	if e.Incomplete != nil {
		why := rawText(e.Incomplete.Error())
		s.Incomplete = &why
	}
	line, err := json.Marshal(s)
	if err != nil { // only a time after the year 9999 cannot be marshaled
		s.ModTime, s.RoughTime = time.Time{}, time.Time{}
		line, err = json.Marshal(s)
	}
	if err != nil {
		panic("access: an entry without its times cannot be marshaled: " + err.Error())
	}
	return append(b, line...)
}

// ParseEntry parses a line that AppendEntry made, with or without its newline. others are
// the Standards that its URLs may have besides the Standards of package url, such as
// whatwg.Standard. If the line is damaged, the error says which part of it.
func ParseEntry(line []byte, others ...url.Standard) (Entry, error) {
	var s storedEntry
	if err := json.Unmarshal(line, &s); err != nil {
		return Entry{}, fmt.Errorf("parse a stored entry: %w", err)
	}
	e := Entry{
		Title: string(s.Title), Name: string(s.Name), ID: string(s.ID), Kind: parseKind(s.Kind),
		Type: string(s.Type), Size: s.Size, ModTime: s.ModTime, Mode: s.Mode, Rough: Rough{s.RoughSize, s.RoughTime},
	}
	var err error
	if e.URL, err = s.URL.parse(others); err != nil {
		return Entry{}, fmt.Errorf("parse a stored entry: %w", err)
	}
	for _, f := range s.Header {
		u, err := f.URL.parse(others)
		if err != nil {
			return Entry{}, fmt.Errorf("parse a stored entry: field %q: %w", f.Name, err)
		}
		e.Header = append(e.Header, Field{string(f.Name), string(f.Value), u, f.Hidden})
	}
	if s.Incomplete != nil {
		e.Incomplete = errors.New(string(*s.Incomplete))
	}
	return e, nil
}

// A storedEntry is the JSON of an Entry.
type storedEntry struct {
	Title      rawText       `json:"title"`
	Name       rawText       `json:"name,omitempty"`
	ID         rawText       `json:"id,omitempty"`
	URL        *storedURL    `json:"url,omitempty"`
	Kind       string        `json:"kind"`
	Type       rawText       `json:"type,omitempty"`
	Size       int64         `json:"size"` // -1: unknown
	ModTime    time.Time     `json:"mtime,omitzero"`
	Mode       fs.FileMode   `json:"mode,omitempty"`
	RoughSize  int64         `json:"rough_size,omitempty"`
	RoughTime  time.Time     `json:"rough_mtime,omitzero"`
	Header     []storedField `json:"header,omitempty"`
	Incomplete *rawText      `json:"incomplete,omitempty"`
}

// A storedField is the JSON of a Field.
type storedField struct {
	Name   rawText    `json:"name"`
	Value  rawText    `json:"value"`
	URL    *storedURL `json:"url,omitempty"`
	Hidden bool       `json:"hidden,omitempty"`
}

// A storedURL is a URL with the name of its Standard, because another Standard may split
// the text in another way, or refuse it.
type storedURL struct {
	Text     rawText `json:"text"`
	Standard string  `json:"standard,omitempty"` // "": RFC 3986
}

// storeURL returns the stored form of u. It is nil for the zero URL, and names the Standard unless
// that is RFC 3986.
func storeURL(u url.URL) *storedURL {
	switch {
	case u.IsZero():
		return nil
	case u.Standard() == url.RFC3986:
		return &storedURL{Text: rawText(u.String())}
	}
	return &storedURL{rawText(u.String()), u.Standard().String()}
}

// parse parses the URL by its Standard, which must be a Standard of package url or one of others. A
// nil s gives the zero URL.
func (s *storedURL) parse(others []url.Standard) (url.URL, error) {
	if s == nil {
		return url.URL{}, nil
	}
	if s.Standard == "" {
		return url.Parse(string(s.Text))
	}
	for _, std := range append([]url.Standard{url.RFC1738, url.RFC1630}, others...) {
		if std.String() == s.Standard {
			return std.Parse(string(s.Text))
		}
	}
	return url.URL{}, fmt.Errorf("a URL by the unknown standard %q", s.Standard)
}

// A rawText is a string that need not be UTF-8. Its JSON is a string if it is UTF-8, and
// otherwise an object with the bytes in base64, because a JSON string would lose them.
type rawText string

type rawBytes struct {
	Bytes []byte `json:"bytes"`
}

// MarshalJSON returns a string, or an object with the bytes if t is not valid UTF-8.
func (t rawText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(rawBytes{[]byte(t)})
}

// UnmarshalJSON reads both forms that MarshalJSON writes.
func (t *rawText) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		var raw rawBytes
		err := json.Unmarshal(data, &raw)
		*t = rawText(raw.Bytes)
		return err
	}
	var text string
	err := json.Unmarshal(data, &text)
	*t = rawText(text)
	return err
}

// parseKind returns the Kind whose String is name; Unknown if there is no such Kind.
func parseKind(name string) Kind {
	for k := Unknown; k <= Failure; k++ {
		if k.String() == name {
			return k
		}
	}
	return Unknown
}
