package ftp_test

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/url"
)

// FileZilla Server 1.9.4 opens a directory like a file, and then cannot read it. It answers SIZE of
// a directory with an error, but MDTM with a time.
func TestReadsDirectory(t *testing.T) {
	const broken = "425 Error reading from file: 5\r\n"
	for _, test := range []struct {
		name, url, size, data, after string
		isDir                        bool
	}{
		{"directory", "ftp://h/pub", "550 Couldn't open the file\r\n", "", broken, true},
		{"directory in type I", "ftp://h/pub.txt;type=i", "550 Couldn't open the file\r\n", "", broken, true},
		{"file on a bad disk", "ftp://h/pub", "213 7\r\n", "", broken, false},
		{"file of unknown size on a bad disk", "ftp://h/pub", "500 Wrong command.\r\n", "some", broken, false},
		{"another failure", "ftp://h/pub", "550 Couldn't open the file\r\n", "", "425 Unable to build data connection\r\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.script["SIZE"] = say(test.size)
			s.script["MDTM"] = say("213 20261121020208.189\r\n")
			s.script["RETR"] = func(c *control) { c.transfer("150 Starting data transfer.\r\n", test.data, test.after) }
			_, err := get(t, s.client(), test.url)
			if errors.Is(err, fs.ErrNotExist) != test.isDir || errors.Is(err, access.ErrTemporary) == test.isDir {
				t.Errorf("get = %v, want fs.ErrNotExist: %v, else access.ErrTemporary", err, test.isDir)
			}
			if hint := access.Hint(err); (hint == string(access.NeedSlash)) != test.isDir {
				t.Errorf("get = %v, with the hint %q", err, hint)
			}
		})
	}
}

// FileZilla Server 1.9.4 refuses DELE of a directory without a reason, and answers MDTM of it with
// a time.
func TestDeletesDirectoryAsFile(t *testing.T) {
	for _, test := range []struct {
		name, cwd string
		hint      string
	}{
		{"directory", "250 CWD command successful\r\n", `to remove a directory, end the URL with "/"`},
		{"file", "550 Couldn't open the directory\r\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.script["DELE"] = say("550 Couldn't open the file\r\n")
			s.script["MDTM"] = say("213 20261121020208.189\r\n")
			s.script["CWD pub"] = say(test.cwd)
			_, err := s.client().Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse("ftp://h/pub")})
			if hint := access.Hint(err); !errors.Is(err, fs.ErrPermission) || hint != test.hint {
				t.Errorf("Delete = %v, with the hint %q, want fs.ErrPermission and %q", err, hint, test.hint)
			}
		})
	}
}

// The client sends the recorded commands of changes to FileZilla Server 1.9.4, and returns an error
// for the refused ones.
func TestReplayChanges(t *testing.T) {
	s := replay(t, "testdata/ftp-filezilla.jsonl")
	c := s.client()
	c.Direct = true // a temporary name is random
	req := &access.Request{
		Op: access.Put, URL: url.MustParse("ftp://alice:secret@h/pub/new.bin"), Body: strings.NewReader("sent\r\n\xff\x00"), Size: 8,
		ModTime: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
	}
	if r, err := c.Do(t.Context(), req); err != nil || !r.ModTime.Equal(req.ModTime) {
		t.Errorf("Put = %+v, %v, want that the server stores the time", r, err)
	}
	for _, test := range []struct {
		op   access.Op
		path string
		is   error
	}{
		{access.Stat, "sub", nil},
		{access.Stat, "nope", fs.ErrNotExist},
		{access.Delete, "sub", fs.ErrPermission},
		{access.Delete, "nope/", fs.ErrNotExist},
		{access.MakeDir, "sub", fs.ErrExist},
	} {
		_, err := c.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse("ftp://alice:secret@h/pub/" + test.path)})
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("%v %s = %v, want %v", test.op, test.path, err, test.is)
		}
	}
}

// FileZilla Server 1.9.4 may answer ABOR, and the command after it, before the aborted transfer.
// The next command on the connection must still get its own reply.
func TestAbortsLate(t *testing.T) {
	const (
		greeting = "220-FileZilla Server 1.9.4\r\n220 Please visit https://filezilla-project.org/\r\n"
		aborted  = "226 ABOR command successful.\r\n"
		here     = "257 \"/\" is current directory.\r\n"
		broken   = "425 Error while transfering data: ECONNRESET - Connection reset by peer\r\n" //nolint:misspell // as the server writes it
	)
	for name, replies := range map[string][2]string{
		"before": {broken + aborted, here},
		"after":  {aborted, here + broken},
		"never":  {aborted, here},
	} {
		synctest.Test(t, func(t *testing.T) { // the reply that never comes times out in fake time
			s := serve(t)
			s.files["f"] = "content"
			s.script["greeting"], s.script["ABOR"], s.script["PWD"] = say(greeting), say(replies[0]), say(replies[1])
			s.script["SIZE large"], s.script["MDTM large"] = say("213 1000000\r\n"), say("550 Unknown error\r\n")
			s.script["RETR large"] = func(c *control) {
				conn, _ := c.accept()
				c.reply("150 Starting data transfer.\r\n")
				io.WriteString(conn, "half")
				io.Copy(io.Discard, conn) // until the client gives up
			}
			c, _ := s.pooledClient(t)
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/large")})
			if err != nil {
				t.Fatalf("Get with the reply %q: %v", name, err)
			}
			io.ReadFull(r.Body, make([]byte, 4))
			r.Body.Close()
			want := map[string]int{"before": 1, "after": 1, "never": 2}[name]
			if got, err := get(t, c, "ftp://h/f"); err != nil || got != "content" || s.controlConnections() != want {
				t.Errorf("%s: then get = %q, %v, on %d control connections, want %d", name, got, err, s.controlConnections(), want)
			}
		})
	}
}
