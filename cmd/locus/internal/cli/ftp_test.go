package cli

import (
	"testing"

	"locus/proto/ftp"
)

// --ftp-passive chooses the command, and excludes --ftp-active.
func TestFTPPassive(t *testing.T) {
	for _, test := range []struct {
		given string
		want  ftp.Passive
	}{{"", ftp.EPSVThenPASV}, {"epsv", ftp.OnlyEPSV}, {"pasv", ftp.OnlyPASV}} {
		e := NewEnv(nil, nil, nil)
		if client, err := e.ftpClient(Protocols{FTPPassive: test.given}); err != nil || client.Passive != test.want {
			t.Errorf("with --ftp-passive %q Client.Passive = %v, %v, want %v", test.given, client.Passive, err, test.want)
		}
		if _, err := e.ftpClient(Protocols{FTPPassive: test.given, FTPActive: true}); (err != nil) != (test.given != "") {
			t.Errorf("--ftp-active with --ftp-passive %q: %v", test.given, err)
		}
	}
}

// req: 1738-3.2-6
func TestAnonymousPassword(t *testing.T) {
	for _, want := range []string{"", "ada@example.org"} {
		e := NewEnv(nil, nil, nil)
		e.LookupEnv = func(name string) (string, bool) { return want, name == "EMAIL" }
		if client, err := e.ftpClient(Protocols{}); err != nil || client.Email != want {
			t.Errorf("with EMAIL=%q, Client.Email = %q, %v", want, client.Email, err)
		}
	}
}
