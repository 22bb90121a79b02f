package main

import (
	"testing"

	"github.com/urfave/cli/v3"

	"locus/proto/ftp"
)

// req: 1738-3.2-6
func TestAnonymousPassword(t *testing.T) {
	for _, want := range []string{"", "ada@example.org"} {
		t.Setenv("EMAIL", want)
		engine, err := ftpClient(&cli.Command{})
		if err != nil {
			t.Fatal(err)
		}
		if c := (&engines{ftp: engine}).table(nil)["ftp"].(ftp.Client); c.Email != want {
			t.Errorf("with EMAIL=%q, Client.Email = %q", want, c.Email)
		}
	}
}
