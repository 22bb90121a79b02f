package cache

import (
	"net/http"
	"time"

	"locus/access"
	"locus/internal/answer"
	"locus/url"
)

// A record is what is stored about a resource besides its bytes.
type record struct {
	Key      string
	At       string // its URL after redirects, without the fragment
	Type     string
	Length   int64  // of the stored bytes
	sum      uint32 // their CRC
	size     int    // of the record in its file
	ModTime  time.Time
	ETag     string
	Received time.Time
	Fresh    time.Duration // from Received
	Expires  time.Time     // Received plus Fresh
	NoStale  bool
	IfError  time.Duration     `json:",omitempty"` // see verdict
	Listing  bool              // the bytes are entries, see list.go
	Fields   map[string]string `json:",omitempty"`
	Facts    []access.Fact     `json:",omitempty"`

	// The request that fetched it was PublicOnly. Only then it may answer others that are.
	FromPublic bool `json:",omitempty"`

	// Only of a response that a Web stored:
	Status     int         `json:",omitempty"`
	Header     http.Header `json:",omitempty"`
	Public     bool        `json:",omitempty"` // it may answer requests with credentials
	Vary       []string    `json:",omitempty"` // the record has no bytes: there is one per value of these fields
	Generation string      `json:",omitempty"` // tells the records of one Vary from older ones
}

// passedOn are the header fields that are stored for a proxy.
var passedOn = []string{"Age", "Cache-Control", "Content-Encoding", "Content-Language", "Content-Disposition", "Expires"}

// newRecord returns the record of r, received now under key.
func newRecord(key string, r *access.Resource, v verdict, now time.Time) *record {
	stored := &record{
		Key: key, At: keyOf(r.URL), Type: r.Type, ModTime: r.ModTime, ETag: r.ETag, NoStale: v.noStale, IfError: v.ifError, Facts: access.Facts(r.Sys),
		Listing: r.List != nil,
	}
	if f, ok := r.Sys.(answer.Fielder); ok {
		stored.Fields = make(map[string]string)
		for _, name := range passedOn {
			if value := f.Field(name); value != "" {
				stored.Fields[name] = value
			}
		}
	}
	stored.refresh(v.fresh, now)
	return stored
}

// refresh makes the record fresh from now on, for so long.
func (stored *record) refresh(fresh time.Duration, now time.Time) {
	stored.Received, stored.Fresh, stored.Expires = now, fresh, now.Add(fresh)
}

// isFresh reports whether the record is fresh now. A record from the future is not:
// the clock was set back.
func (stored *record) isFresh(now time.Time) bool {
	return now.Before(stored.Expires) && !now.Before(stored.Received)
}

// isSame reports whether two records belong to the same bytes.
func (stored *record) isSame(other *record) bool {
	return stored.Key == other.Key && stored.Length == other.Length && stored.sum == other.sum
}

// validator returns the validator of this version.
func (stored *record) validator() access.Validator {
	return access.Validator{ETag: stored.ETag, ModTime: stored.ModTime}
}

// isVersion reports whether v names this version.
func (stored *record) isVersion(v access.Validator) bool {
	switch {
	case v.ETag != "":
		return v.ETag == stored.ETag
	case v.ModTime.IsZero(), stored.ModTime.IsZero():
		return false
	}
	return v.ModTime.Truncate(time.Second).Equal(stored.ModTime.Truncate(time.Second))
}

// resource returns the resource without its Body, opened as u.
func (stored *record) resource(u url.URL) *access.Resource {
	r := &access.Resource{Entry: access.Entry{URL: u, Type: stored.Type, Size: stored.Length, ModTime: stored.ModTime}, ETag: stored.ETag}
	if stored.At != keyOf(u) {
		if at, err := url.Parse(stored.At); err == nil {
			r.URL = foundAs(at, u)
		}
	}
	if stored.Listing {
		r.Size = -1
	}
	r.Sys = &Hit{Received: stored.Received, etag: stored.ETag, fields: stored.Fields, facts: stored.Facts}
	return r
}
