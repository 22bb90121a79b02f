package ftp_test

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/url"
)

// An upload keeps a space at the start of its name, or fails and leaves no file.
func TestLiveLeadingSpace(t *testing.T) {
	for _, test := range []struct {
		name, login string
		start       func(testing.TB, string) *peers.Server
		keeps       bool
	}{
		{"pure-ftpd", "alice:secret@", peers.PureFTPd, false},
		{"vsftpd", "", peers.VSFTPD, true},
		{"proftpd", "alice:secret@", peers.ProFTPD, true},
	} {
		for _, direct := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/direct %v", test.name, direct), func(t *testing.T) {
				t.Parallel()
				s := test.start(t, t.TempDir())
				c := ftp.Client{Dial: new(net.Dialer).DialContext, Security: access.NeverTLS, Direct: direct}
				req := &access.Request{URL: url.MustParse("ftp://" + test.login + s.Addr + "/%20lead")}
				err := accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("text"))
				names, readErr := filepath.Glob(filepath.Join(s.Root, "*"))
				if readErr != nil {
					t.Fatal(readErr)
				}
				switch {
				case test.keeps && (err != nil || len(names) != 1 || filepath.Base(names[0]) != " lead"):
					t.Errorf("Put = %v leaves %q, want the file", err, names)
				case !test.keeps && !errors.Is(err, errors.ErrUnsupported):
					t.Errorf("Put = %v leaves %q, want that the server changes the name", err, names)
				case !test.keeps && !direct && len(names) > 0:
					t.Errorf("Put = %v leaves %q, want no file", err, names)
				case !test.keeps && direct && !strings.Contains(access.Hint(err), `" lead"`):
					t.Errorf("Put = %v (%s) leaves %q, want a hint at the file", err, access.Hint(err), names)
				}
			})
		}
	}
}
