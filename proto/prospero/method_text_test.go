package prospero

import (
	"strings"
	"testing"
)

// An error text with names of access methods is short, and has no control characters of
// the server.
func TestMethodNamesInErrors(t *testing.T) {
	for name, want := range map[string]string{
		"LOCAL":                    "no supported access method: it has LOCAL",
		"\x1b]0;x\a":               `no supported access method: it has \x1b]0;x\a`,
		strings.Repeat("A", 1<<20): "",
	} {
		f := finding{reply: reply{Object: Object{Attributes: []Attribute{{Name: "ACCESS-METHOD", Values: []string{name}}}}}}
		err := f.methodError()
		if err == nil || want != "" && err.Error() != want || len(err.Error()) > 500 {
			t.Errorf("the error of a method %.20q = %.100q, want %q", name, err, want)
		}
	}
}
