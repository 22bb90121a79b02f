package scheme

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"locus/url"
)

// text is a decoded part in JSON: a string, or {"base64":"…"} if it is not
// UTF-8.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return marshal(string(t))
	}
	return marshal(struct {
		Base64 []byte `json:"base64"`
	}{[]byte(t)})
}

// marshal is json.Marshal without the escapes that only HTML wants.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// optional is a decoded part in JSON, null if it is absent.
func optional(p url.Part) *text {
	if !p.Present {
		return nil
	}
	t := text(p.Text)
	return &t
}

// present is a decoded part in JSON that is absent if it is empty.
func present(s string) *text {
	return optional(url.Part{Text: s, Present: s != ""})
}

// texts is a list in JSON, never null.
func texts(list []string) []text {
	ts := make([]text, len(list))
	for i, s := range list {
		ts[i] = text(s)
	}
	return ts
}
