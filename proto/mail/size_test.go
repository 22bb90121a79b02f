package mail_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access/accesstest"
	"locus/proto/mail"
)

// A testFile is a file that may fail to seek, and may change before it is read
// again.
type testFile struct {
	*strings.Reader
	stuck   bool
	changed string // content the second time
	broken  error  // error of seeking back
}

func (d *testFile) Seek(offset int64, whence int) (int64, error) {
	switch {
	case d.stuck:
		return 0, errors.ErrUnsupported
	case whence == io.SeekStart && d.broken != nil:
		return 0, d.broken
	case whence == io.SeekStart && d.changed != "":
		d.Reader = strings.NewReader(d.changed)
	}
	return d.Reader.Seek(offset, whence)
}

// If a message can be read twice, a server with SIZE gets its size. Then it gets exactly that many
// bytes, or the connection ends before the final ".".
func TestSMTPSize(t *testing.T) {
	const head = "From: a@b\nTo: c@d\nBcc: e@f\nDate: x\nMessage-ID: <i@j>\n\n"
	const text = head + ".\n..two\rcaf\xc3\xa9"
	const sent = "From: a@b\r\nTo: c@d\r\nDate: x\r\nMessage-ID: <i@j>\r\n\r\n.\r\n..two\r\ncaf\xc3\xa9\r\n"
	long := strings.Repeat(strings.Repeat("much more than is read at once ", 500)+"\n", 20)
	broken := errors.New("the disk is broken")
	declares := func(n int) string { return fmt.Sprintf("\r\nMAIL FROM:<a@b> SIZE=%d BODY=8BITMIME\r\n", n) }
	for _, test := range []struct {
		name, offers string
		message      io.Reader
		mail         string // the command; "" if there is none
		fails        string
	}{
		{"with a bound", "SIZE 1000", strings.NewReader(text), declares(len(sent)), ""},
		{"as large as may be", fmt.Sprintf("SIZE %d", len(sent)), strings.NewReader(text), declares(len(sent)), ""},
		{"without a bound", "SIZE", strings.NewReader(text), declares(len(sent)), ""},
		{"bound 0, which is none", "SIZE 0", strings.NewReader(text), declares(len(sent)), ""},
		{"long", "SIZE", strings.NewReader(head + long), declares(len(sent) - len(".\r\n..two\r\ncafXX\r\n") + len(long) + 20), ""},
		{"a header alone", "SIZE", strings.NewReader(strings.TrimSuffix(head, "\n")), declares(len(sent) - len(".\r\n..two\r\ncafXX\r\n")), ""},
		{"not offered", "X", strings.NewReader(text), "\r\nMAIL FROM:<a@b> BODY=8BITMIME\r\n", ""},
		{"a pipe", "SIZE 1000", iotest.OneByteReader(strings.NewReader(text)), "\r\nMAIL FROM:<a@b> BODY=8BITMIME\r\n", ""},
		{"a pipe that has Seek", "SIZE 1000", &testFile{Reader: strings.NewReader(text), stuck: true}, "\r\nMAIL FROM:<a@b> BODY=8BITMIME\r\n", ""},
		{"too large", fmt.Sprintf("SIZE %d", len(sent)-1), strings.NewReader(text), "", "larger than the server accepts"},
		{"longer the second time", "SIZE 1000", &testFile{Reader: strings.NewReader(text), changed: text + "x"}, declares(len(sent)), "changed"},
		{"shorter the second time", "SIZE 1000", &testFile{Reader: strings.NewReader(text), changed: head}, declares(len(sent)), "changed"},
		{"no way back", "SIZE 1000", &testFile{Reader: strings.NewReader(text), broken: broken}, "", broken.Error()},
	} {
		m, err := mail.ReadOutgoing(test.message, "", now, "h.example")
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		server := accesstest.Serve(t, smtpServer(map[string]string{"EHLO": "250-h\r\n250-8BITMIME\r\n250 " + test.offers + "\r\n"}))
		err = mail.SMTP{Dial: server.Dial, Host: "h"}.Send(t.Context(), m)
		if (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: Send = %v, want %q", test.name, err, test.fails)
		}
		server.Wait()
		got := server.Received(0)
		if !strings.Contains(got, test.mail) || test.mail == "" && strings.Contains(got, "MAIL") {
			t.Errorf("%s: the server gets %.200q, want %q", test.name, got, test.mail)
		}
		if ended := strings.Contains(got, "\r\n.\r\nQUIT"); ended != (test.fails == "") {
			t.Errorf("%s: the message is ended: %v, want %v", test.name, ended, test.fails == "")
		}
	}
}

// A message that starts within a file is measured and sent from there.
func TestSMTPSizeWithin(t *testing.T) {
	const before, text = "a line that others have read\n", "From: a@b\nTo: c@d\nDate: x\nMessage-ID: <i@j>\n\ntext\n"
	file := strings.NewReader(before + text)
	if _, err := io.CopyN(io.Discard, file, int64(len(before))); err != nil {
		t.Fatal(err)
	}
	m, err := mail.ReadOutgoing(file, "", now, "h.example")
	if err != nil {
		t.Fatal(err)
	}
	server := accesstest.Serve(t, smtpServer(map[string]string{"EHLO": "250-h\r\n250 SIZE\r\n"}))
	if err := (mail.SMTP{Dial: server.Dial, Host: "h"}).Send(t.Context(), m); err != nil {
		t.Error(err)
	}
	server.Wait()
	sent := strings.ReplaceAll(text, "\n", "\r\n")
	if got := server.Received(0); !strings.Contains(got, fmt.Sprintf("SIZE=%d\r\n", len(sent))) || !strings.Contains(got, "DATA\r\n"+sent+".\r\n") {
		t.Errorf("the server gets %q, want %q and its size", got, sent)
	}
}
