package ftp_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// putFile uploads content to a URL.
func putFile(t testing.TB, c ftp.Client, rawurl, content string) error {
	t.Helper()
	_, err := c.Do(t.Context(), &access.Request{Op: access.Put, URL: url.MustParse(rawurl), Body: strings.NewReader(content), Size: -1})
	return err
}

// Twisted accepts RNFR for every name, and only RNTO after it (RFC 959 §4.1.3).
func TestStrictRename(t *testing.T) {
	s := serve(t)
	renaming := false
	only := func(next answer) answer {
		return func(c *control) {
			if renaming {
				c.reply("503 RNTO must follow\r\n")
				return
			}
			next(c)
		}
	}
	s.script["RNFR"] = only(func(c *control) {
		renaming, c.from = true, c.arg
		c.reply("350 go on\r\n")
	})
	s.script["RNTO"] = func(c *control) {
		renaming = false
		if content := c.content(c.from); content != "" {
			c.set(c.from, "", false)
			c.set(c.arg, content, true)
			c.reply("250 renamed\r\n")
			return
		}
		c.reply("550 no such file\r\n")
	}
	for _, verb := range []string{"STOR", "SIZE", "MDTM", "EPSV", "TYPE", "DELE"} {
		s.script[verb] = only(func(c *control) { c.defaultAnswer(verb)(c) })
	}
	c, _ := s.pooledClient(t)
	for _, name := range []string{"a", "b"} {
		if err := putFile(t, c, "ftp://h/"+name, "new "+name); err != nil || s.files[name] != "new "+name {
			t.Errorf("Put of %q = %v, the server has %q", name, err, s.files)
		}
	}
}

// A port of EPSV that cannot be reached leads to PASV, unless the client must not use it. The client then asks with PASV.
func TestUnreachableEPSV(t *testing.T) {
	for _, test := range []struct {
		passive  ftp.Passive
		pasv     answer   // nil: a port that can be reached
		want     []string // the commands that ask for a port
		canReach bool
	}{
		{ftp.EPSVThenPASV, nil, []string{"EPSV", "PASV", "PASV"}, true},
		{ftp.OnlyEPSV, nil, []string{"EPSV", "EPSV"}, false},
		{ftp.OnlyPASV, nil, []string{"PASV", "PASV"}, true},
		{ftp.EPSVThenPASV, say("502 no\r\n"), []string{"EPSV", "PASV", "PASV"}, false},
		{ftp.EPSVThenPASV, say("227 (1,2,3,4,200,1)\r\n"), []string{"EPSV", "PASV", "PASV"}, false},
	} {
		s := serve(t)
		s.files["f"], s.files["g"] = "content", "content"
		s.refused = true
		s.script["EPSV"] = say("229 (|||50000|)\r\n")
		if test.pasv != nil {
			s.script["PASV"] = test.pasv
		}
		c, pool := s.pooledClient(t)
		c.Passive = test.passive
		for _, name := range []string{"f", "g"} {
			got, err := get(t, c, "ftp://h/"+name)
			if (err == nil && got == "content") != test.canReach || err != nil && !errors.Is(err, syscall.ECONNREFUSED) && test.pasv == nil {
				t.Errorf("%v: get of %s = %q, %v", test.passive, name, got, err)
			}
		}
		pool.Close()
		s.all.Wait()
		var asked []string
		for _, command := range s.allCommands() {
			if command == "EPSV" || command == "PASV" {
				asked = append(asked, command)
			}
		}
		if test.canReach && !slices.Equal(asked, test.want) || asked[0] != test.want[0] || slices.Contains(asked, "PASV") != slices.Contains(test.want, "PASV") {
			t.Errorf("%v asks with %q, want %q", test.passive, asked, test.want)
		}
	}
}

// A server may answer SIZE without a number, as for an empty file.
func TestNoNumber(t *testing.T) {
	for _, reply := range []string{"213\r\n", "213 \r\n", "213 what\r\n"} {
		s := serve(t)
		s.script["SIZE"] = say(reply)
		if err := putFile(t, s.client(), "ftp://h/f", ""); err != nil {
			t.Errorf("Put after %q = %v", reply, err)
		}
		if content, ok := s.files["f"]; content != "" || !ok {
			t.Errorf("after Put with the reply %q the server has %q", reply, s.files)
		}
		if got, err := get(t, s.client(), "ftp://h/f"); err != nil || got != "" {
			t.Errorf("Get after %q = %q, %v", reply, got, err)
		}
	}
}

// A server may start TLS on the data connection before it sends its first reply.
func TestTLSBeforeReply(t *testing.T) {
	s := serve(t)
	c := s.requireTLS(t)
	s.script["RETR f"] = func(c *control) {
		conn, ok := c.accept()
		if !ok {
			return
		}
		conn = c.secure(conn)
		if err := conn.(interface{ HandshakeContext(context.Context) error }).HandshakeContext(t.Context()); err != nil {
			t.Error(err)
		}
		c.reply("150 here it comes\r\n")
		io.WriteString(conn, "content")
		conn.Close()
		c.reply("226 done\r\n")
	}
	s.script["RETR missing"] = say("550 no such file\r\n")
	if got, err := get(t, c, "ftp://h/f;type=i"); err != nil || got != "content" {
		t.Errorf("get = %q, %v", got, err)
	}
	if got, err := get(t, c, "ftp://h/missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("get of a missing file = %q, %v", got, err)
	}
}

// The same holds for an upload.
func TestUploadTLSBeforeReply(t *testing.T) {
	s := serve(t)
	c := s.requireTLS(t)
	stored := make(chan string, 1)
	s.script["STOR"] = func(c *control) {
		conn, ok := c.accept()
		if !ok {
			return
		}
		conn = c.secure(conn)
		if err := conn.(interface{ HandshakeContext(context.Context) error }).HandshakeContext(t.Context()); err != nil {
			t.Error(err)
		}
		c.reply("150 send it\r\n")
		text, _ := io.ReadAll(conn)
		stored <- string(text)
		conn.Close()
		c.reply("226 done\r\n")
	}
	c.Direct = true
	s.script["SIZE"] = say("502 no\r\n")
	if err := putFile(t, c, "ftp://h/f;type=i", "content"); err != nil {
		t.Fatalf("put = %v", err)
	}
	if got := <-stored; got != "content" {
		t.Errorf("the server stored %q", got)
	}
}

// A refusal of an upload whose data connection stays open is reported at once, whether the server still reads or not.
func TestRefusedUploadWithOpenData(t *testing.T) {
	for _, test := range []struct {
		refusal string
		reads   bool
	}{
		{"550 is a directory\r\n", false},
		{"552 quota exceeded\r\n", true},
		{"426 broken\r\n", false},
		{"452-the disk\r\n452 is full\r\n", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan struct{})
			defer close(ended)
			s := serve(t)
			s.script["STOR"] = func(c *control) {
				conn, ok := c.accept()
				if !ok {
					return
				}
				c.reply("125 send it\r\n")
				c.reply(test.refusal)
				go func() { // the server answers other commands meanwhile
					defer conn.Close()
					if test.reads {
						io.Copy(io.Discard, conn)
					}
					<-ended
				}()
			}
			s.script["DELE"] = say("550 no such file\r\n")
			c := s.client()
			c.Idle, c.Direct = time.Minute, true
			start := time.Now()
			body := slowReader{strings.NewReader(strings.Repeat("x", 1<<20))}
			_, err := c.Do(t.Context(), &access.Request{Op: access.Put, URL: url.MustParse("ftp://h/f;type=i"), Body: body, Size: 1 << 20})
			took := time.Since(start)
			if failed, ok := errors.AsType[*access.Error](err); !ok || failed.Reply == nil || !strings.HasPrefix(test.refusal, strconv.Itoa(failed.Reply.Code)) || took > 3*time.Second {
				t.Errorf("put, refused with %q = %v after %v, want the refusal at once", test.refusal, err, took)
			}
		})
	}
}

// A slowReader takes a second for each KiB.
type slowReader struct{ io.Reader }

func (r slowReader) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	return r.Reader.Read(p[:min(len(p), 1<<10)])
}

// A refusal that comes while the data connection stays open is reported at once.
func TestRefusalWithOpenData(t *testing.T) {
	for _, test := range []struct {
		data, after string
		wantErr     bool
	}{
		{"", "550 is a directory\r\n", true},
		{"con", "426 broken\r\n", true},
		{"content", "226 done\r\n", false}, // and the data connection is closed later
	} {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t)
			s.script["RETR"] = func(c *control) {
				conn, ok := c.accept()
				if !ok {
					return
				}
				c.reply("125 here it comes\r\n")
				io.WriteString(conn, test.data)
				c.reply(test.after)
				time.Sleep(10 * time.Second)
				conn.Close()
			}
			c := s.client()
			c.Idle = time.Minute
			start := time.Now()
			got, err := get(t, c, "ftp://h/f;type=i")
			took := time.Since(start)
			if got != test.data || (err != nil) != test.wantErr || test.wantErr && took > 3*time.Second {
				t.Errorf("get with %q = %q, %v after %v", test.after, got, err, took)
			}
			if test.wantErr && !strings.Contains(err.Error(), strings.TrimSpace(test.after)) {
				t.Errorf("get = %v, want the reply %q", err, test.after)
			}
		})
	}
}

// A data connection that is silent for the idle limit is an error, also if the client looks for replies meanwhile.
func TestSilentData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t)
		s.script["RETR"] = func(c *control) {
			if conn, ok := c.accept(); ok {
				c.reply("150 here it comes\r\n")
				io.WriteString(conn, "con")
				io.Copy(io.Discard, conn)
			}
		}
		c := s.client()
		c.Idle = 30 * time.Second
		start := time.Now()
		got, err := get(t, c, "ftp://h/f;type=i")
		if took := time.Since(start); got != "con" || err == nil || !strings.Contains(err.Error(), "sent nothing for 30s") || took > 35*time.Second {
			t.Errorf("get = %q, %v after %v", got, err, took)
		}
	})
}

// A 550 in the login does not mean that a file does not exist. The error names the step.
func TestRefusedLogin(t *testing.T) {
	for _, test := range []struct{ step, url, want string }{
		{"greeting", "ftp://h/f", "550 no: the server refuses the connection"},
		{"USER", "ftp://h/f", "550 no: the server refuses USER"},
		{"PASS", "ftp://h/f", "550 no: the server refuses PASS"},
		{"PASS", "ftp://u:secret@h/f", "550 no: the server refuses PASS"},
		{"PBSZ", "ftp://u:secret@h/f", "550 no: the server refuses PBSZ"},
	} {
		s := serve(t)
		c := s.client()
		if test.step == "PBSZ" {
			c = s.requireTLS(t)
		}
		s.script[test.step] = say("550 no\r\n")
		_, err := get(t, c, test.url)
		isLogin := strings.Contains(test.url, "u:secret") && test.step == "PASS"
		if errors.Is(err, fs.ErrNotExist) || !errors.Is(err, fs.ErrPermission) || errors.Is(err, access.ErrLogin) != isLogin || !strings.HasSuffix(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("after 550 to %s: %v, want %q", test.step, err, test.want)
		}
	}
}

// Put fails if the server stores the file under another name. A server that keeps one such name is not asked again.
func TestChangedNames(t *testing.T) {
	trim := func(name string) string { return strings.Trim(name, " ") }
	unquote := func(name string) string { return strings.ReplaceAll(name, `"`, "") }
	for _, test := range []struct {
		names  []string
		change func(string) string
		isErr  bool
		lists  int // the number of listings
	}{
		{[]string{"a ", "b "}, strings.Clone, false, 1},
		{[]string{"a "}, trim, true, 1},
		{[]string{`a"b`, `c"d"`}, strings.Clone, false, 1},
		{[]string{`a"b`}, unquote, true, 1},
		{[]string{"a.", `b'`, `c\d`}, strings.Clone, false, 3},
		{[]string{"a.txt", "b c", "caf\xc3\xa9"}, trim, false, 0},
	} {
		s := serve(t)
		for _, verb := range []string{"STOR", "RNFR", "RNTO", "SIZE", "DELE"} {
			s.script[verb] = func(c *control) {
				c.arg = test.change(c.arg)
				c.defaultAnswer(verb)(c)
			}
		}
		s.script["NLST"] = func(c *control) {
			c.mu.Lock()
			var names strings.Builder
			for name := range c.files {
				names.WriteString(name + "\r\n")
			}
			c.mu.Unlock()
			send(names.String(), "226 done\r\n")(c)
		}
		c, _ := s.pooledClient(t)
		for _, name := range test.names {
			err := putFile(t, c, "ftp://h/"+url.Escape(name, url.Set{}), "content")
			if (err != nil) != test.isErr || test.isErr && !strings.Contains(err.Error(), "the server changes the name") {
				t.Errorf("Put of %q = %v, want an error: %v", name, err, test.isErr)
			}
		}
		lists := 0
		for _, command := range s.allCommands() {
			if command == "NLST" {
				lists++
			}
		}
		if lists != test.lists || test.isErr && len(s.files) > 0 {
			t.Errorf("Put of %q lists %d times and leaves %q, want %d", test.names, lists, s.files, test.lists)
		}
	}
}

// Twisted reads commands as Latin-1, and writes listings in UTF-8. A name beyond Latin-1 cannot be sent. The login is sent in UTF-8.
func TestLatin1Commands(t *testing.T) {
	for _, test := range []struct {
		greeting string
		name     string
		want     string // the name that the server reads, if it reads Latin-1
		isErr    bool
	}{
		{"220 Twisted 22.4.0 FTP Server\r\n", "h\u00fcte \u00ff", "h\u00fcte \u00ff", false},
		{"220 Twisted 22.4.0 FTP Server\r\n", "h\xfcte", "h\u00fcte", false}, // a name in another character set
		{"220 Twisted 22.4.0 FTP Server\r\n", "\u65e5\u672c", "", true},
		{"220 ready\r\n", "h\u00fcte", "h\u00c3\u00bcte", false},
	} {
		s := serve(t)
		s.script["greeting"] = say(test.greeting)
		s.reads = func(line string) string {
			var text strings.Builder
			for _, b := range []byte(line) {
				text.WriteRune(rune(b))
			}
			return text.String()
		}
		err := putFile(t, s.client(), "ftp://%C3%A4:secret@h/"+url.Escape(test.name, url.Set{}), "content")
		if (err != nil) != test.isErr || test.isErr && (!errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "Latin-1")) {
			t.Errorf("Put of %q after %q = %v, want an error: %v", test.name, test.greeting, err, test.isErr)
		}
		if _, ok := s.files[test.want]; ok == test.isErr || test.isErr && len(s.files) > 0 {
			t.Errorf("Put of %q after %q leaves %q, want %q", test.name, test.greeting, s.files, test.want)
		}
		if command := s.allCommands()[0]; command != "USER \u00c3\u00a4" {
			t.Errorf("the login after %q begins with %q, want the user name in UTF-8", test.greeting, command)
		}
	}
}

// Twisted lists a link to a directory as a directory, and its DELE refuses both. A file below such a link is in another
// directory, so the error must not say that the name is a directory, as a refusal of DELE does.
func TestTwistedLink(t *testing.T) {
	for _, test := range []struct {
		name    string
		listing string
		rmd     string
		isLink  bool
	}{
		{"a link", "-rw-r--r--   1 u g 1 Nov 21 02:02 f\r\n", "550 x: is not a directory\r\n", true},
		{"a directory", "-rw-r--r--   1 u g 1 Nov 21 02:02 f\r\n", "550 Requested action not taken: internal server error\r\n", false},
		{"an empty directory", "", "250 removed, and it must not be\r\n", false},
	} {
		s := serve(t)
		s.script["greeting"] = say("220 Twisted 22.4.0 FTP Server\r\n")
		s.script["DELE"], s.script["RMD"] = say("550 x: is a directory\r\n"), say(test.rmd)
		s.script["MDTM"], s.script["LIST"] = say("213 20261121020208\r\n"), send(test.listing, "226 done\r\n")
		_, err := s.client().Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse("ftp://h/x")})
		failed, ok := errors.AsType[*access.Error](err)
		if !ok || !errors.Is(err, fs.ErrPermission) || (failed.Reply == nil) != test.isLink {
			t.Errorf("Delete of %s = %v, want an error without the reply: %v", test.name, err, test.isLink)
		}
		if slices.Contains(s.allCommands(), "RMD ../x") != (test.listing != "") {
			t.Errorf("Delete of %s sends %q", test.name, s.allCommands())
		}
	}
}
