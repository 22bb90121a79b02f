package cache

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/url"
	"locus/url/whatwg"
)

// The metadata of a stored resource are its attributes, and the rules for using it. They
// are stored in its file, after its bytes.
type metadata struct {
	Key       string
	Entry     json.RawMessage `json:",omitempty"` // its attributes, by access.AppendEntry; nil for a response of a Web
	Length    int64           // of the stored bytes
	sum       uint32          // their CRC
	size      int             // of the metadata in the file
	ModTime   time.Time
	ETag      string
	Received  time.Time
	Fresh     time.Duration // from Received
	Expires   time.Time     // Received plus Fresh
	NoStale   bool
	IfError   time.Duration `json:",omitempty"` // see verdict
	Listing   bool          // the bytes are entries, see list.go
	Aged      time.Duration `json:",omitempty"` // its Age when it came over HTTP
	Immutable bool          `json:",omitempty"` // see access.Resource

	// FromPublic says that the request that fetched it was PublicOnly. Otherwise it must
	// not answer such a request, because it may come from a private address.
	FromPublic bool `json:",omitempty"`

	Status int `json:",omitempty"` // of the HTTP response; 0 if it came by another protocol

	// parse parses Entry, and remembers the result, because most hits are for few resources.
	// Callers must not change the Header of the result. A metadata without an Entry has no parse.
	parse func() (access.Entry, error)

	// Only for a response that a Web stored:
	Header     http.Header `json:",omitempty"`
	Public     bool        `json:",omitempty"` // it may answer requests with credentials
	Vary       []string    `json:",omitempty"` // the file has no bytes, because each value of these fields has a file of its own
	Generation string      `json:",omitempty"` // distinguishes the files of this Vary from older ones
}

// newMetadata returns the metadata with which to store r under key. r was received now, and v is
// the verdict on it. Length and the checksum are still missing.
func newMetadata(key string, r *access.Resource, v verdict, now time.Time) *metadata {
	e := r.Entry
	if at, err := e.URL.Without(url.Fragment); err == nil {
		e.URL = at
	}
	stored := &metadata{
		Key: key, ModTime: r.ModTime, ETag: r.ETag, NoStale: v.noStale, IfError: v.ifError,
		Listing: r.List != nil, Status: r.HTTPStatus, Immutable: r.Immutable,
	}
	if r.HTTPStatus != 0 {
		stored.Aged = seconds(r.Header.Get("Age"))
	}
	stored.setEntry(access.AppendEntry(nil, e))
	stored.refresh(v.fresh, now)
	return stored
}

// setEntry sets Entry and parse from text, attributes in the form of access.AppendEntry.
func (stored *metadata) setEntry(text []byte) {
	stored.Entry = text
	stored.parse = sync.OnceValues(func() (access.Entry, error) { return access.ParseEntry(text, whatwg.Standard) })
}

// refresh makes the resource fresh from now on for the duration fresh. It changes only the metadata
// in memory.
func (stored *metadata) refresh(fresh time.Duration, now time.Time) {
	stored.Received, stored.Fresh, stored.Expires = now, fresh, now.Add(fresh)
}

// isFresh reports whether the resource is fresh now. It is false for a resource received after now,
// because the clock was set back.
func (stored *metadata) isFresh(now time.Time) bool {
	return now.Before(stored.Expires) && !now.Before(stored.Received)
}

// isSame reports whether stored and other have the same key, and describe the same bytes.
func (stored *metadata) isSame(other *metadata) bool {
	return stored.Key == other.Key && stored.Length == other.Length && stored.sum == other.sum
}

// validator returns the ETag and the time of the last change of the stored version.
func (stored *metadata) validator() access.Validator {
	return access.Validator{ETag: stored.ETag, ModTime: stored.ModTime}
}

// isVersion reports whether v names the stored version: by its ETag if v has one, and otherwise by
// its time, in whole seconds. It is false for the zero Validator.
func (stored *metadata) isVersion(v access.Validator) bool {
	switch {
	case v.ETag != "":
		return v.ETag == stored.ETag
	case v.ModTime.IsZero(), stored.ModTime.IsZero():
		return false
	}
	return v.ModTime.Truncate(time.Second).Equal(stored.ModTime.Truncate(time.Second))
}

// resource returns the stored resource without its Body, for a request for u. age becomes its Age
// if it came over HTTP. A listing has the Size -1. The error is errDamaged if the attributes cannot
// be parsed.
func (stored *metadata) resource(u url.URL, age time.Duration) (*access.Resource, error) {
	r := &access.Resource{ETag: stored.ETag, HTTPStatus: stored.Status, Immutable: stored.Immutable}
	if stored.Entry == nil { // a Web uses the response itself
		r.URL, r.Size = u, stored.Length
		return r, nil
	}
	e, err := stored.parse()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	r.Entry = e
	r.URL = foundAs(e.URL, u)
	r.Header = slices.Clone(e.Header)
	if r.Size = stored.Length; stored.Listing {
		r.Size = -1
	}
	if stored.Status != 0 {
		r.Header = withAge(r.Header, age)
	}
	return r, nil
}

// withAge returns h with age, in seconds, as its only Age. It may change h.
func withAge(h access.Header, age time.Duration) access.Header {
	h = slices.DeleteFunc(h, func(f access.Field) bool { return strings.EqualFold(f.Name, "Age") })
	return append(h, access.Field{Name: "Age", Value: strconv.FormatInt(int64(age/time.Second), 10), Hidden: true})
}
