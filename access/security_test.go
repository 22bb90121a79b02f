package access_test

import (
	"testing"

	"locus/access"
)

func TestSecurityString(t *testing.T) {
	for s, want := range map[access.Security]string{
		access.OpportunisticTLS: "opportunistic", access.RequireTLS: "required", access.NeverTLS: "never",
	} {
		if got := s.String(); got != want {
			t.Errorf("Security(%d).String() = %q, want %q", s, got, want)
		}
	}
}
