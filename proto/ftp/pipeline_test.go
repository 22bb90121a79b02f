package ftp_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/ftp"
	"locus/url"
)

// pipelining are greetings of servers that answer queued commands in order.
var pipelining = []string{"220 (vsFTPd 3.0.5)\r\n", "220 ProFTPD Server (Debian)\r\n", "220-Welcome to Pure-FTPd [TLS]\r\n220 Ready\r\n"}

// servePipelined returns a server with this greeting and three files, and a client that keeps connections.
func servePipelined(t testing.TB, greeting string) (*server, ftp.Client) {
	s := serve(t)
	s.buffered = true
	for _, name := range []string{"a", "b", "c"} {
		s.files[name] = "content of " + name
	}
	s.script["greeting"] = say(greeting)
	s.script["FEAT"] = say("211-Features:\r\n MFMT\r\n211 End\r\n")
	s.script["MFMT"] = say("213 Modify\r\n")
	c, pool := s.pooledClient(t)
	pool.Idle = -1
	return s, c
}

// commandsAfter returns the commands that were sent after the first n, without QUIT, and with temporary names
// normalised.
func (s *server) commandsAfter(n int) []string {
	var list []string
	for _, c := range s.allCommands()[n:] {
		if c != "QUIT" {
			list = append(list, partName.ReplaceAllString(c, ".PART"))
		}
	}
	return list
}

// getKnown gets a file of servePipelined whose attributes the caller knows.
func getKnown(t testing.TB, c ftp.Client, name string) (string, error) {
	r, err := c.Do(t.Context(), &access.Request{
		URL: url.MustParse("ftp://h/" + name), Known: &access.Entry{Size: int64(len("content of " + name)), ModTime: now()},
	})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	return string(content), err
}

// put replaces a file with content, in one request of known size.
func put(t testing.TB, c ftp.Client, name, content string) error {
	_, err := c.Do(t.Context(), &access.Request{
		Op: access.Put, URL: url.MustParse("ftp://h/" + name), Body: strings.NewReader(content), Size: int64(len(content)), ModTime: now(),
	})
	return err
}

// The second download and later ones take two round trips: to connect for data, and for RETR. The EPSV of the next
// download is sent with RETR.
func TestPipelinedDownload(t *testing.T) {
	for _, greeting := range pipelining {
		s, c := servePipelined(t, greeting)
		for _, name := range []string{"a", "b", "c", "nope", "a"} {
			got, err := getKnown(t, c, name)
			if want := s.content(name); got != want || (err == nil) != (want != "") {
				t.Errorf("%q: get %s = %q, %v, want %q", greeting, name, got, err, want)
			}
		}
		c.Pool.Close()
		s.all.Wait()
		want := []string{"TYPE I", "EPSV", "RETR a", "EPSV", "RETR b", "EPSV", "RETR c", "EPSV", "RETR nope", "EPSV", "RETR a", "EPSV"}
		if got := s.commandsAfter(len(login)); !slices.Equal(got, want) {
			t.Errorf("%q: sends\n%q, want\n%q", greeting, got, want)
		}
	}
}

// The second upload and later ones take three round trips: to connect for data, for STOR, the data and the checks of
// the file, and for RNTO.
func TestPipelinedUpload(t *testing.T) {
	for _, greeting := range pipelining {
		s, c := servePipelined(t, greeting)
		setTime := "MFMT"
		if strings.Contains(greeting, "vsFTPd") {
			setTime = "MDTM"
			s.script["MDTM"] = say("213 File modification time set.\r\n")
		}
		for _, content := range []string{"one", "two", ""} {
			if err := put(t, c, "f", content); err != nil || s.content("f") != content {
				t.Fatalf("%q: Put %q = %v, leaves %q", greeting, content, err, s.content("f"))
			}
		}
		c.Pool.Close()
		s.all.Wait()
		want := []string{"TYPE I", "RNFR f.PART", "EPSV", "STOR f.PART", "SIZE f.PART", setTime + " 20261121120000 f.PART", "RNFR f.PART", "RNTO f", "EPSV"}
		for range 2 {
			want = append(want, "STOR f.PART", "EPSV", "SIZE f.PART", setTime+" 20261121120000 f.PART", "RNFR f.PART", "RNTO f")
		}
		if got := slices.DeleteFunc(s.commandsAfter(len(login)), func(c string) bool { return c == "FEAT" }); !slices.Equal(got, want) {
			t.Errorf("%q: sends\n%q, want\n%q", greeting, got, want)
		}
		if got := s.storedFiles(); len(got) != 4 {
			t.Errorf("%q: leaves %q", greeting, got)
		}
	}
}

// These uploads are not pipelined: the SIZE of the file is sent after the reply to STOR.
func TestUploadNotPipelined(t *testing.T) {
	for _, test := range []struct {
		name     string
		greeting string
		content  string
		change   func(c *ftp.Client, req *access.Request)
	}{
		{name: "another server", greeting: "220 ready\r\n", content: "x"},
		{name: "a large file", content: strings.Repeat("x", 64<<10+1)},
		{name: "a size that is unknown", content: "x", change: func(_ *ftp.Client, req *access.Request) { req.Size = -1 }},
		{name: "an account", content: "x", change: func(c *ftp.Client, _ *access.Request) { c.Account = "a" }},
		{name: "no Pool", content: "x", change: func(c *ftp.Client, _ *access.Request) { c.Pool = nil }},
		{name: "a name that the server may change", content: "x", change: func(_ *ftp.Client, req *access.Request) { req.URL = url.MustParse("ftp://h/%20f") }},
		{name: "commands of two segments", content: "x", change: func(_ *ftp.Client, req *access.Request) {
			req.URL = url.MustParse("ftp://h/" + strings.Repeat("f", 200))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.greeting == "" {
				test.greeting = pipelining[0]
			}
			s, c := servePipelined(t, test.greeting)
			s.script["NLST"] = func(c *control) { c.transfer("150 names\r\n", strings.Join(s.names(), "\r\n")+"\r\n", "226 done\r\n") }
			stored := false
			s.script["STOR"] = func(c *control) {
				stored = c.lines.Buffered() == 0
				c.defaultAnswer("STOR")(c)
			}
			req := &access.Request{Op: access.Put, URL: url.MustParse("ftp://h/f"), Body: strings.NewReader(test.content), Size: int64(len(test.content))}
			if test.change != nil {
				test.change(&c, req)
			}
			if _, err := c.Do(t.Context(), req); err != nil {
				t.Fatalf("Put = %v", err)
			}
			if !stored {
				t.Error("other commands come in one write with STOR")
			}
		})
	}
}

// names returns the names of the files.
func (s *server) names() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.files {
		list = append(list, name)
	}
	return list
}

// replaceScript adds answers to the script while the server is idle. restore removes them.
func (s *server) replaceScript(script map[string]answer) (restore func()) {
	synctest.Wait() // the server reads no script
	before := maps.Clone(s.script)
	maps.Copy(s.script, script)
	return func() {
		synctest.Wait()
		s.script = before
	}
}

// ignore does not answer a command.
func ignore(*control) {}

// A server that answers queued commands in another order, or not at all, gives no wrong file. The Pool remembers it, so a
// new attempt succeeds without queued commands.
func TestDisorderedDownload(t *testing.T) {
	for _, test := range []struct {
		name   string
		script map[string]answer
		is     error // of the download
		after  bool  // the download has an effect on the next one only
	}{
		{name: "the replies change places", is: access.ErrTemporary, script: map[string]answer{
			"RETR": send("content of b", ""), "EPSV": say("229 Extended Passive Mode (|||40010|)\r\n226 done\r\n"),
		}},
		{name: "the command is refused too early", is: access.ErrTemporary, script: map[string]answer{
			"RETR": send("content of b", "450 EPSV: data transfer in progress\r\n226 done\r\n"), "EPSV": ignore,
		}},
		{name: "the command is unknown", is: access.ErrTemporary, script: map[string]answer{
			"RETR": send("content of b", "500 Unknown command\r\n226 done\r\n"), "EPSV": ignore,
		}},
		{name: "a reply to another command", is: access.ErrTemporary, script: map[string]answer{
			"RETR": send("content of b", "213 12\r\n226 done\r\n"), "EPSV": ignore,
		}},
		{name: "the end of the transfer is missing", is: access.ErrTemporary, script: map[string]answer{"RETR": send("content of b", "")}},
		{name: "the reply is missing", after: true, script: map[string]answer{"EPSV": ignore}},
		{name: "the transfer ends twice", after: true, script: map[string]answer{"RETR": send("content of b", "226 done\r\n226 done\r\n")}},
		{name: "one reply too many", after: true, script: map[string]answer{"EPSV": say("229 Extended Passive Mode (|||40010|)\r\n200 done\r\n")}},
		{name: "half of the file, and a missing end", is: access.ErrTemporary, script: map[string]answer{
			"RETR": send("content", ""), "EPSV": say("229 Extended Passive Mode (|||40010|)\r\n426 broken\r\n"),
		}},
		{name: "another file", is: access.ErrChanged, script: map[string]answer{"RETR": send("other content", "226 done\r\n")}},
		{name: "an error in the middle", is: access.ErrTemporary, script: map[string]answer{"RETR": send("content", "426 broken\r\n")}},
	} {
		for _, greeting := range pipelining {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // a missing reply ends the idle limit in fake time
					s, c := servePipelined(t, greeting)
					for range 2 {
						if got, err := getKnown(t, c, "a"); got != "content of a" || err != nil {
							t.Fatalf("get a = %q, %v", got, err)
						}
					}
					restore := s.replaceScript(test.script)
					got, err := getKnown(t, c, "b")
					if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) || err == nil && got != "content of b" {
						t.Errorf("get b = %q, %v, want %v", got, err, test.is)
					}
					restore()
					for _, name := range []string{"c", "a", "b"} {
						if got, err := getKnown(t, c, name); got != "content of "+name || err != nil {
							t.Errorf("then get %s = %q, %v", name, got, err)
						}
					}
					s.checkDisordered(t, test.after || test.is == access.ErrTemporary && !strings.Contains(test.name, "middle"))
				})
			})
		}
	}
}

// A Put is executed again if its kept connection was closed, even if its Body was read.
func TestPipelinedUploadStale(t *testing.T) {
	for _, test := range []struct {
		name     string
		controls int
		close    func(s *server)
	}{
		{"while it was idle", 2, func(s *server) {
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, conn := range s.open {
				conn.Close()
			}
			clear(s.waiting)
			s.refused = true
		}},
		{"after the data", 3, func(s *server) { // one of them removes the part
			closed := false
			s.replaceScript(map[string]answer{"STOR": func(c *control) {
				if closed {
					c.defaultAnswer("STOR")(c)
					return
				}
				closed = true
				if conn, ok := c.accept(); ok {
					_, _ = io.ReadAll(conn)
				}
				c.hungUp = true
			}})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := servePipelined(t, pipelining[1])
				for _, content := range []string{"one", "two"} {
					if err := put(t, c, "f", content); err != nil {
						t.Fatalf("Put %q = %v", content, err)
					}
				}
				test.close(s)
				if err := put(t, c, "f", "three"); err != nil || s.content("f") != "three" {
					t.Errorf("Put = %v, leaves %q", err, s.content("f"))
				}
				if got := s.controlConnections(); got != test.controls {
					t.Errorf("%d control connections, want %d", got, test.controls)
				}
			})
		})
	}
}

// checkDisordered checks that the last transfer on the server had no queued commands, or that it had some.
func (s *server) checkDisordered(t *testing.T, want bool) {
	t.Helper()
	synctest.Wait()
	last := s.allCommands()
	if got := last[len(last)-1] != "EPSV"; got != want {
		t.Errorf("the last commands are %q; the server is known as disordered: %v, want %v", last[len(last)-3:], got, want)
	}
}

// An upload to a server that answers queued commands in another order, or not at all, or with an error, replaces a file
// by the whole upload or not at all.
func TestDisorderedUpload(t *testing.T) {
	const old, content = "old", "new content"
	port := "229 Extended Passive Mode (|||40010|)\r\n"
	refuse := func(text string) answer {
		return func(c *control) {
			if conn, ok := c.accept(); ok {
				conn.Close()
			}
			c.reply(text)
		}
	}
	for _, test := range []struct {
		name   string
		script map[string]answer
		is     error
	}{
		{name: "the size comes first", is: access.ErrTemporary, script: map[string]answer{
			"STOR": receiveAll(""), "EPSV": ignore, "SIZE": say("213 11\r\n426 broken\r\n" + port),
		}},
		{name: "the port comes first", is: access.ErrTemporary, script: map[string]answer{
			"STOR": receiveAll(""), "EPSV": say(port + "226 done\r\n"),
		}},
		{name: "size and port change places", is: access.ErrTemporary, script: map[string]answer{
			"EPSV": ignore, "SIZE": say("213 11\r\n" + port),
		}},
		{name: "size and time change places", is: access.ErrTemporary, script: map[string]answer{
			"SIZE": say("213 Modify\r\n"), "MFMT": say("213 11\r\n"), "MDTM": say("213 11\r\n"),
		}},
		{name: "the rename comes first", is: access.ErrTemporary, script: map[string]answer{
			"SIZE": say("350 to what\r\n"), "RNFR": say("213 11\r\n"),
		}},
		{name: "the size is missing", is: access.ErrTemporary, script: map[string]answer{"SIZE": ignore}},
		{name: "all are missing", is: access.ErrTemporary, script: map[string]answer{
			"STOR": receiveAll("500 Unknown command\r\n226 done\r\n"), "EPSV": ignore, "SIZE": ignore, "MFMT": ignore, "MDTM": ignore, "RNFR": ignore,
		}},
		{name: "one reply too many", is: access.ErrTemporary, script: map[string]answer{"RNFR": say("350 to what\r\n250 done\r\n")}},
		{name: "the last is missing", is: access.ErrTemporary, script: map[string]answer{"RNFR": ignore}},
		{name: "refused", is: fs.ErrPermission, script: map[string]answer{"STOR": refuse("553 no\r\n")}},
		{name: "full", is: access.ErrFull, script: map[string]answer{"STOR": receiveAll("452 full\r\n")}},
		{name: "broken", is: access.ErrTemporary, script: map[string]answer{"STOR": receiveAll("426 broken\r\n")}},
		{name: "fewer bytes", is: io.ErrUnexpectedEOF, script: map[string]answer{"STOR": receiveSome(3)}},
		{name: "no RNFR", is: fs.ErrPermission, script: map[string]answer{"RNFR": say("553 no\r\n")}},
		{name: "no port", script: map[string]answer{"EPSV": say("500 no\r\n"), "PASV": say("500 no\r\n")}},
		{name: "no SIZE", script: map[string]answer{"SIZE": say("550 no\r\n")}},
		{name: "hung up", is: io.ErrUnexpectedEOF, script: map[string]answer{"STOR": func(c *control) { receiveAll("226 done\r\n")(c); c.hungUp = true }}},
	} {
		for _, greeting := range pipelining {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, c := servePipelined(t, greeting)
					c.Idle = time.Second
					s.script["MDTM"] = say("213 File modification time set.\r\n")
					for range 2 {
						if err := put(t, c, "f", old); err != nil {
							t.Fatalf("Put %q = %v", old, err)
						}
					}
					restore := s.replaceScript(test.script)
					err := put(t, c, "f", content)
					if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
						t.Errorf("Put = %v, want %v", err, test.is)
					}
					restore()
					want := content
					if err != nil {
						want = old
					}
					if got := s.content("f"); got != want {
						t.Errorf("Put = %v, and leaves %q, want %q", err, got, want)
					}
					if err := put(t, c, "f", "last"); err != nil || s.content("f") != "last" {
						t.Errorf("then Put = %v, leaves %q", err, s.content("f"))
					}
					if got := s.storedFiles(); len(got) != 4 {
						t.Errorf("the files are %q, want no part among them", got)
					}
				})
			})
		}
	}
}

// A server that answers in another order must not pass a part of a file for the whole, even of a file whose size is unknown.
func TestDisorderedUnknownSize(t *testing.T) {
	timeOnly := &access.Entry{Size: -1, ModTime: now()}
	port := "229 Extended Passive Mode (|||40010|)\r\n"
	noReply := map[string]answer{"EPSV": ignore, "SIZE": ignore, "MDTM": ignore}
	for _, test := range []struct {
		name  string
		known *access.Entry
		retr  answer
	}{
		{"the port comes first", timeOnly, func(c *control) { c.transfer(port+"150 go on\r\n", "content", "451 broken\r\n") }},
		{"the transfer comes first", nil, func(c *control) {
			c.transfer("150 go on\r\n", "content", "451 broken\r\n"+port+"213 12\r\n213 20261121020208\r\n")
		}},
		{"the time comes last", nil, func(c *control) {
			c.transfer("213 12\r\n150 go on\r\n", "content", "451 broken\r\n"+port+"213 20261121020208\r\n")
		}},
		{"the end of another transfer", timeOnly, func(c *control) { c.transfer("226 done\r\n150 go on\r\n", "content", "451 broken\r\n"+port) }},
	} {
		for _, greeting := range pipelining {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s, c := servePipelined(t, greeting)
					getText := func(name string) (string, error) {
						r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/" + name + ";type=a"), Known: test.known})
						if err != nil {
							return "", err
						}
						defer r.Body.Close()
						content, err := io.ReadAll(r.Body)
						return string(content), err
					}
					for range 2 {
						if got, err := getText("a"); got != "content of a" || err != nil {
							t.Fatalf("%q: get a = %q, %v", greeting, got, err)
						}
					}
					script := maps.Clone(noReply)
					script["RETR"] = test.retr
					restore := s.replaceScript(script)
					if got, err := getText("b"); !errors.Is(err, access.ErrTemporary) {
						t.Errorf("%q: get b = %q, %v, want %v", greeting, got, err, access.ErrTemporary)
					}
					restore()
					if got, err := getText("b"); got != "content of b" || err != nil {
						t.Errorf("%q: then get b = %q, %v", greeting, got, err)
					}
				})
			})
		}
	}
}

// A failed upload leaves neither a part nor a rename that has begun. Proftpd refuses all commands but RNTO after RNFR.
func TestFailedUploadEndsRename(t *testing.T) {
	for _, greeting := range pipelining {
		s, c := servePipelined(t, greeting)
		s.script["MDTM"] = say("213 File modification time set.\r\n")
		isRenaming, isFull := false, false
		for _, verb := range []string{"TYPE", "EPSV", "STOR", "SIZE", "DELE"} {
			s.script[verb] = func(c *control) {
				switch {
				case isRenaming:
					c.reply("501 Bad sequence of commands\r\n")
				case isFull && verb == "STOR":
					receiveAll("452 full\r\n")(c)
				default:
					c.defaultAnswer(verb)(c)
				}
			}
		}
		for verb, begins := range map[string]bool{"RNFR": true, "RNTO": false} {
			s.script[verb] = func(c *control) {
				isRenaming = begins && c.content(c.arg) != ""
				c.defaultAnswer(verb)(c)
			}
		}
		for _, test := range []struct {
			content string
			isFull  bool
			want    error
		}{{"one", false, nil}, {"two", false, nil}, {"three", true, access.ErrFull}, {"four", false, nil}} {
			isFull = test.isFull
			if err := put(t, c, "f", test.content); !errors.Is(err, test.want) {
				t.Errorf("%q: Put %q = %v, want %v", greeting, test.content, err, test.want)
			}
		}
		if got := s.storedFiles(); s.content("f") != "four" || len(got) != 4 {
			t.Errorf("%q: the files are %q, want the last upload and no part", greeting, got)
		}
	}
}
