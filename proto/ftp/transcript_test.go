package ftp_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"locus/proto/ftp"
)

// transcripts is the table of doc/ftp.md: all commands of a URL after the login,
// on a server that has every file. An empty list means that the client does not
// dial.
var transcripts = []struct {
	path string
	want []string // without the login
}{
	{"/a/b%2Fc/f", []string{"CWD a", "CWD b/c", "TYPE I", "SIZE f", "MDTM f", "EPSV", "RETR f", "QUIT"}},
	{"//etc/f", []string{"CWD ", "CWD etc", "TYPE I", "SIZE f", "MDTM f", "EPSV", "RETR f", "QUIT"}},
	{"/%2Fetc/f", []string{"CWD /etc", "TYPE I", "SIZE f", "MDTM f", "EPSV", "RETR f", "QUIT"}},
	{"/a//f", []string{"CWD a", "CWD ", "TYPE I", "SIZE f", "MDTM f", "EPSV", "RETR f", "QUIT"}},
	{"/a/f;type=a", []string{"CWD a", "TYPE A", "MDTM f", "EPSV", "RETR f", "QUIT"}},
	{"/a/dir;type=d", []string{"CWD a", "EPSV", "NLST dir", "QUIT"}},
	{"/x%0D%0ADELE%20y", nil},
}

// req: 1738-3.2-3
// req: 1738-3.2-4
// req: 1738-6-2
func TestTranscripts(t *testing.T) {
	doc, err := os.ReadFile("../../doc/ftp.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range transcripts {
		synctest.Test(t, func(t *testing.T) { // QUIT times out in fake time
			s := serve(t)
			s.files["f"] = "content"
			s.listings["NLST dir"] = "x\r\n"
			_, err := get(t, s.client(), "ftp://h"+test.path)
			if (err == nil) != (test.want != nil) || (len(s.dialed) > 0) != (test.want != nil) {
				t.Errorf("get(%q) = %v, dialling %q", test.path, err, s.dialed)
			}
			s.all.Wait()
			want := test.want
			if want != nil {
				want = slices.Concat(login, want)
			}
			if !slices.Equal(s.allCommands(), want) {
				t.Errorf("%q sends %q, want %q", test.path, s.allCommands(), want)
			}
		})
		shown := "nothing"
		if test.want != nil {
			shown = "`" + strings.Join(test.want, "` `") + "`"
		}
		if row := fmt.Sprintf("| `%s` | %s |\n", test.path, shown); !strings.Contains(string(doc), row) {
			t.Errorf("doc/ftp.md has no row %s", row)
		}
	}
}

// TestLiveTranscripts compares the logs of vsftpd and proftpd with the same
// table. Neither accepts a CWD without a directory, which ends the request.
//
// req: 1738-3.2-3
func TestLiveTranscripts(t *testing.T) {
	for _, server := range liveServers {
		t.Run(server.name, func(t *testing.T) {
			root := t.TempDir()
			for _, name := range []string{"a/b/c/f", "a/f", "a/dir/x", "etc/f"} {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s := server.start(t, root)
			absolute := "/%2F" + strings.ReplaceAll(strings.TrimPrefix(s.Root, "/"), "/", "%2F") + "%2Fetc/f"
			c := ftp.Client{Dial: new(net.Dialer).DialContext, Email: "guest@example.org"}
			for _, test := range transcripts {
				path, want := test.path, []string{"USER anonymous"}
				for _, command := range test.want {
					if command == "CWD /etc" { // unknown on this machine
						path, command = absolute, "CWD "+s.Root+"/etc"
					}
					want = append(want, strings.TrimRight(command, " "))
					if command == "CWD " {
						want = append(want, "QUIT")
						break
					}
				}
				if test.want == nil {
					want = nil
				}
				_, _ = get(t, c, "ftp://"+s.Addr+path)
				last := ""
				if want != nil {
					last = want[len(want)-1]
				}
				var got []string
				for _, command := range s.Commands(t, last) {
					if !strings.HasPrefix(command, "PASS") {
						got = append(got, strings.TrimRight(command, " "))
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("for %q %s has logged %q, want %q", path, server.name, got, want)
				}
			}
		})
	}
}
