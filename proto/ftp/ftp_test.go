package ftp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/ftp"
	"locus/url"
)

func now() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

var login = []string{"USER anonymous", "PASS anonymous@"}

// commands is the command log of doc/conformance.md. It has the commands that
// each URL sends, without the login, FEAT, EPSV and QUIT.
var commands = []struct {
	url  string
	want []string
}{
	{"ftp://h/f", []string{"TYPE I", "SIZE f", "MDTM f", "RETR f"}},
	{"ftp://h/a/b/f", []string{"CWD a", "CWD b", "TYPE I", "SIZE f", "MDTM f", "RETR f"}},
	{"ftp://h/%2Fetc/motd", []string{"CWD /etc", "TYPE I", "SIZE motd", "MDTM motd", "RETR motd"}},
	{"ftp://h/etc/motd", []string{"CWD etc", "TYPE I", "SIZE motd", "MDTM motd", "RETR motd"}},
	{"ftp://h//etc/motd", []string{"CWD ", "CWD etc", "TYPE I", "SIZE motd", "MDTM motd", "RETR motd"}},
	{"ftp://h/a/b%2Fc/motd", []string{"CWD a", "CWD b/c", "TYPE I", "SIZE motd", "MDTM motd", "RETR motd"}},
	{"ftp://h/a//motd", []string{"CWD a", "CWD ", "TYPE I", "SIZE motd", "MDTM motd", "RETR motd"}},
	{"ftp://h/%2Fetc%2Fmotd", []string{"TYPE I", "SIZE /etc/motd", "MDTM /etc/motd", "RETR /etc/motd"}},
	{"ftp://h/../f", []string{"CWD ..", "TYPE I", "SIZE f", "MDTM f", "RETR f"}},
	{"ftp://h/f;type=a", []string{"TYPE A", "MDTM f", "RETR f"}},
	{"ftp://h/f;type=A", []string{"TYPE A", "MDTM f", "RETR f"}},
	{"ftp://h/f;type=i", []string{"TYPE I", "SIZE f", "MDTM f", "RETR f"}},
	{"ftp://h/f;type=an", []string{"TYPE A N", "MDTM f", "RETR f"}},
	{"ftp://h/f;type=et", []string{"TYPE E T", "MDTM f", "RETR f"}},
	{"ftp://h/f;type=l8", []string{"TYPE L 8", "MDTM f", "RETR f"}},
	{"ftp://h/a/dir;type=d", []string{"CWD a", "NLST dir"}},
	{"ftp://h/a/dir/;type=d", []string{"CWD a", "CWD dir", "NLST"}},
	{"ftp://h/;type=d", []string{"NLST"}},
	{"ftp://h/p%20q/r%3Bs", []string{"CWD p q", "TYPE I", "SIZE r;s", "MDTM r;s", "RETR r;s"}},
	{"ftp://h/%20/%20", []string{"CWD  ", "TYPE I", "SIZE  ", "MDTM  ", "RETR  "}},
	{"ftp://h/caf%E9", []string{"TYPE I", "SIZE caf\xe9", "MDTM caf\xe9", "RETR caf\xe9"}},
	{"ftp://h/%FF", []string{"TYPE I", "SIZE \xff\xff", "MDTM \xff\xff", "RETR \xff\xff"}},
	{"ftp://h/a?b", []string{"TYPE I", "SIZE a?b", "MDTM a?b", "RETR a?b"}},
	{"ftp://h/f#part", []string{"TYPE I", "SIZE f", "MDTM f", "RETR f"}},
	{"ftp://h/pub/", []string{"CWD pub", "LIST"}},
	{"ftp://h/", []string{"LIST"}},
	{"ftp://h", []string{"LIST"}},
	{"ftp://h//", []string{"CWD ", "LIST"}},
}

// req: 1738-3.2-2
// req: 1738-3.2-3
// req: 1738-3.2-4
// req: 1738-3.2-9
// req: 1630-ftp-1
func TestCommands(t *testing.T) {
	for _, test := range commands {
		for _, std := range []url.Standard{url.RFC3986, url.RFC1738} {
			u, err := std.Parse(test.url)
			if err != nil {
				continue // RFC 1738 has no fragments
			}
			s := serve(t)
			for _, name := range []string{"f", "motd", "/etc/motd", "r;s", " ", "caf\xe9", "\xff\xff", "a?b"} {
				s.files[name] = "content of " + name
			}
			for _, command := range []string{"LIST", "NLST", "NLST dir"} {
				s.listings[command] = ""
			}
			r, err := s.client().Do(t.Context(), &access.Request{URL: u})
			if err != nil {
				t.Errorf("Open(%q) = %v", test.url, err)
				continue
			}
			content, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil {
				t.Errorf("reading %q = %q, %v", test.url, content, err)
			}
			if got, want := s.sentCommands(), slices.Concat(login, test.want); !slices.Equal(got, want) {
				t.Errorf("Open(%q) sends %q, want %q", test.url, got, want)
			}
		}
	}
}

// TestCommandLog checks that the document equals the table.
func TestCommandLog(t *testing.T) {
	doc, err := os.ReadFile("../../doc/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range commands {
		path := cmp.Or(strings.TrimPrefix(test.url, "ftp://h"), test.url)
		shown := strings.NewReplacer("\xe9", `\xe9`, "\xff", `\xff`).Replace(strings.Join(test.want, "` `"))
		if row := fmt.Sprintf("| `%s` | `%s` |\n", path, shown); !strings.Contains(string(doc), row) {
			t.Errorf("doc/conformance.md has no row %s", row)
		}
	}
}

var hostile = []string{
	"ftp://h/x%0D%0ADELE%20y",
	"ftp://h/x%0ADELE%20y",
	"ftp://h/x%0D",
	"ftp://h/x%00",
	"ftp://h/a%0D%0ADELE%20y/x",
	"ftp://h/a%0Ab/",
	"ftp://h/%00/x",
	"ftp://h/a%0Ab;type=d",
	"ftp://u%0D%0ADELE%20y@h/x",
	"ftp://u%0A@h/x",
	"ftp://u%00@h/x",
	"ftp://u:p%0D%0ADELE%20y@h/x",
	"ftp://u:p%00@h/x",
	"ftp://h/x;type=i%0D%0ADELE",
}

// req: 1738-6-2
func TestHostile(t *testing.T) {
	for _, hostile := range hostile {
		c := ftp.Client{Dial: func(context.Context, string, string) (net.Conn, error) {
			t.Errorf("Open(%q) dials", hostile)
			return nil, errors.New("no")
		}}
		req := &access.Request{URL: url.MustParse(hostile)}
		if _, err := c.Do(t.Context(), req); err == nil {
			t.Errorf("Open(%q) is not refused", hostile)
		}
		if _, err := c.Do(t.Context(), req.WithOp(access.Stat)); err == nil {
			t.Errorf("Stat(%q) is not refused", hostile)
		}
	}
}

// req: 1738-3.2-6
func TestLogin(t *testing.T) {
	tests := []struct {
		name   string
		url    string
		email  string
		typed  string // the answer to the prompt; "" if there is none
		script map[string]answer
		want   []string
		prompt string // user that was prompted for; "" for no prompt
		fails  error
	}{
		{name: "anonymous", url: "ftp://h/f", want: login},
		{name: "with an address", url: "ftp://h/f", email: "me@example.org", want: []string{"USER anonymous", "PASS me@example.org"}},
		{
			name: "no password asked", url: "ftp://h/f", script: map[string]answer{"USER": say("230 come in\r\n")},
			want: []string{"USER anonymous"},
		},
		{name: "user and password", url: "ftp://me:my%20%40pass@h/f", want: []string{"USER me", "PASS my @pass"}},
		{name: "user and empty password", url: "ftp://me:@h/f", typed: "not asked", want: []string{"USER me", "PASS "}},
		{name: "empty user", url: "ftp://:p@h/f", want: []string{"USER ", "PASS p"}},
		{
			name: "user alone", url: "ftp://me%20too@h/f", typed: "secret", want: []string{"USER me too", "PASS secret"},
			prompt: `password for "me too" at h`,
		},
		{
			name: "user alone, no password asked", url: "ftp://me@h/f", typed: "secret",
			script: map[string]answer{"USER": say("230 come in\r\n")}, want: []string{"USER me"},
		},
		{name: "nobody to ask", url: "ftp://me@h/f", want: []string{"USER me"}, fails: access.ErrPassword},
		{name: "hostile answer", url: "ftp://me@h/f", typed: "a\r\nDELE b", want: []string{"USER me"}, fails: errAny, prompt: `password for "me" at h`},
		{
			name: "wrong password", url: "ftp://me:wrong@h/f", script: map[string]answer{"PASS": say("530 no\r\n")},
			want: []string{"USER me", "PASS wrong"}, fails: access.ErrLogin,
		},
		{
			name: "user refused", url: "ftp://me@h/f", script: map[string]answer{"USER": say("530 no\r\n")},
			want: []string{"USER me"}, fails: access.ErrLogin,
		},
		{
			name: "anonymous refused", url: "ftp://h/f", script: map[string]answer{"PASS": say("530 no\r\n")},
			want: login, fails: fs.ErrPermission,
		},
		{
			name: "account after USER", url: "ftp://me:p@h/f", script: map[string]answer{"USER": say("332 account\r\n")},
			want: []string{"USER me"}, fails: errors.ErrUnsupported,
		},
		{
			name: "account after PASS", url: "ftp://me:p@h/f", script: map[string]answer{"PASS": say("332 account\r\n")},
			want: []string{"USER me", "PASS p"}, fails: errors.ErrUnsupported,
		},
		{name: "PASS superfluous", url: "ftp://me:p@h/f", script: map[string]answer{"PASS": say("202 why not\r\n")}, want: []string{"USER me", "PASS p"}},
		{name: "greeting in two", url: "ftp://h/f", script: map[string]answer{"greeting": say("120 wait\r\n220-hello\r\n220 there\r\n")}, want: login},
		{name: "too busy", url: "ftp://h/f", script: map[string]answer{"greeting": say("421 too many users\r\n")}, fails: errAny},
		{name: "not FTP", url: "ftp://h/f", script: map[string]answer{"greeting": say("SSH-2.0-x\r\n")}, fails: access.ErrProtocol},
		{name: "no greeting", url: "ftp://h/f", script: map[string]answer{"greeting": hangUp}, fails: io.ErrUnexpectedEOF},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "content"
			s.script = test.script
			c := s.client()
			c.Email = test.email
			var prompt string
			req := &access.Request{URL: url.MustParse(test.url)}
			if test.typed != "" {
				req.Login = func(_ context.Context, c access.Challenge) (access.Credentials, error) {
					prompt = c.Prompt()
					return access.Credentials{Password: test.typed}, nil
				}
			}
			r, err := c.Do(t.Context(), req)
			if err == nil {
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
			if (err == nil) != (test.fails == nil) || test.fails != errAny && !errors.Is(err, test.fails) {
				t.Errorf("Open = %v, want %v", err, test.fails)
			}
			got := s.sentCommands()
			if got = got[:min(len(got), len(test.want))]; !slices.Equal(got, test.want) {
				t.Errorf("Open sends %q, want %q", s.sentCommands(), test.want)
			}
			if test.fails != nil && len(s.sentCommands()) > len(test.want) {
				t.Errorf("Open goes on to send %q", s.sentCommands()[len(test.want):])
			}
			if prompt != test.prompt {
				t.Errorf("asked %q, want %q", prompt, test.prompt)
			}
		})
	}
}

// errAny stands for any error.
var errAny = errors.New("any error")

// req: 1738-3.2-5
func TestGuessedType(t *testing.T) {
	tests := []struct{ name, want string }{
		{"README.txt", "A"},
		{"readme.TXT", "A"},
		{"a.text", "A"},
		{"index.html", "A"},
		{"INDEX.HTM", "A"},
		{"a.tar.gz", "I"},
		{"a.txt.gz", "I"},
		{"blob.bin", "I"},
		{"main.c", "I"},
		{"README", "I"},
		{"txt", "I"},
		{"a.txt%20", "I"},
		{".txt", "A"},
	}
	for _, test := range tests {
		s := serve(t)
		s.script["RETR"] = send("x", "226 done\r\n")
		if _, err := get(t, s.client(), "ftp://h/"+test.name); err != nil {
			t.Errorf("get(%q) = %v", test.name, err)
		}
		if want := "TYPE " + test.want; !slices.Contains(s.sentCommands(), want) {
			t.Errorf("for %q the client sends %q, want %q among them", test.name, s.sentCommands(), want)
		}
	}
}

// With UnixText the lines of a text in type A end in LF.
func TestUnixText(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"f;type=a", "one\ntwo\n"},
		{"f;type=an", "one\ntwo\n"},
		{"f;type=i", "one\r\ntwo\r\n"},
		{"f", "one\r\ntwo\r\n"},
	} {
		s := serve(t)
		s.script["RETR"] = send("one\r\ntwo\r\n", "226 done\r\n")
		c := s.client()
		c.UnixText = true
		if got, err := get(t, c, "ftp://h/"+test.name); err != nil || got != test.want {
			t.Errorf("get(%q) = %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// req: 1738-3.2-7
func TestOneConnectionPerAccess(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c := s.client()
	for range 3 {
		if _, err := get(t, c, "ftp://h/a/f"); err != nil {
			t.Fatal(err)
		}
	}
	var controls int
	for _, address := range s.dialed {
		if address == "h:21" {
			controls++
		}
	}
	if controls != 3 {
		t.Errorf("three accesses dial %q, want three control connections", s.dialed)
	}
}

func TestAddress(t *testing.T) {
	tests := []struct{ url, want string }{
		{"ftp://h/f", "h:21"},
		{"ftp://h:/f", "h:21"},
		{"ftp://h:2121/f", "h:2121"},
		{"ftp://[::1]/f", "[::1]:21"},
		{"ftp://[::1]:2121/f", "[::1]:2121"},
	}
	for _, test := range tests {
		s := serve(t)
		s.files["f"] = "content"
		_, err := get(t, s.client(), test.url)
		if err != nil || s.dialed[0] != test.want {
			t.Errorf("get(%q) dials %q (%v), want %q first", test.url, s.dialed, err, test.want)
		}
	}
}

func TestNotFound(t *testing.T) {
	tests := []struct {
		name   string
		url    string
		script map[string]answer
		is     error
		reply  int
		hint   string // a part of the hint
		text   string // a part of the error
	}{
		{name: "file", url: "ftp://h/nope", is: fs.ErrNotExist, reply: 550, hint: `end the URL with "/"`},
		{
			name: "file that SIZE knows", url: "ftp://h/f",
			script: map[string]answer{"SIZE": say("213 5\r\n"), "RETR": say("550 gone\r\n"), "CWD": say("550 no\r\n"), "NLST": send("g\r\n", "226 done\r\n")},
			is:     fs.ErrNotExist, reply: 550,
		},
		{name: "read only", url: "ftp://h/x", script: map[string]answer{"RETR": say("550 Read-only file system\r\n")}, is: fs.ErrPermission, reply: 550},
		{name: "forbidden file", url: "ftp://h/x", script: map[string]answer{"RETR": say("550 Permission denied.\r\n")}, is: fs.ErrPermission, reply: 550},
		{
			name: "not a file", url: "ftp://h/sub", script: map[string]answer{"RETR": say("550 sub: Not a regular file\r\n")},
			is: fs.ErrNotExist, reply: 550, hint: `end the URL with "/"`, text: "it is not a regular file",
		},
		{
			name: "not a file, with a size", url: "ftp://h/sub",
			script: map[string]answer{"SIZE": say("213 4096\r\n"), "RETR": say("550 Is a directory.\r\n")},
			is:     fs.ErrNotExist, reply: 550, hint: `end the URL with "/"`, text: "it is not a regular file",
		},
		{
			name: "directory", url: "ftp://h/nope/f",
			script: map[string]answer{"CWD": say("550 no\r\n"), "NLST": send("f\r\n", "226 done\r\n")}, is: fs.ErrNotExist, reply: 550,
		},
		{name: "empty CWD", url: "ftp://h//f", script: map[string]answer{"CWD": say("550 no\r\n")}, is: fs.ErrPermission, reply: 550, hint: "/%2F"},
		{name: "empty CWD", url: "ftp://h//f", script: map[string]answer{"CWD": say("501 no\r\n")}, is: errAny, reply: 501, hint: "/%2F"},
		{name: "not without a name", url: "ftp://h/f", script: map[string]answer{"PASS": say("530 no\r\n")}, is: fs.ErrPermission, reply: 530, hint: "ftp://user@host/"},
		{name: "not by this name", url: "ftp://me:x@h/f", script: map[string]answer{"PASS": say("530 no\r\n")}, is: fs.ErrPermission, reply: 530},
		{name: "type", url: "ftp://h/f;type=e", script: map[string]answer{"TYPE": say("504 no\r\n")}, is: errors.ErrUnsupported, reply: 504},
		{name: "busy", url: "ftp://h/f", script: map[string]answer{"RETR": say("450 busy\r\n")}, is: errAny, reply: 450},
		{name: "other scheme", url: "http://h/f", is: errors.ErrUnsupported},
		{name: "listing", url: "ftp://h/", is: errors.ErrUnsupported, reply: 502},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.script = test.script
			_, err := get(t, s.client(), test.url)
			if err == nil || test.is != errAny && !errors.Is(err, test.is) || !strings.HasSuffix(err.Error(), test.text) {
				t.Errorf("get(%q) = %v, want %v, %q", test.url, err, test.is, test.text)
			}
			e, ok := errors.AsType[*access.Error](err)
			if !ok || e.Op != "open" || e.URL.String() != test.url {
				t.Fatalf("get(%q) = %#v, want an *access.Error with the URL", test.url, err)
			}
			if (e.Reply == nil) != (test.reply == 0) || e.Reply != nil && e.Reply.Code != test.reply {
				t.Errorf("get(%q) has the reply %v, want %d", test.url, e.Reply, test.reply)
			}
			if hint := access.Hint(err); !strings.Contains(hint, test.hint) || (hint == "") != (test.hint == "") {
				t.Errorf("get(%q) has the hint %q, want %q", test.url, hint, test.hint)
			}
		})
	}
}

// req: 1738-6-3
func TestPasswordIsNotShown(t *testing.T) {
	const secret = "sesame"
	for verb, a := range map[string]answer{
		"USER": say("530 who is sesame\r\n"),
		"PASS": say("530 sesame is wrong\r\n"),
		"CWD":  say("550 no, sesame\r\n"),
		"RETR": send("half", "426 sesame\r\n"),
		"EPSV": say("229 sesame\r\n"),
	} {
		s := serve(t)
		s.script[verb] = a
		_, err := get(t, s.client(), "ftp://me:sesame@h/a/f")
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("with a server that says it in answer to %s: %v", verb, err)
		}
	}
	s := serve(t)
	s.listings["LIST"] = "-rw-r--r--   1 a b 3000 Nov 21 02:02 blob.bin\r\n"
	r, err := s.client().Do(t.Context(), &access.Request{URL: url.MustParse("ftp://me:sesame@h/pub/")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	e, err := l.Next()
	if err != nil || e.URL.String() != "ftp://me@h/pub/blob.bin" {
		t.Errorf("an entry of the listing has the URL %q, %v, want it without the password", e.URL, err)
	}
}

func TestNoDial(t *testing.T) {
	if _, err := (ftp.Client{}).Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")}); !errors.Is(err, access.ErrNoDial) {
		t.Errorf("Open without Dial = %v, want access.ErrNoDial", err)
	}
}

// req: 1738-6-2
func TestContract(t *testing.T) {
	const content = "these are\r\nthe bytes\x00\xff\n"
	s := serve(t)
	s.files["f"] = content
	s.listings["LIST"] = "total 2\r\n-rw-r--r-- 1 a b 3000 Nov 21 02:02 blob.bin\r\ndrwxr-xr-x 2 a b 4096 Nov 21 02:02 sub\r\n"
	s.files["short"] = content
	s.script["RETR short"] = send(content[:5], "426 aborted\r\n")
	s.script["SIZE stalled"] = say("213 10\r\n")
	s.script["RETR stalled"] = func(c *control) {
		conn := <-c.data
		c.reply("150 here it comes\r\n")
		io.WriteString(conn, "half")
		io.Copy(io.Discard, conn) // until the client gives up
	}
	s.script["ABOR"], s.script["PWD"] = func(*control) {}, say("257 \"/\"\r\n")
	s.script["PASS sesame"] = say("530 sesame is wrong\r\n")
	var bad []url.URL
	for _, u := range hostile {
		bad = append(bad, url.MustParse(u))
	}
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		New:       func(dial proto.Dial) access.Engine { return ftp.Client{Dial: dial, Now: now} },
		Dial:      s.Dial,
		Object:    url.MustParse("ftp://h/a/f"),
		Content:   content,
		Missing:   url.MustParse("ftp://h/a/nope"),
		Listing:   url.MustParse("ftp://h/a/"),
		Titles:    []string{"blob.bin", "sub"},
		Truncated: url.MustParse("ftp://h/short"),
		Stalled:   url.MustParse("ftp://h/stalled"),
		Hostile:   bad,
		Changing:  url.MustParse("ftp://h/a/stored"),
		Secret:    url.MustParse("ftp://me:sesame@h/f"),
	})
}

func ExampleClient() {
	var dialer net.Dialer
	client := ftp.Client{Dial: dialer.DialContext, Email: "me@example.org"}
	_, err := client.Do(context.Background(), &access.Request{URL: url.MustParse("ftp://h/x%0D%0ADELE%20y")})
	fmt.Println(err)
	// Output: open ftp://h/x%0D%0ADELE%20y: file name has CR at offset 1, which would end the command
}
