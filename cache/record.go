package cache

import (
	"net/http"
	"time"

	"locus/access"
	"locus/url"
)

// A record is what is kept of a resource besides its octets.
type record struct {
	Key      string
	At       string // the URL where it was found, without its fragment
	Type     string
	Length   int64  // of the octets that are kept
	sum      uint32 // their CRC
	ModTime  time.Time
	ETag     string
	Received time.Time
	Fresh    time.Duration // from Received
	Expires  time.Time     // Received and Fresh
	NoStale  bool
	IfError  time.Duration     `json:",omitempty"` // see verdict
	Listing  bool              // the octets are entries, not the resource's own
	Fields   map[string]string `json:",omitempty"`
	Facts    []keptFact        `json:",omitempty"`

	// Of what came in answer to a proxy's client:
	Status     int         `json:",omitempty"`
	Header     http.Header `json:",omitempty"`
	Public     bool        `json:",omitempty"` // it is for those too who ask with credentials
	Vary       []string    `json:",omitempty"` // nothing else is here: the answers are kept by these fields
	Generation string      `json:",omitempty"` // of them
}

// A keptFact is an access.Fact in a record.
type keptFact struct{ Name, Value, URL string }

// passedOn are the fields that are kept for whoever passes a resource on.
var passedOn = []string{"Age", "Cache-Control", "Content-Encoding", "Content-Language", "Content-Disposition", "Expires"}

// newRecord returns the record of r, received now under key.
func newRecord(key string, r *access.Resource, v verdict, now time.Time) *record {
	kept := &record{
		Key: key, At: keyOf(r.URL), Type: r.Type, ModTime: r.ModTime, ETag: r.ETag, NoStale: v.noStale, IfError: v.ifError, Facts: keepFacts(r.Sys),
	}
	if r.List != nil {
		kept.Listing = true
	}
	if f, ok := r.Sys.(Fielder); ok {
		kept.Fields = make(map[string]string)
		for _, name := range passedOn {
			if value := f.Field(name); value != "" {
				kept.Fields[name] = value
			}
		}
	}
	kept.refresh(v.fresh, now)
	return kept
}

// refresh lets the record be fresh from now.
func (kept *record) refresh(fresh time.Duration, now time.Time) {
	kept.Received, kept.Fresh, kept.Expires = now, fresh, now.Add(fresh)
}

// isFresh reports whether the record is good now. What comes from the future is
// not: the clock has been set back.
func (kept *record) isFresh(now time.Time) bool {
	return now.Before(kept.Expires) && !now.Before(kept.Received)
}

// isShort reports whether the record may stay in memory.
func (kept *record) isShort() bool {
	n := len(kept.Key) + len(kept.At) + len(kept.Type) + len(kept.ETag)
	for _, name := range kept.Vary {
		n += len(name)
	}
	for name, value := range kept.Fields {
		n += len(name) + len(value)
	}
	for _, f := range kept.Facts {
		n += len(f.Name) + len(f.Value) + len(f.URL)
	}
	for name, values := range kept.Header {
		n += len(name)
		for _, value := range values {
			n += len(value)
		}
	}
	return n <= shortRecord
}

const shortRecord = 1 << 10

// isSame reports whether two records are of the same octets.
func (kept *record) isSame(other *record) bool {
	return kept.Key == other.Key && kept.Length == other.Length && kept.sum == other.sum
}

// validator returns what tells this version from others.
func (kept *record) validator() access.Validator {
	return access.Validator{ETag: kept.ETag, ModTime: kept.ModTime}
}

// isVersion reports whether v is this version.
func (kept *record) isVersion(v access.Validator) bool {
	switch {
	case v.ETag != "":
		return v.ETag == kept.ETag
	case v.ModTime.IsZero(), kept.ModTime.IsZero():
		return false
	}
	return v.ModTime.Truncate(time.Second).Equal(kept.ModTime.Truncate(time.Second))
}

// resource returns the resource without its Body, opened as u.
func (kept *record) resource(u url.URL) *access.Resource {
	r := &access.Resource{Entry: access.Entry{URL: u, Type: kept.Type, Size: kept.Length, ModTime: kept.ModTime}, ETag: kept.ETag}
	if kept.At != keyOf(u) {
		if at, err := url.Parse(kept.At); err == nil {
			r.URL = at
		}
	}
	if kept.Listing {
		r.Size = -1
	}
	r.Sys = &Hit{Received: kept.Received, etag: kept.ETag, fields: kept.Fields, facts: givenFacts(kept.Facts)}
	return r
}

// entry returns the attributes of what u names.
func (kept *record) entry(u url.URL) access.Entry {
	r := kept.resource(u)
	return access.Entry{URL: r.URL, Kind: access.Object, Type: r.Type, Size: r.Size, ModTime: r.ModTime, Sys: r.Sys}
}

func keepFacts(sys any) []keptFact {
	var kept []keptFact
	for _, f := range access.Facts(sys) {
		kept = append(kept, keptFact{f.Name, f.Value, f.URL.String()})
	}
	return kept
}

func givenFacts(kept []keptFact) []access.Fact {
	var facts []access.Fact
	for _, k := range kept {
		f := access.Fact{Name: k.Name, Value: k.Value}
		if u, err := url.Parse(k.URL); err == nil && k.URL != "" {
			f.URL = u
		}
		facts = append(facts, f)
	}
	return facts
}
