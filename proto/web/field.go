package web

import "strings"

// Field returns the value of a header field. Several values are joined by
// commas; "" means none.
func (r *Reply) Field(name string) string { return strings.Join(r.Header.Values(name), ", ") }
