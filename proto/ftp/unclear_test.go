package ftp_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// A 550 means that a file does not exist if its text says so, or if MLST or the listing of its
// directory shows that. Any other 550 is a refusal.
func TestUnclearRefusal(t *testing.T) {
	const (
		names   = "there\r\nother\r\n"
		unclear = "550 Failed to open file.\r\n"
	)
	features := say("211-x\r\n MLST type*;\r\n211 y\r\n")
	for _, test := range []struct {
		op     access.Op
		path   string
		script map[string]answer
		sent   string // the last command
		want   error
		hint   string
	}{
		{path: "/d/gone", script: map[string]answer{"RETR": say(unclear)}, sent: "NLST", want: fs.ErrNotExist},
		{path: "/d/there", script: map[string]answer{"RETR": say(unclear)}, sent: "NLST", want: fs.ErrPermission},
		{path: "/d/there", script: map[string]answer{"RETR": say(unclear), "MDTM": say("213 20261121020208\r\n")}, sent: "CWD there", want: fs.ErrPermission},
		{path: "/d/there", script: map[string]answer{"RETR": say(unclear), "CWD there": say("250 done\r\n")}, sent: "CWD there", want: fs.ErrNotExist, hint: access.NeedSlash.String()},
		{path: "/d/gone", script: map[string]answer{"RETR": say(unclear), "NLST": say("550 Permission denied.\r\n")}, sent: "NLST", want: fs.ErrPermission},
		{path: "/d/gone", script: map[string]answer{"RETR": say(unclear), "NLST": send("", "426 no\r\n")}, sent: "NLST", want: fs.ErrPermission},
		{path: "/d/.hidden", script: map[string]answer{"RETR": say(unclear)}, sent: "CWD .hidden", want: fs.ErrPermission},
		{path: "/d/%2Fgone", script: map[string]answer{"RETR": say(unclear)}, sent: "CWD /gone", want: fs.ErrPermission},
		{path: "/d/gone;type=d", script: map[string]answer{"NLST gone": say(unclear)}, sent: "NLST", want: fs.ErrNotExist},
		{path: "/d/gone", script: map[string]answer{"FEAT": features, "RETR": say(unclear), "MLST": say("550 no\r\n")}, sent: "MLST gone", want: fs.ErrNotExist},
		{path: "/d/there", script: map[string]answer{"FEAT": features, "RETR": say(unclear), "MLST": say("250-x\r\n type=file; there\r\n250 y\r\n")}, sent: "MLST there", want: fs.ErrPermission},
		{path: "/d/there", script: map[string]answer{"FEAT": features, "RETR": say(unclear), "MLST": say("550 Permission denied\r\n")}, sent: "MLST there", want: fs.ErrPermission},
		{path: "/gone/f", script: map[string]answer{"CWD gone": say("550 Failed to change directory.\r\n")}, sent: "NLST", want: fs.ErrNotExist},
		{path: "/there/f", script: map[string]answer{"CWD there": say("550 Failed to change directory.\r\n")}, sent: "NLST", want: fs.ErrPermission},
		{path: "/d/gone", script: map[string]answer{"RETR": say("550 gone: The system cannot find the file specified.\r\n")}, sent: "RETR gone", want: fs.ErrNotExist, hint: access.NeedSlash.String()},
		{path: "/d/there", script: map[string]answer{"RETR": say("550 File unavailable (e.g., file not found, no access).\r\n")}, sent: "NLST", want: fs.ErrPermission},
		{op: access.Delete, path: "/d/gone", script: map[string]answer{"DELE": say("550 Delete operation failed.\r\n")}, sent: "NLST", want: fs.ErrNotExist},
		{op: access.Delete, path: "/d/there", script: map[string]answer{"DELE": say("550 Delete operation failed.\r\n"), "MDTM": say("502 what\r\n")}, sent: "NLST", want: fs.ErrPermission},
		{op: access.MakeDir, path: "/d/gone/", script: map[string]answer{"MKD": say("550 Create directory operation failed.\r\n"), "CWD gone": say(unclear)}, sent: "CWD gone", want: fs.ErrPermission},
		{op: access.Append, path: "/d/gone", script: map[string]answer{"APPE": say("550 no\r\n")}, sent: "APPE gone", want: fs.ErrPermission},
	} {
		s := serve(t)
		s.listings["NLST"] = names
		s.script["CWD d"] = say("250 done\r\n")
		s.script["CWD"] = say("550 no\r\n")
		for command, a := range test.script {
			s.script[command] = a
		}
		_, err := s.client().Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse("ftp://h" + test.path + ending(test.path)), Body: strings.NewReader("x")})
		if !errors.Is(err, test.want) {
			t.Errorf("%v(%q) = %v, want %v", test.op, test.path, err, test.want)
		}
		if sent := s.sentCommands(); len(sent) == 0 || sent[len(sent)-1] != test.sent {
			t.Errorf("%v(%q) sends %q, want %q last", test.op, test.path, sent, test.sent)
		}
		if hint := access.Hint(err); test.op == access.Get && hint != test.hint {
			t.Errorf("%v(%q) has the hint %q, want %q", test.op, test.path, hint, test.hint)
		}
	}
}

// ending returns the type code that keeps TYPE out of the commands' order.
func ending(path string) string {
	if strings.HasSuffix(path, "/") || strings.Contains(path, ";") {
		return ""
	}
	return ";type=i"
}

// A refusal that nothing explains has the server's text, and says that the server refused.
func TestUnclearRefusalText(t *testing.T) {
	s := serve(t)
	s.listings["NLST"] = "f\r\n"
	s.script["RETR"], s.script["CWD"] = say("550 Failed to open file.\r\n"), say("550 no\r\n")
	const want = "open ftp://h/f: 550 Failed to open file: the server refused it"
	if _, err := get(t, s.client(), "ftp://h/f"); err == nil || err.Error() != want {
		t.Errorf("get = %v, want %q", err, want)
	}
}

// A refused file whose time the caller knows, because a listing has it, costs no other listing.
func TestUnclearRefusalKnown(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	s.script["RETR"], s.script["CWD"] = say("550 Failed to open file.\r\n"), say("550 no\r\n")
	c, _ := s.pooledClient(t)
	for range 3 {
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f"), Known: &access.Entry{Size: 7, ModTime: now()}})
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("Get = %v, want %v", err, fs.ErrPermission)
		}
	}
	if slices.Contains(s.sentCommands(), "NLST") {
		t.Errorf("sends %q, want no NLST", s.sentCommands())
	}
}
