package ftp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"golang.org/x/text/encoding/charmap"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/ftp"
	"locus/url"
)

// partName matches the suffix of a temporary name.
var partName = regexp.MustCompile(`\.part-[0-9a-f]{8}`)

// probeName matches the suffix of a name that checkRename asks for.
var probeName = regexp.MustCompile(`\.part-[0-9a-f]{8}$`)

// changeCommands returns the commands after the login, with temporary names
// normalised.
func (s *server) changeCommands() []string {
	s.all.Wait()
	var list []string
	sent := s.allCommands()
	for _, c := range sent[min(2, len(sent)):] {
		if c != "EPSV" && c != "QUIT" && c != "FEAT" {
			list = append(list, partName.ReplaceAllString(c, ".PART"))
		}
	}
	return list
}

var errDisk = errors.New("the disk is gone")

// Put sends these commands and leaves these files. After every error the file is
// unchanged.
//
// req: 1738-2-1
// req: 1738-3.2-8
func TestStore(t *testing.T) {
	const old, content = "old", "new content"
	then := time.Date(1994, 12, 20, 9, 30, 15, 0, time.UTC)
	begin := []string{"CWD a", "TYPE I", "RNFR f.PART"}
	sent := append(slices.Clone(begin), "STOR f.PART")
	whole := append(slices.Clone(sent), "SIZE f.PART", "RNFR f.PART", "RNTO f")
	broken := map[string]answer{"STOR": receiveAll(""), "ABOR": say("426 broken\r\n226 aborted\r\n"), "PWD": say("257 \"/\"\r\n")}
	tests := []struct {
		name   string
		path   string // "" means /a/f
		req    access.Request
		client ftp.Client
		script map[string]answer
		body   io.Reader // nil means content
		want   []string
		left   map[string]string // nil: the new content under its name alone
		is     error
		hint   string
	}{
		{name: "replace", want: whole},
		{name: "without SIZE", script: map[string]answer{"SIZE": say("502 what\r\n")}, want: whole},
		{
			name: "with a time", req: access.Request{ModTime: then}, want: append(slices.Clone(sent), "SIZE f.PART", "MFMT 19941220093015 f.PART", "RNFR f.PART", "RNTO f"),
			script: map[string]answer{"FEAT": say("211-x\r\n MFMT\r\n211 y\r\n"), "MFMT": say("213 done\r\n")},
		},
		{name: "with a time that the server cannot keep", req: access.Request{ModTime: then}, want: whole},
		{
			name: "as vsftpd sets times", req: access.Request{ModTime: then}, script: map[string]answer{"greeting": say("220 (vsFTPd 3.0.3)\r\n"), "MDTM": say("213 done\r\n")},
			want: append(slices.Clone(sent), "SIZE f.PART", "MDTM 19941220093015 f.PART", "RNFR f.PART", "RNTO f"),
		},
		{
			name: "with a mode", client: ftp.Client{Mode: "644"}, script: map[string]answer{"SITE": say("200 done\r\n")},
			want: append(slices.Clone(sent), "SIZE f.PART", "SITE CHMOD 644 f.PART", "RNFR f.PART", "RNTO f"),
		},
		{
			name: "lines", path: "/a/f;type=a", body: strings.NewReader("a\nb\r\nc\r\n\n"), left: map[string]string{"f": "a\r\nb\r\nc\r\n\r\n"},
			want: []string{"CWD a", "TYPE A", "RNFR f.PART", "STOR f.PART", "RNFR f.PART", "RNTO f"},
		},
		{name: "nothing", body: strings.NewReader(""), left: map[string]string{"f": ""}, want: whole},
		{name: "byte by byte", body: iotest.OneByteReader(strings.NewReader(content)), want: whole},
		{name: "direct", client: ftp.Client{Direct: true}, want: []string{"CWD a", "TYPE I", "STOR f", "SIZE f"}},
		{name: "this version", req: access.Request{IfMatch: version(0)}, want: slices.Insert(slices.Clone(whole), 2, "MDTM f")},

		{name: "another version", req: access.Request{IfMatch: version(1)}, want: []string{"CWD a", "TYPE I", "MDTM f"}, left: map[string]string{"f": old}, is: access.ErrChanged},
		{name: "a version by tag", req: access.Request{IfMatch: access.Validator{ETag: `"x"`}}, want: []string{"CWD a", "TYPE I", "MDTM f"}, left: map[string]string{"f": old}, is: access.ErrChanged},
		{name: "there already", req: access.Request{IfAbsent: true}, want: []string{"CWD a", "TYPE I", "MDTM f"}, left: map[string]string{"f": old}, is: fs.ErrExist},
		{
			name: "nobody renames", script: map[string]answer{"RNFR": say("550 Permission denied.\r\n")}, want: begin,
			left: map[string]string{"f": old}, is: fs.ErrPermission, hint: "into the file itself",
		},
		{name: "no RNFR", script: map[string]answer{"RNFR": say("502 what\r\n")}, want: begin, left: map[string]string{"f": old}, is: errors.ErrUnsupported, hint: "into the file itself"},
		{
			name: "no renaming over a file", script: map[string]answer{"RNTO": say("553 f exists\r\n")}, want: append(slices.Clone(whole), "DELE f.PART"),
			left: map[string]string{"f": old}, is: fs.ErrPermission, hint: "into the file itself",
		},
		{name: "closed", script: map[string]answer{"RNFR": say("421 bye\r\n")}, want: begin, left: map[string]string{"f": old}, is: access.ErrTemporary},
		{name: "refused", script: map[string]answer{"STOR": say("553 no\r\n")}, want: sent, left: map[string]string{"f": old}, is: fs.ErrPermission},
		{name: "busy", script: map[string]answer{"STOR": say("450 later\r\n")}, want: sent, left: map[string]string{"f": old}, is: access.ErrTemporary},
		{
			name: "no directory", script: map[string]answer{"CWD": say("550 no\r\n"), "NLST": send("f\r\n", "226 done\r\n")}, want: []string{"CWD a", "NLST"},
			left: map[string]string{"f": old}, is: fs.ErrNotExist,
		},
		{
			name: "full", script: map[string]answer{"STOR": receiveAll("452 full\r\n")}, want: append(slices.Clone(sent), "DELE f.PART"),
			left: map[string]string{"f": old}, is: access.ErrFull,
		},
		{name: "full from the start", script: map[string]answer{"STOR": say("552 quota\r\n")}, want: sent, left: map[string]string{"f": old}, is: access.ErrFull},
		{
			name: "later", script: map[string]answer{"STOR": receiveAll("451 later\r\n")}, want: append(slices.Clone(sent), "DELE f.PART"),
			left: map[string]string{"f": old}, is: access.ErrTemporary,
		},
		{
			name: "fewer bytes", script: map[string]answer{"SIZE": say("213 3\r\n")}, want: append(slices.Clone(sent), "SIZE f.PART", "DELE f.PART"),
			left: map[string]string{"f": old}, is: io.ErrUnexpectedEOF,
		},
		{
			name: "not deleted", script: map[string]answer{"RNTO": say("550 no\r\n"), "DELE": say("550 no\r\n")}, want: append(slices.Clone(whole), "DELE f.PART", "NLST"),
			left: map[string]string{"f": old, "f.PART": content}, is: fs.ErrPermission, hint: ".part-",
		},
		{
			name: "the body breaks off", body: io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errDisk)),
			script: broken, want: append(slices.Clone(sent), "ABOR", "PWD", "DELE f.PART"), left: map[string]string{"f": old}, is: errDisk,
		},
		{
			name: "the connection breaks off", script: map[string]answer{"STOR": func(c *control) { receiveAll("")(c); c.hungUp = true }},
			want: slices.Concat(sent, login, []string{"CWD a", "DELE f.PART"}), left: map[string]string{"f": old}, is: io.ErrUnexpectedEOF,
		},
		{
			name: "lines break off", path: "/a/f;type=a", body: &failsOnce{"half\n", errDisk}, script: broken,
			want: []string{"CWD a", "TYPE A", "RNFR f.PART", "STOR f.PART", "ABOR", "PWD", "DELE f.PART"}, left: map[string]string{"f": old}, is: errDisk,
		},
		{
			name: "direct, breaks off", client: ftp.Client{Direct: true}, body: io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errDisk)),
			script: broken, want: []string{"CWD a", "TYPE I", "STOR f", "ABOR", "PWD", "DELE f"}, left: map[string]string{}, is: errDisk,
		},
		{name: "a directory", path: "/a/", left: map[string]string{"f": old}, is: errors.ErrUnsupported},
		{name: "a listing", path: "/a/f;type=d", left: map[string]string{"f": old}, is: errors.ErrUnsupported},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the reply to ABOR times out in fake time
				s := serve(t)
				s.files["f"] = old
				for verb, a := range test.script {
					s.script[verb] = a
				}
				c := test.client
				c.Dial, c.Now = s.Dial, now
				if test.body == nil {
					test.body = strings.NewReader(content)
				}
				if test.path == "" {
					test.path = "/a/f"
				}
				test.req.URL = url.MustParse("ftp://h" + test.path)
				err := accesstest.Change(t.Context(), c, access.Put, &test.req, test.body)
				if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
					t.Errorf("Put = %v, want %v", err, test.is)
				}
				if hint := access.Hint(err); !strings.Contains(hint, test.hint) || test.hint == "" && hint != "" {
					t.Errorf("the hint is %q, want %q in it", hint, test.hint)
				}
				if got := s.changeCommands(); !slices.Equal(got, test.want) {
					t.Errorf("Put sends\n%q, want\n%q", got, test.want)
				}
				if test.left == nil {
					test.left = map[string]string{"f": content}
				}
				if got := s.storedFiles(); !equal(got, test.left) {
					t.Errorf("Put leaves %q, want %q", got, test.left)
				}
			})
		})
	}
}

// version is the version in which every file of the server is, plus some
// seconds.
func version(seconds int) access.Validator {
	return access.Validator{ModTime: time.Date(2026, 11, 21, 2, 2, 8+seconds, 0, time.UTC)}
}

// receiveAll receives an upload and answers after.
func receiveAll(after string) answer {
	return func(c *control) {
		conn, ok := c.accept()
		if !ok {
			return
		}
		c.reply("150 go on\r\n")
		data, _ := io.ReadAll(conn)
		c.set(c.arg, string(data), true)
		c.reply(after)
	}
}

// receiveSome receives an upload, keeps n bytes of it, and answers 226.
func receiveSome(n int) answer {
	return func(c *control) {
		receiveAll("")(c)
		c.set(c.arg, c.content(c.arg)[:n], true)
		c.reply("226 done\r\n")
	}
}

// storedFiles returns the files, with temporary names normalised.
func (s *server) storedFiles() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := map[string]string{}
	for name, content := range s.files {
		files[partName.ReplaceAllString(name, ".PART")] = content
	}
	return files
}

func equal(a, b map[string]string) bool {
	for name := range a {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

// A cancelled Put removes its partial file on another connection.
func TestStoreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the removal has a timeout
		s := serve(t)
		s.files["f"] = "old"
		ctx, cancel := context.WithCancel(t.Context())
		req := &access.Request{URL: url.MustParse("ftp://me@h/f"), Login: func(context.Context, access.Challenge) (access.Credentials, error) {
			return access.Credentials{Password: "sesame"}, nil
		}}
		err := accesstest.Change(ctx, s.client(), access.Put, req, io.MultiReader(strings.NewReader("half"), funcReader(cancel), strings.NewReader("more"), iotest.ErrReader(errDisk)))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Put = %v, want context.Canceled", err)
		}
		s.all.Wait()
		if got := s.storedFiles(); !equal(got, map[string]string{"f": "old"}) {
			t.Errorf("Put leaves %q", got)
		}
		if s.controlConnections() != 2 || !slices.Contains(s.allCommands(), "PASS sesame") {
			t.Errorf("%d control connections, and %q", s.controlConnections(), s.allCommands())
		}
	})
}

func TestResume(t *testing.T) {
	for _, test := range []struct {
		name   string
		path   string
		offset int64
		script map[string]answer
		left   string
		is     error
	}{
		{name: "the rest", path: "/f", offset: 5, left: "0123456789"},
		{name: "size unknown", path: "/f", offset: 5, script: map[string]answer{"SIZE": say("502 what\r\n")}, left: "0123456789"},
		{name: "there is more", path: "/f", offset: 4, left: "01234", is: access.ErrChanged},
		{name: "there is less", path: "/f", offset: 6, left: "01234", is: access.ErrRange},
		{name: "no REST", path: "/f", offset: 5, script: map[string]answer{"REST": say("502 what\r\n")}, left: "01234", is: errors.ErrUnsupported},
		{name: "text", path: "/f;type=a", offset: 5, left: "01234", is: errors.ErrUnsupported},
	} {
		s := serve(t)
		s.files["f"] = "01234"
		for verb, a := range test.script {
			s.script[verb] = a
		}
		_, err := s.client().Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader("56789"), Size: -1, URL: url.MustParse("ftp://h" + test.path), Offset: test.offset})
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) || s.files["f"] != test.left {
			t.Errorf("%s: %v leaves %q, want %v, %q", test.name, err, s.files["f"], test.is, test.left)
		}
	}
}

// A failed Put with a Part leaves the file of that name if a later Put may succeed, and a Put with
// an Offset continues it.
func TestStorePart(t *testing.T) {
	const old, part = "old", "f.part-0123456789abcdef"
	long := strings.Repeat("long", 100<<8)
	hangsUp := func(c *control) { receiveAll("")(c); c.hungUp = true }
	for _, test := range []struct {
		name   string
		req    access.Request
		there  string // of the part
		script map[string]answer
		body   io.Reader // nil means "56789"
		want   []string  // the last commands
		left   map[string]string
		is     error
	}{
		{
			name: "from the start", there: "wrong", body: strings.NewReader("0123456789"),
			want: []string{"TYPE I", "RNFR f.PART", "STOR " + part, "SIZE " + part, "RNFR " + part, "RNTO f"}, left: map[string]string{"f": "0123456789"},
		},
		{name: "the connection breaks off", script: map[string]answer{"STOR": hangsUp}, left: map[string]string{"f": old, part: "56789"}, is: io.ErrUnexpectedEOF},
		{name: "busy", script: map[string]answer{"STOR": receiveAll("426 later\r\n")}, left: map[string]string{"f": old, part: "56789"}, is: access.ErrTemporary},
		{
			name: "the body breaks off", body: io.MultiReader(strings.NewReader("56"), iotest.ErrReader(io.ErrUnexpectedEOF)),
			script: map[string]answer{"STOR": receiveAll(""), "ABOR": say("426 broken\r\n226 aborted\r\n")}, left: map[string]string{"f": old, part: "56"}, is: io.ErrUnexpectedEOF,
		},
		{
			name: "the body is gone", body: io.MultiReader(strings.NewReader("56"), iotest.ErrReader(errDisk)),
			script: map[string]answer{"STOR": receiveAll(""), "ABOR": say("426 broken\r\n226 aborted\r\n")}, left: map[string]string{"f": old}, is: errDisk,
		},
		{name: "full", script: map[string]answer{"STOR": receiveAll("452 full\r\n")}, left: map[string]string{"f": old}, is: access.ErrFull},
		{name: "full, by another code", script: map[string]answer{"STOR": receiveAll("451 cannot write\r\n")}, left: map[string]string{"f": old}, is: access.ErrTemporary},
		{
			// The bytes were on their way when the connection broke.
			name: "fewer bytes than were sent", script: map[string]answer{"STOR": receiveSome(3)}, left: map[string]string{"f": old, part: "567"}, is: io.ErrUnexpectedEOF,
		},
		{
			name: "a long rest", there: "01234", req: access.Request{Offset: 5}, body: strings.NewReader(long),
			want: []string{"SIZE " + part, "REST 5", "STOR " + part, "SIZE " + part, "REST 65541", "STOR " + part, "SIZE " + part, "RNFR " + part, "RNTO f"},
			left: map[string]string{"f": "01234" + long},
		},
		{
			name: "REST is a lie, of a long rest", there: "01234", req: access.Request{Offset: 5}, body: strings.NewReader(long), script: map[string]answer{"REST": say("350 yes\r\n")},
			want: []string{"SIZE " + part, "REST 5", "STOR " + part, "SIZE " + part, "DELE " + part}, left: map[string]string{"f": old}, is: io.ErrUnexpectedEOF,
		},
		{
			name: "the rest", there: "01234", req: access.Request{Offset: 5},
			want: []string{"SIZE " + part, "REST 5", "STOR " + part, "SIZE " + part, "RNFR " + part, "RNTO f"}, left: map[string]string{"f": "0123456789"},
		},
		{
			name: "nothing is left to send", there: "0123456789", req: access.Request{Offset: 10, Size: 0}, body: strings.NewReader(""),
			want: []string{"SIZE " + part, "SIZE " + part, "RNFR " + part, "RNTO f"}, left: map[string]string{"f": "0123456789"},
		},
		{name: "there is more", there: "012345", req: access.Request{Offset: 5}, left: map[string]string{"f": old, part: "012345"}, is: access.ErrChanged},
		{name: "there is less", there: "0", req: access.Request{Offset: 5}, left: map[string]string{"f": old, part: "0"}, is: access.ErrRange},
		{name: "there is none", req: access.Request{Offset: 5}, left: map[string]string{"f": old}, is: errors.ErrUnsupported},
		{name: "no REST", there: "01234", req: access.Request{Offset: 5}, script: map[string]answer{"REST": say("502 what\r\n")}, left: map[string]string{"f": old, part: "01234"}, is: errors.ErrUnsupported},
		{
			// A server that accepts REST and then starts at 0.
			name: "REST is ignored", there: "01234", req: access.Request{Offset: 5}, script: map[string]answer{"REST": say("350 yes\r\n")}, left: map[string]string{"f": old}, is: io.ErrUnexpectedEOF,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t)
				s.files["f"] = old
				if test.there != "" {
					s.files[part] = test.there
				}
				for verb, a := range test.script {
					s.script[verb] = a
				}
				test.req.URL, test.req.Part = url.MustParse("ftp://h/f"), part[1:]
				if test.name != "nothing is left to send" {
					test.req.Size = -1
				}
				if test.body == nil {
					test.body, test.req.Size = strings.NewReader("56789"), 5
				}
				test.req.Op, test.req.Body = access.Put, test.body
				_, err := s.client().Do(t.Context(), &test.req)
				if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
					t.Errorf("Put = %v, want %v", err, test.is)
				}
				s.all.Wait()
				sent := s.sentCommands()
				for i := range sent {
					sent[i] = probeName.ReplaceAllString(sent[i], ".PART")
				}
				if !slices.Equal(sent[max(len(sent)-len(test.want), 0):], test.want) {
					t.Errorf("Put sends\n%q, want\n%q", sent, test.want)
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if !equal(s.files, test.left) {
					t.Errorf("Put leaves %.200q, want %.200q", fmt.Sprint(s.files), fmt.Sprint(test.left))
				}
			})
		})
	}
}

// A failsOnce returns text, then an error, then io.EOF.
type failsOnce struct {
	text string
	err  error
}

func (f *failsOnce) Read(p []byte) (int, error) {
	if f.text != "" {
		n := copy(p, f.text)
		f.text = f.text[n:]
		return n, nil
	}
	err := f.err
	f.err = io.EOF
	return 0, err
}

// req: 1738-3.2-8
func TestAppend(t *testing.T) {
	for _, test := range []struct {
		name   string
		path   string
		script map[string]answer
		file   string // directory of the file
		left   string
		added  string
		is     error
	}{
		{name: "to a file", path: "/a/f", file: "f", left: "old new"},
		{name: "to none", path: "/a/g", file: "g", left: " new"},
		{name: "short", path: "/a/f", script: map[string]answer{"APPE": receiveAll("226 done\r\n")}, file: "f", left: " new", is: io.ErrUnexpectedEOF},
		{name: "refused", path: "/a/f", script: map[string]answer{"APPE": say("550 no\r\n")}, file: "f", left: "old", is: fs.ErrPermission},
		{name: "to a directory", path: "/a/", file: "unique.1", left: " new", added: "ftp://h/a/unique.1"},
		{
			name: "named at the end", path: "/a/", file: "STOU", left: " new", added: "ftp://h/a/x%3By",
			script: map[string]answer{"STOU": func(c *control) { c.arg = "STOU"; receiveAll("226 complete (unique file name:x;y).\r\n")(c) }},
		},
		{name: "not named", path: "/a/", file: "", script: map[string]answer{"STOU": receiveAll("226 done\r\n")}, left: " new"},
		{name: "named elsewhere", path: "/a/", file: "", script: map[string]answer{"STOU": receiveAll("226 done (unique file name:/etc/x)\r\n")}, left: " new"},
		{name: "to a listing", path: "/a;type=d", file: "f", left: "old", is: errors.ErrUnsupported},
	} {
		s := serve(t)
		s.files["f"] = "old"
		for verb, a := range test.script {
			s.script[verb] = a
		}
		added, err := accesstest.Add(t.Context(), s.client(), access.Append, &access.Request{URL: url.MustParse("ftp://h" + test.path)}, strings.NewReader(" new"))
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) || added.String() != test.added || s.storedFiles()[test.file] != test.left {
			t.Errorf("%s: %q, %v leaves %q; want %q, %v, %q", test.name, added, err, s.storedFiles()[test.file], test.added, test.is, test.left)
		}
	}
}

func TestDeleteAndMake(t *testing.T) {
	for _, test := range []struct {
		op     access.Op
		path   string
		script map[string]answer
		want   []string
		is     error
	}{
		{op: access.Delete, path: "/a/f", want: []string{"CWD a", "DELE f"}},
		{op: access.Delete, path: "/a/nope", want: []string{"CWD a", "DELE nope", "MDTM nope"}, is: fs.ErrNotExist},
		{op: access.Delete, path: "/f", script: map[string]answer{"DELE": say("550 failed\r\n")}, want: []string{"DELE f", "MDTM f", "CWD f"}, is: fs.ErrPermission},
		{op: access.Delete, path: "/a/b/", script: map[string]answer{"RMD": say("250 gone\r\n")}, want: []string{"CWD a", "RMD b"}},
		{op: access.Delete, path: "/a/b;type=d", script: map[string]answer{"RMD": say("250 gone\r\n")}, want: []string{"CWD a", "RMD b"}},
		{op: access.Delete, path: "/a/b/", script: map[string]answer{"RMD": say("550 failed\r\n")}, want: []string{"CWD a", "RMD b", "CWD b"}, is: fs.ErrPermission},
		{
			op: access.Delete, path: "/b/", script: map[string]answer{"RMD": say("550 no\r\n"), "CWD": say("550 no\r\n"), "NLST": send("f\r\n", "226 done\r\n")},
			want: []string{"RMD b", "CWD b", "NLST"}, is: fs.ErrNotExist,
		},
		{op: access.Delete, path: "/", is: errors.ErrUnsupported},
		{op: access.Delete, path: "", is: errors.ErrUnsupported},
		{op: access.Delete, path: "/a//", is: errors.ErrUnsupported},
		{op: access.MakeDir, path: "/a/b/", script: map[string]answer{"MKD": say("257 \"/a/b\"\r\n")}, want: []string{"CWD a", "MKD b"}},
		{op: access.MakeDir, path: "/a/b", script: map[string]answer{"MKD": say("257 \"/a/b\"\r\n")}, want: []string{"CWD a", "MKD b"}},
		{op: access.MakeDir, path: "/b", script: map[string]answer{"MKD": say("550 failed\r\n")}, want: []string{"MKD b", "CWD b"}, is: fs.ErrExist},
		{op: access.MakeDir, path: "/b", script: map[string]answer{"MKD": say("521 \"/b\"\r\n")}, want: []string{"MKD b"}, is: fs.ErrExist},
		{op: access.MakeDir, path: "/b", script: map[string]answer{"MKD": say("550 b: File exists\r\n")}, want: []string{"MKD b"}, is: fs.ErrExist},
		{op: access.MakeDir, path: "/b", script: map[string]answer{"MKD": say("550 Permission denied\r\n"), "CWD": say("550 no\r\n")}, want: []string{"MKD b", "CWD b"}, is: fs.ErrPermission},
		{op: access.MakeDir, path: "/", is: errors.ErrUnsupported},
	} {
		s := serve(t)
		s.files["f"] = "old"
		for verb, a := range test.script {
			s.script[verb] = a
		}
		err := accesstest.Change(t.Context(), s.client(), test.op, &access.Request{URL: url.MustParse("ftp://h" + test.path)}, nil)
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("%s %q: %v, want %v", test.op, test.path, err, test.is)
		}
		if got := s.changeCommands(); !slices.Equal(got, test.want) {
			t.Errorf("%s %q sends %q, want %q", test.op, test.path, got, test.want)
		}
	}
}

// A change on a reused connection starts with NOOP. If the connection is closed, the change is made
// once, on a new connection.
func TestChangeOnce(t *testing.T) {
	s := serve(t)
	s.files["f"], s.files["g"] = "f", "g"
	c, _ := s.pooledClient(t)
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse("ftp://h/f")}); err != nil {
		t.Fatal(err)
	}
	s.script["NOOP"] = func(c *control) { delete(s.script, "NOOP"); c.hungUp = true }
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse("ftp://h/g")}); err != nil {
		t.Error(err)
	}
	if want := slices.Concat(login, []string{"DELE f", "NOOP"}, login, []string{"DELE g"}); !slices.Equal(s.sentCommands(), want) {
		t.Errorf("sends %q, want %q", s.sentCommands(), want)
	}
}

// A name with CR, LF or NUL is refused before dialing, for every operation.
//
// req: 1738-6-2
func TestHostileChanges(t *testing.T) {
	c := ftp.Client{Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("dials")
		return nil, errDisk
	}}
	for _, hostile := range hostile {
		req := &access.Request{URL: url.MustParse(hostile)}
		appended := accesstest.Change(t.Context(), c, access.Append, req, strings.NewReader(""))
		for op, err := range map[string]error{
			"Put": accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("")), "Append": appended,
			"Delete": accesstest.Change(t.Context(), c, access.Delete, req, nil), "MakeDir": accesstest.Change(t.Context(), c, access.MakeDir, req, nil),
		} {
			if err == nil || errors.Is(err, errDisk) {
				t.Errorf("%s(%q) = %v", op, hostile, err)
			}
		}
	}
}

func TestCharset(t *testing.T) {
	s := serve(t)
	s.files["caf\xe9"] = "content"
	s.listings["LIST"] = "-rw-r--r-- 1 a b 7 Nov 21 02:02 caf\xe9\r\n"
	c := s.client()
	c.Charset = charmap.ISO8859_1
	if got, err := get(t, c, "ftp://h/m%C3%BCll/caf%C3%A9"); err != nil || got != "content" {
		t.Errorf("get = %q, %v", got, err)
	}
	if !slices.Contains(s.sentCommands(), "CWD m\xfcll") {
		t.Errorf("sends %q, want %q among them", s.sentCommands(), "CWD m\xfcll")
	}
	all, err := entries(t, c, "ftp://h/")
	if err != nil || len(all) != 1 || all[0].Title != "café" || all[0].URL.String() != "ftp://h/caf%C3%A9" {
		t.Errorf("lists %+v, %v", all, err)
	}
	dialed := len(s.dialed)
	if _, err := get(t, c, "ftp://h/%E2%82%AC"); err == nil || len(s.dialed) > dialed {
		t.Errorf("a name that the character set cannot express: %v", err)
	}
	s = serve(t)
	s.files["f"] = "content"
	c = s.client()
	c.UTF8 = true
	get(t, c, "ftp://h/f")
	if !slices.Contains(s.sentCommands(), "OPTS UTF8 ON") {
		t.Errorf("sends %q", s.sentCommands())
	}
}

// FuzzStore is FuzzServer for an upload.
func FuzzStore(f *testing.F) {
	ok := "220 a\r\n230 b\r\n200 c\r\n550 d\r\n229 (|||40001|)\r\n150 e\r\n226 f\r\n213 7\r\n350 g\r\n250 h\r\n"
	store := func(dial proto.Dial) access.Engine {
		return access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			err := accesstest.Change(ctx, ftp.Client{Dial: dial}, access.Put, req, strings.NewReader("content"))
			if err != nil {
				return nil, err
			}
			return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: io.NopCloser(strings.NewReader(""))}, nil
		})
	}
	accesstest.Fuzz(f, store, url.MustParse("ftp://h/f"),
		[2]string{ok, ""},
		[2]string{strings.Replace(ok, "226", "426", 1), ""},
		[2]string{strings.Replace(ok, "213 7", "213 6", 1), ""},
	)
}
