package main

import (
	"testing"

	"locus/proto/ftp"
)

// req: 1738-3.2-6
func TestAnonymousPassword(t *testing.T) {
	for _, want := range []string{"", "ada@example.org"} {
		t.Setenv("EMAIL", want)
		if c := table("")["ftp"].(ftp.Client); c.Email != want {
			t.Errorf("with EMAIL=%q, Client.Email = %q", want, c.Email)
		}
	}
}
