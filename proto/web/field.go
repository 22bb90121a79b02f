package web

import "strings"

// Field returns the value of a header field; several are joined by commas, ""
// is none.
func (r *Reply) Field(name string) string { return strings.Join(r.Header.Values(name), ", ") }
