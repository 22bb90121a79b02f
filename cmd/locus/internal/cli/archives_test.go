package cli

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/cmd/locus/internal/flags"
	"locus/demo"
	"locus/url"
)

// open returns the content of a URL, or the error.
func open(t *testing.T, c *Client, text string) (string, error) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	return string(content), err
}

// --from-warc opens the resources that --warc has recorded, without their server. An archive always has the same answer,
// so it is not asked again.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e := newEnv(t.TempDir(), nil)
	newClient := func() *Client {
		client, err := e.Client(Access{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}
	recorder := newClient()
	done, err := e.Archives(recorder, Recording{WARC: "a.warc"}, Replay{})
	if err != nil {
		t.Fatal(err)
	}
	at := d.Service("gopher").URL
	want, err := open(t, recorder, at+"0/etc/motd")
	if err != nil {
		t.Fatal(err)
	}
	if got := recorder.RetryPolicy(Retry{Retries: 5}).Retries; got != 5 {
		t.Errorf("while it records, the client retries %d times, want 5", got)
	}
	if err := done(nil); err != nil {
		t.Errorf("done = %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("close the demo: %v", err)
	}

	player := newClient()
	if err := e.OpenArchive(player, Replay{From: "a.warc"}); err != nil {
		t.Fatal(err)
	}
	if got, err := open(t, player, at+"0/etc/motd"); got != want || err != nil {
		t.Errorf("the archive has %q, %v, want %q", got, err, want)
	}
	for _, text := range []string{at + "0/other", "file:///etc/passwd"} {
		if got, err := open(t, player, text); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, which the archive lacks, gives %q, %v, want fs.ErrNotExist", text, got, err)
		}
	}
	if got := player.RetryPolicy(Retry{Retries: 5}).Retries; got != -1 {
		t.Errorf("from an archive the client retries %d times, want -1", got)
	}
}

// The user is told of an archive with records that cannot be read. The other records can be opened.
func TestDamagedArchive(t *testing.T) {
	t.Parallel()
	const record = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-29T10:00:00Z\r\n" +
		"WARC-Target-URI: gopher://h/0/a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
	for _, test := range []struct {
		name, text string
		isQuiet    bool
		want       string // a part of stderr; "": no message
	}{
		{"whole", record, false, ""},
		{"cut", record + record[:50], false, "a.warc"},
		{"cut and quiet", record + record[:50], true, ""},
	} {
		for _, opens := range []string{"OpenArchive", "Archives"} {
			e := newEnv(writeFile(t, "a.warc", test.text), nil)
			e.Quiet = test.isQuiet
			var err error
			if e.Stderr, err = os.Create(filepath.Join(e.Dir, "stderr")); err != nil {
				t.Fatal(err)
			}
			defer e.Stderr.Close()
			client, err := e.Client(Access{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			done := func(err error) error { return err }
			if opens == "OpenArchive" {
				err = e.OpenArchive(client, Replay{From: "a.warc"})
			} else {
				done, err = e.Archives(client, Recording{}, Replay{From: "a.warc"})
			}
			if err != nil {
				t.Errorf("%s of an archive that is %s = %v", opens, test.name, err)
				continue
			}
			if got, err := open(t, client, "gopher://h/0/a"); got != "hello" || err != nil {
				t.Errorf("an archive that is %s has %q, %v, want hello", test.name, got, err)
			}
			failed := errors.New("the verb has failed")
			if err := done(failed); err != failed {
				t.Errorf("done of an archive that is %s = %v, want the error of the verb", test.name, err)
			}
			said := readText(t, filepath.Join(e.Dir, "stderr"))
			if !strings.Contains(said, test.want) || (said == "") != (test.want == "") {
				t.Errorf("%s of an archive that is %s says %q, want %q", opens, test.name, said, test.want)
			}
		}
	}
}

// A proxy would not be used for an archive.
func TestArchiveWithProxy(t *testing.T) {
	t.Parallel()
	e := newEnv(writeFile(t, "a.warc", ""), nil)
	client, err := e.Client(Access{Connect: Connect{Proxy: "socks5://h"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.OpenArchive(client, Replay{From: "a.warc"}); !flags.IsMisuse(err) || err.Error() != "--from-warc and --proxy cannot be combined" {
		t.Errorf("OpenArchive of a client with a proxy = %v", err)
	}
	if err := e.OpenArchive(client, Replay{}); err != nil {
		t.Errorf("OpenArchive without --from-warc = %v", err)
	}
}

// Archives of other programs have targets that only browsers read as URLs.
func TestReplayParse(t *testing.T) {
	t.Parallel()
	const browsers = "http://h/a b|c"
	if u, err := (Replay{}).Parse(browsers); err == nil {
		t.Errorf("without --from-warc Parse(%q) = %s, want an error", browsers, u)
	}
	for _, text := range []string{browsers, "http://h/a"} {
		if u, err := (Replay{From: "a.warc"}).Parse(text); err != nil || !strings.HasPrefix(u.String(), "http://h/a") {
			t.Errorf("with --from-warc Parse(%q) = %s, %v", text, u, err)
		}
	}
}

func TestIsArchiveTemplate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want bool
	}{
		{"https://web.archive.org/web/{url}", true},
		{"http://h/{url}/{url}", true},
		{"http://h/?u={url}#a", true},
		{"https://web.archive.org/web/", false},
		{"{url}", false},
		{"/web/{url}", false},
		{"http://h/{other}/{url}", false},
		{"http://[{url}/", false},
		{"", false},
	} {
		if got := IsArchiveTemplate(test.text); got != test.want {
			t.Errorf("IsArchiveTemplate(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

// A URL with a host is replayed. Any other URL would need a server or a file of this machine.
func TestIsReplayed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"http://h/": true, "telnet://h/": true, "file://h/a": true, "file:///a": false, "news:a": false, "mid:a@b": false, "a": false,
	} {
		if got := IsReplayed(url.MustParse(text)); got != want {
			t.Errorf("IsReplayed(%s) = %v, want %v", text, got, want)
		}
	}
}
