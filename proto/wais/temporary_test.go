package wais

import (
	"errors"
	"testing"

	"locus/access"
)

// Diagnostics that mean "later" are temporary. Other diagnostics are not.
func TestTemporary(t *testing.T) {
	for code, want := range map[string]bool{
		"S2": true, "SU": true, "SV": true, "SY": true, "SZ": true, "T1": true,
		"S1": false, "SF": false, "ST": false, "SH": false, "T2": false, "XX": false, "": false,
	} {
		if got := errors.Is(diagnostic{code: code}.refusal(), access.ErrTemporary); got != want {
			t.Errorf("%q is temporary: %v, want %v", code, got, want)
		}
	}
}
