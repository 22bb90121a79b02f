package archive_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
)

// A replay opens no file of the machine, although records, redirects and revisits name one.
func TestAttackFileURLs(t *testing.T) {
	// attack: A web archive has records or redirects with `file:` URLs | a replay reads the archive only, never
	// the file, and does not follow the redirect
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("sesame"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := "file://" + filepath.ToSlash(secret)
	response := func(target, head string) string {
		return record("WARC-Type: response", "WARC-Record-ID: <urn:"+target+">", "WARC-Target-URI: "+target, "Content-Type: application/http", "", "HTTP/1.1 "+head)
	}
	root := folder(t)
	text := response("http://h/moved", "301 Moved\r\nLocation: "+local+"\r\n\r\n") +
		response("http://h/refresh", "200 OK\r\nRefresh: 0; url="+local+"\r\n\r\nstay") +
		response(local+"/below", "200 OK\r\n\r\nrecorded") +
		record("WARC-Type: revisit", "WARC-Record-ID: <urn:revisit>", "WARC-Target-URI: http://h/revisit", "WARC-Date: 2020-01-01T00:00:00Z", "WARC-Payload-Digest: sha1:X",
			"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Refers-To-Target-URI: "+local, "WARC-Refers-To-Date: 2020-01-01T00:00:00Z",
			"Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\n")
	if err := root.WriteFile("a.warc", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	engine := access.Follow{Engine: open(t, root, "a.warc")}
	for _, target := range []string{local, local + "/below", "file://localhost" + filepath.ToSlash(secret), "http://h/moved", "http://h/refresh", "http://h/revisit"} {
		body, _, err := get(t, engine, target)
		if strings.Contains(body, "sesame") {
			t.Errorf("%s has the content of the file", target)
		}
		switch target {
		case "http://h/moved", "http://h/revisit":
			if err == nil {
				t.Errorf("%s: %q, want an error", target, body)
			}
		case local:
			if !errors.Is(err, archive.ErrNotArchived) || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want %v", target, err, archive.ErrNotArchived)
			}
		}
	}
}
