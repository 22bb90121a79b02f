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

// marshalAttributes returns the JSON of the attributes of r. It leaves out the URL, because
// the record has it.
func marshalAttributes(r *access.Resource) ([]byte, error) {
	e := r.Entry
	e.URL = url.URL{}
	return json.Marshal(attributes{access.AppendEntry(nil, e), r.ETag, r.Immutable})
}

// readAttributes returns the Resource, without a Body, whose attributes are in message. Its
// URL is u, the URL of the current request.
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

// marshalRedirect returns the JSON of a redirect.
func marshalRedirect(m *access.Moved) ([]byte, error) {
	to, err := m.To.Without(url.Password)
	if err != nil {
		return nil, err
	}
	return json.Marshal(redirect{to.String(), to.Standard().String(), m.Permanent, m.Repeat})
}

// readRedirect returns the redirect in message.
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

// readJSON reads JSON of at most maxEntry bytes.
func readJSON(r io.Reader, value any) error {
	text, err := io.ReadAll(io.LimitReader(r, maxEntry))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
