package ftp_test

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/ftp"
	"locus/url"
)

// An iacKind is a kind of server that reads the byte 0xFF in a command in its own way.
type iacKind struct {
	name     string
	greeting string
	feat     string
	reads    func(string) string // nil: byte by byte
	keeps    bool                // it can store a name with that byte
}

var iacKinds = []iacKind{
	{"UTF8, as it comes", "220 ready", "211-x\r\n UTF8\r\n211 y\r\n", nil, true}, // pure-ftpd
	{"vsftpd", "220 (vsFTPd 3.0.3)", "502 what\r\n", nil, true},
	{"Telnet", "220 ready", "211-x\r\n MDTM\r\n211 y\r\n", asTelnet, true}, // inetutils
	{"Telnet without FEAT", "220 ready", "502 what\r\n", asTelnet, true},
	{"Telnet and UTF8", "220 ProFTPD Server", "211-x\r\n UTF8\r\n211 y\r\n", asTelnet, true},
	{"as it comes, and does not say so", "220 ready", "502 what\r\n", nil, false},
	{"replaces it", "220 ready", "211-x\r\n UTF8\r\n211 y\r\n", asUnicode, false}, // pyftpdlib
}

func asTelnet(line string) string  { return strings.ReplaceAll(line, "\xff\xff", "\xff") }
func asUnicode(line string) string { return strings.ReplaceAll(line, "\xff", "\ufffd") }

func (k iacKind) serve(t testing.TB) *server {
	s := serve(t)
	s.reads = k.reads
	s.script["greeting"] = say(k.greeting + "\r\n")
	s.script["FEAT"] = say(k.feat)
	s.script["NLST"] = func(c *control) {
		c.mu.Lock()
		names := strings.Join(slices.Sorted(maps.Keys(c.files)), "\r\n")
		c.mu.Unlock()
		c.transfer("150 here\r\n", names+"\r\n", "226 done\r\n")
	}
	s.script["MKD"] = func(c *control) { c.set(c.arg, "", true); c.reply("257 made\r\n") }
	s.script["RMD"] = func(c *control) { c.set(c.arg, "", false); c.reply("250 gone\r\n") }
	return s
}

// The byte 0xFF in a name arrives unchanged at every kind of server, or the change fails and leaves
// no file. Other files are not changed.
func TestIAC(t *testing.T) {
	const name, content = "l\xffx", "content"
	at := &access.Request{URL: url.MustParse("ftp://h/l%FFx;type=i")}
	body := func() *strings.Reader { return strings.NewReader(content) }
	for _, kind := range iacKinds {
		for _, test := range []struct {
			name string
			do   func(c ftp.Client) error
			made string // content of name afterwards
		}{
			{"put", func(c ftp.Client) error { return accesstest.Change(t.Context(), c, access.Put, at, body()) }, content},
			{"put directly", func(c ftp.Client) error {
				c.Direct = true
				return accesstest.Change(t.Context(), c, access.Put, at, body())
			}, content},
			{"append", func(c ftp.Client) error { return accesstest.Change(t.Context(), c, access.Append, at, body()) }, content},
			{"make", func(c ftp.Client) error { return accesstest.Change(t.Context(), c, access.MakeDir, at, nil) }, ""},
		} {
			s := kind.serve(t)
			others := map[string]string{"l": "1", "lx": "2", "other": "3"}
			maps.Copy(s.files, others)
			want := maps.Clone(others)
			err := test.do(s.client())
			if kind.keeps {
				want[name] = test.made
			}
			if got := s.storedFiles(); !maps.Equal(got, want) || (err == nil) != kind.keeps || err != nil && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s, %s: %v leaves %q, want %q", kind.name, test.name, err, got, want)
			}
		}
		s := kind.serve(t)
		s.files["l\xff\xffx"], s.files["l\ufffdx"] = "other", "another"
		if err := accesstest.Change(t.Context(), s.client(), access.Delete, at, nil); !errors.Is(err, fs.ErrNotExist) || len(s.storedFiles()) != 2 {
			t.Errorf("%s, delete: %v leaves %q", kind.name, err, s.storedFiles())
		}
		if !kind.keeps {
			continue
		}
		s.set(name, content, true)
		if got, err := get(t, s.client(), "ftp://h/l%FFx"); err != nil || got != content {
			t.Errorf("%s, get: %q, %v", kind.name, got, err)
		}
		if err := accesstest.Change(t.Context(), s.client(), access.Delete, at, nil); err != nil || len(s.storedFiles()) != 2 {
			t.Errorf("%s, delete: %v leaves %q", kind.name, err, s.storedFiles())
		}
	}
}

// A name is accepted if the directory cannot be listed, or if listings omit such names.
func TestIACUnlisted(t *testing.T) {
	for path, script := range map[string]map[string]answer{
		"l%FFx":  {"NLST": say("502 what\r\n")},
		"l%FFy":  {"NLST": say("550 Permission denied.\r\n")},
		".l%FFx": {"NLST": send("other\r\n", "226 done\r\n")},
	} {
		s := iacKinds[0].serve(t)
		maps.Copy(s.script, script)
		u := url.MustParse("ftp://h/" + path)
		if err := accesstest.Change(t.Context(), s.client(), access.Put, &access.Request{URL: u}, strings.NewReader("content")); err != nil || len(s.storedFiles()) != 1 {
			t.Errorf("%s: %v leaves %q", path, err, s.storedFiles())
		}
	}
}
