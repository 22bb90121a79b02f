package archive

import (
	"encoding/json"
	"fmt"
	"io"

	"locus/access"
	"locus/url"
	"locus/url/whatwg"
)

// For a protocol other than HTTP, the attributes of a resource are a metadata record of
// their own, which is captured together with the resource. A redirect is a metadata record,
// too. HTTP does not need these records, because the recorded response has both.

// An attributes is the JSON of a Resource without its Body, its URL and its password.
type attributes struct {
	Entry     json.RawMessage `json:"entry"` // by access.AppendEntry
	ETag      string          `json:"etag,omitempty"`
	Immutable bool            `json:"immutable,omitempty"`
}

// marshalAttributes returns the attributes of r as JSON. It leaves out the URL, because the record
// has it.
func marshalAttributes(r *access.Resource) ([]byte, error) {
	e := r.Entry
	e.URL = url.URL{}
	return json.Marshal(attributes{access.AppendEntry(nil, e), r.ETag, r.Immutable})
}

// readAttributes reads the attributes that marshalAttributes has written, and returns them as a
// Resource with the URL u and an empty Body.
func readAttributes(message io.Reader, u url.URL) (*access.Resource, error) {
	var stored attributes
	if err := readJSON(message, &stored); err != nil {
		return nil, fmt.Errorf("the recorded attributes: %w", err)
	}
	e, err := unmarshalEntry(stored.Entry)
	if err != nil {
		return nil, err
	}
	e.URL = u
	return &access.Resource{Entry: e, ETag: stored.ETag, Immutable: stored.Immutable, Body: access.NoBody}, nil
}

// A redirect is the JSON of an access.Moved without a password.
type redirect struct {
	To        string `json:"to"`
	Standard  string `json:"standard"`
	Permanent bool   `json:"permanent,omitempty"`
	Repeat    bool   `json:"repeat,omitempty"`
}

// marshalRedirect returns m as JSON, without the password of its URL.
func marshalRedirect(m *access.Moved) ([]byte, error) {
	to, err := m.To.Without(url.Password)
	if err != nil {
		return nil, err
	}
	return json.Marshal(redirect{to.String(), to.Standard().String(), m.Permanent, m.Repeat})
}

// readRedirect reads the redirect that marshalRedirect has written.
func readRedirect(message io.Reader) (*access.Moved, error) {
	var stored redirect
	if err := readJSON(message, &stored); err != nil {
		return nil, fmt.Errorf("the recorded redirect: %w", err)
	}
	std := url.RFC3986
	if stored.Standard == whatwg.Standard.String() {
		std = whatwg.Standard
	}
	to, err := std.Parse(stored.To)
	if err != nil {
		return nil, fmt.Errorf("the recorded redirect: %w", err)
	}
	return &access.Moved{To: to, Permanent: stored.Permanent, Repeat: stored.Repeat}, nil
}

// readJSON decodes JSON from r into value. JSON of more than maxEntry bytes is an error.
func readJSON(r io.Reader, value any) error {
	text, err := io.ReadAll(io.LimitReader(r, maxEntry))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
