package mail

import (
	"strings"

	"locus/scheme"
	"locus/url"
)

// Cite returns the URL of the message with the message-id name. It is not
// looked up.
func (c Client) Cite(_ url.URL, name string) (u url.URL, ok bool) {
	u = scheme.Mid{MessageID: name}.URL()
	v, err := scheme.ParseMid(u)
	return u, err == nil && v.MessageID == name && strings.Contains(name, "@")
}
