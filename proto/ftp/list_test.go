package ftp_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/proto/ftp"
	"locus/scheme"
	"locus/url"
)

// listingLines are lines of listings from real servers. The current time is 2026-11-21 12:00.
var listingLines = []struct {
	command string // "" for LIST
	line    string
	title   string // "" if the line has no entry
	url     string // relative to ftp://h/d/; "" if it has none
	kind    access.Kind
	size    int64
	time    string // "" if unknown
}{
	// the format of ls -l
	{line: "total 12"},
	{line: ""},
	{line: "   "},
	{line: "-rw-r--r--   1 alice    root         3000 Nov 21 02:02 blob.bin", title: "blob.bin", url: "blob.bin", kind: access.Object, size: 3000, time: "2026-11-21 02:02"},
	{line: "-rw-r--r--    1 65534      nogroup             2 Nov 21 02:03 up.txt", title: "up.txt", url: "up.txt", kind: access.Object, size: 2, time: "2026-11-21 02:03"},
	{line: "-rw-r--r--   1 alice    root           16 Nov 21 02:02 a b;c.txt", title: "a b;c.txt", url: "a%20b%3Bc.txt", kind: access.Object, size: 16, time: "2026-11-21 02:02"},
	{line: "-rw-r--r--   1 alice    root           16 Nov 21 02:02   two before", title: "  two before", url: "%20%20two%20before", kind: access.Object, size: 16, time: "2026-11-21 02:02"},
	{line: "-rw-r--r--   1 alice    root           16 Nov 21 02:02 after ", title: "after ", url: "after%20", kind: access.Object, size: 16, time: "2026-11-21 02:02"},
	{line: "drwxr-xr-x   2 alice    root         4096 Nov 21 02:02 sub", title: "sub", url: "sub/", kind: access.Directory, size: -1, time: "2026-11-21 02:02"},
	{line: "drwxr-xr-x   2 alice    root         4096 Nov 21 02:02 sub/", title: "sub", url: "sub/", kind: access.Directory, size: -1, time: "2026-11-21 02:02"},
	{line: "drwxr-xr-x   2 alice    root         4096 Nov 21 02:02 ."},
	{line: "drwxr-xr-x   2 alice    root         4096 Nov 21 02:02 .."},
	{line: "drwxr-xr-x   2 alice    root         4096 Nov 21 02:02 ...", title: "...", url: ".../", kind: access.Directory, size: -1, time: "2026-11-21 02:02"},
	{line: "lrwxrwxrwx   1 alice    root            8 Nov 21 02:02 link -> blob.bin", title: "link", url: "link", kind: access.Link, size: -1, time: "2026-11-21 02:02"},
	{line: "-rw-r--r--   1 alice    root         3000 Dec 31 23:59 last year", title: "last year", url: "last%20year", kind: access.Object, size: 3000, time: "2025-12-31 23:59"},
	{line: "-rw-r--r--   1 alice    root         3000 Nov 22 02:00 a day ahead", title: "a day ahead", url: "a%20day%20ahead", kind: access.Object, size: 3000, time: "2026-11-22 02:00"},
	{line: "-rw-r--r--   1 alice    root         3000 Nov 23 02:00 a year ago", title: "a year ago", url: "a%20year%20ago", kind: access.Object, size: 3000, time: "2025-11-23 02:00"},
	{line: "-rw-r--r--   1 alice    root         3000 Feb 29 02:00 leap", title: "leap", url: "leap", kind: access.Object, size: 3000, time: "2024-02-29 02:00"},
	{line: "-rw-r--r--   1 alice    root         3000 Jun  3  1994 old", title: "old", url: "old", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 alice                 3000 Jun  3  1994 no group", title: "no group", url: "no%20group", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r-- 3000 Jun  3  1994 nothing", title: "nothing", url: "nothing", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 12       2026         3000 Jun  3  1994 numbers", title: "numbers", url: "numbers", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 alice    domain users  3000 Jun  3  1994 spaced group", title: "spaced group", url: "spaced%20group", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 alice    root         3000 3 Jun  1994 day first", title: "day first", url: "day%20first", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 alice    root         3000 21 Nov 02:02 day first", title: "day first", url: "day%20first", kind: access.Object, size: 3000, time: "2026-11-21 02:02"},
	{line: "-rw-r--r--   1 alice    root         3000 2026-11-21 02:02 numeric", title: "numeric", url: "numeric", kind: access.Object, size: 3000, time: "2026-11-21 02:02"},
	{line: "-rw-r--r--   1 alice    root         3000 2026-11-21 02:02:08.123456789 +0100 full", title: "full", url: "full", kind: access.Object, size: 3000, time: "2026-11-21 01:02:08"},
	{line: "-rw-r--r--+  1 alice    root         3000 Jun  3  1994 acl", title: "acl", url: "acl", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "brw-r-----   1 root     disk       8,   1 Jun  3  1994 sda1", title: "sda1", url: "sda1", kind: access.Unknown, size: -1, time: "1994-06-03 00:00"},
	{line: "drwxrwxr-x               folder        2 May 10  1996 network", title: "network", url: "network/", kind: access.Directory, size: -1, time: "1996-05-10 00:00"},
	{line: "-------r--         326  1391972  1392298 Nov 22  1995 MegaPhone.sit", title: "MegaPhone.sit", url: "MegaPhone.sit", kind: access.Object, size: 1392298, time: "1995-11-22 00:00"},
	{line: "-rw-r--r--   1 alice    root         3000 3 d\xc3\xa9c.  1994 d\xc3\xa9cembre.txt", title: "d\xc3\xa9cembre.txt", url: "d%C3%A9cembre.txt", kind: access.Object, size: 3000},
	{line: "-rw-r--r--   1 alice    root         3000 Foo 99 02:02 odd date", title: "odd date", url: "odd%20date", kind: access.Object, size: 3000},
	{line: "drwxr-xr-x   2 alice                 4096 Foo 99 02:02 no group", title: "no group", url: "no%20group/", kind: access.Directory, size: -1},
	{line: "-rw-r--r--   1 alice    root         3000 ??? nothing", title: "-rw-r--r--   1 alice    root         3000 ??? nothing", kind: access.Info, size: -1},
	{line: "d [R----F--] supervisor            512       Jan 16 18:53    login", title: "login", url: "login/", kind: access.Directory, size: -1, time: "2026-01-16 18:53"},
	{line: "- [R----F--] rhesus             214059       Oct 20 15:27 cx.exe", title: "cx.exe", url: "cx.exe", kind: access.Object, size: 214059, time: "2026-10-20 15:27"},
	{line: "-rw-r--r--   1 a b 99999999999999999999 Jun  3  1994 huge", title: "-rw-r--r--   1 a b 99999999999999999999 Jun  3  1994 huge", kind: access.Info, size: -1},
	{line: "-rw-r--r--   1 a b 5000000000 Jun  3  1994 5G", title: "5G", url: "5G", kind: access.Object, size: 5000000000, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 a b 1 Jun  3  1994 caf\xe9/\x01%", title: "caf\xe9/\x01%", url: "caf%E9%2F%01%25", kind: access.Object, size: 1, time: "1994-06-03 00:00"},
	{line: "-rw-r--r--   1 alice    root          531 Oct 08, 2002 09:47 report one.txt", title: "report one.txt", url: "report%20one.txt", kind: access.Object, size: 531, time: "2002-10-08 09:47"},
	{line: "-rw-r--r--   1 alice    root          531 09-26 2000 annual report.txt", title: "annual report.txt", url: "annual%20report.txt", kind: access.Object, size: 531, time: "2000-09-26 00:00"},
	{line: "-rw-r--r--   1 alice    root          531 09-26 13:45 this year.txt", title: "this year.txt", url: "this%20year.txt", kind: access.Object, size: 531, time: "2026-09-26 13:45"},
	{line: "drwxr-xr-x   3 alice    root          512 1999/10/12 17:12 old plan.txt", title: "old plan.txt", url: "old%20plan.txt/", kind: access.Directory, size: -1, time: "1999-10-12 17:12"},
	{line: "-rw-r--r--   1 alice    root          531 24-04-2003 17:12 new plan.txt", title: "new plan.txt", url: "new%20plan.txt", kind: access.Object, size: 531, time: "2003-04-24 17:12"},
	{line: "-rw-r--r--   1 alice    root          531 04-24-2003 17:12:30 month first.txt", title: "month first.txt", url: "month%20first.txt", kind: access.Object, size: 531, time: "2003-04-24 17:12:30"},
	{line: "-rw-r--r--   1 alice    root          531 24.04.2003 17:12 dots.txt", title: "dots.txt", url: "dots.txt", kind: access.Object, size: 531, time: "2003-04-24 17:12"},
	{line: "-rw-r--r--   1 alice    root          531 24-Apr-2003 17:12 month name.txt", title: "month name.txt", url: "month%20name.txt", kind: access.Object, size: 531, time: "2003-04-24 17:12"},
	{line: "-rw-r--r--   1 alice    root          531 Okt 08, 2002 09:47 report one.txt", title: "report one.txt", url: "report%20one.txt", kind: access.Object, size: 531},
	{line: "-rw-r--r--   1 alice    root          531 8\xe6\x9c\x88 09:47 report one.txt", title: "report one.txt", url: "report%20one.txt", kind: access.Object, size: 531},
	{line: "-rw-r--r--   1 alice    root          531 13-13 2000 odd date.txt", title: "odd date.txt", url: "odd%20date.txt", kind: access.Object, size: 531},
	{line: "-rw-r--r--   1 alice    root         3000 Jun  3  1994 09:47 report.txt", title: "09:47 report.txt", url: "09%3A47%20report.txt", kind: access.Object, size: 3000, time: "1994-06-03 00:00"},
	{line: "drw-r--rw   1 alice    root         3000 Jun  3  1994 nine", title: "nine", url: "nine/", kind: access.Directory, size: -1, time: "1994-06-03 00:00"},
	{line: "drwxr-x   2  10  4096 Dec 10 14:32 pollq", title: "pollq", url: "pollq/", kind: access.Directory, size: -1, time: "2025-12-10 14:32"},

	// dir
	{line: "11-21-26  02:02AM       <DIR>          sub", title: "sub", url: "sub/", kind: access.Directory, size: -1, time: "2026-11-21 02:02"},
	{line: "11-21-26  02:02PM                 3000 blob bin", title: "blob bin", url: "blob%20bin", kind: access.Object, size: 3000, time: "2026-11-21 14:02"},
	{line: "11-21-2026  14:02            3,000,000 blob.bin", title: "blob.bin", url: "blob.bin", kind: access.Object, size: 3000000, time: "2026-11-21 14:02"},
	{line: "01-02-98  12:00AM                    1 a", title: "a", url: "a", kind: access.Object, size: 1, time: "1998-01-02 00:00"},
	{line: "2026-11-21  14:02       <JUNCTION>     link [C:\\x]", title: "link", url: "link", kind: access.Link, size: -1, time: "2026-11-21 14:02"},
	{line: "11-21-26  02:02AM       what           sub", title: "11-21-26  02:02AM       what           sub", kind: access.Info, size: -1},

	// EPLF
	{line: "+i8388621.48594,m825718503,r,s280,\tdjb.html", title: "djb.html", url: "djb.html", kind: access.Object, size: 280, time: "1996-03-01 22:15:03"},
	{line: "+i8388621.50690,m824255907,/,\t514", title: "514", url: "514/", kind: access.Directory, size: -1, time: "1996-02-13 23:58:27"},
	{line: "+i8388621.48594,m825718503,r,s280,\r\n\tdjb.html", title: "djb.html", url: "djb.html", kind: access.Object, size: 280, time: "1996-03-01 22:15:03"},
	{line: "+i8388621.48594,m825718503,r,s280,\r\ndjb one.html", title: "djb one.html", url: "djb%20one.html", kind: access.Object, size: 280, time: "1996-03-01 22:15:03"},
	{line: "+1 for this server", title: "+1 for this server", kind: access.Info, size: -1},
	{line: "+\tplain", title: "plain", url: "plain", kind: access.Unknown, size: -1},

	// VMS
	{line: "README.TXT;4            25/27     27-MAY-2003 13:19:30  [SYSTEM]  (RWED,RWED,RE,)", title: "README.TXT;4", url: "README.TXT%3B4", kind: access.Object, size: -1, time: "2003-05-27 13:19:30"},
	{line: "CORE.MAR;1               12/12     8-SEP-1996 16:09 [MANAGER] (RWED,RWED,RE,)", title: "CORE.MAR;1", url: "CORE.MAR%3B1", kind: access.Object, size: -1, time: "1996-09-08 16:09"},
	{line: "SUB.DIR;1                1/3     27-MAY-2003 13:19:30  [SYSTEM]  (RWED,RWED,RE,)", title: "SUB", url: "SUB/", kind: access.Directory, size: -1, time: "2003-05-27 13:19:30"},
	{line: "\xff\xfe.dir;1 x", title: "\xff\xfe", url: "%FF%FE/", kind: access.Directory, size: -1},
	{line: "SECRET.TXT;1  %RMS-E-PRV, insufficient privilege", title: "SECRET.TXT;1", url: "SECRET.TXT%3B1", kind: access.Object, size: -1},
	{line: "A_VERY_LONG_NAME.TXT;12\r\n          25/27     27-MAY-2003 13:19:30", title: "A_VERY_LONG_NAME.TXT;12", url: "A_VERY_LONG_NAME.TXT%3B12", kind: access.Object, size: -1, time: "2003-05-27 13:19:30"},
	{line: "A_VERY_LONG_NAME.TXT;12", title: "A_VERY_LONG_NAME.TXT;12", url: "A_VERY_LONG_NAME.TXT%3B12", kind: access.Unknown, size: -1},
	{line: "Directory DISK$USER:[ANONYMOUS]", title: "Directory DISK$USER:[ANONYMOUS]", kind: access.Info, size: -1},

	// MLSD
	{command: "MLSD", line: "type=file;size=16;modify=20261121020208;perm=adfr; a b;c.txt", title: "a b;c.txt", url: "a%20b%3Bc.txt", kind: access.Object, size: 16, time: "2026-11-21 02:02:08"},
	{command: "MLSD", line: "Type=FILE;Size=16;Modify=20261121020208.25;  x", title: " x", url: "%20x", kind: access.Object, size: 16, time: "2026-11-21 02:02:08"},
	{command: "MLSD", line: "type=dir;sizd=4096; sub", title: "sub", url: "sub/", kind: access.Directory, size: -1},
	{command: "MLSD", line: "type=cdir;modify=20261121020208; ."},
	{command: "MLSD", line: "type=cdir; /pub"},
	{command: "MLSD", line: "type=pdir; .."},
	{command: "MLSD", line: "type=OS.unix=slink:/x;size=3; link", title: "link", url: "link", kind: access.Link, size: -1},
	{command: "MLSD", line: "type=OS.unix=chr-1/2; null", title: "null", url: "null", kind: access.Unknown, size: -1},
	{command: "MLSD", line: " no facts", title: "no facts", url: "no%20facts", kind: access.Unknown, size: -1},
	{command: "MLSD", line: "type=file;size=x;modify=yesterday; f", title: "f", url: "f", kind: access.Object, size: -1},
	{command: "MLSD", line: "not facts", title: "not facts", kind: access.Info, size: -1},

	// NLST
	{command: "NLST", line: "a b;c.txt", title: "a b;c.txt", url: "a%20b%3Bc.txt", size: -1},
	{command: "NLST", line: "/pub/f", title: "/pub/f", url: "%2Fpub%2Ff", size: -1},
	{command: "NLST", line: "."},
	{command: "NLST", line: ".."},
	{command: "NLST", line: "A.TXT;1", title: "A.TXT;1", url: "A.TXT%3B1", size: -1},
}

// serveListing returns a server that sends data as a listing.
func serveListing(t testing.TB, command, data string) *server {
	s := serve(t)
	s.listings[command] = data
	if command == "MLSD" {
		s.script["FEAT"] = say("211-Features:\r\n UTF8\r\n MLST type*;size*;\r\n211 End\r\n")
	}
	return s
}

// entries lists a URL.
func entries(t testing.TB, c ftp.Client, rawurl string) ([]access.Entry, error) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(rawurl)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	l, ok := r.List, r.List != nil
	if !ok {
		t.Fatalf("the Body of %q is not a Lister", rawurl)
	}
	var all []access.Entry
	err = access.Entries(l, func(e access.Entry) error { all = append(all, e); return nil })
	return all, err
}

func titles(all []access.Entry) []string {
	var titles []string
	for _, e := range all {
		titles = append(titles, e.Title)
	}
	return titles
}

func TestLines(t *testing.T) {
	for _, test := range listingLines {
		command := test.command
		if command == "" {
			command = "LIST"
		}
		s := serveListing(t, command, test.line+"\r\n")
		all, err := entries(t, s.client(), "ftp://h/d/")
		if err != nil {
			t.Errorf("%s %q: %v", command, test.line, err)
			continue
		}
		if test.title == "" {
			if len(all) > 0 {
				t.Errorf("%s %q = %+v, want nothing", command, test.line, all)
			}
			continue
		}
		want := access.Entry{Title: test.title, Kind: test.kind, Size: test.size, Sys: ftp.Line(strings.ReplaceAll(test.line, "\r\n", " "))}
		if test.url != "" {
			want.URL = url.MustParse("ftp://h/d/" + test.url)
		}
		if test.kind == access.Object && len(all) == 1 {
			want.Type = all[0].Type // by the name: see TestTypeByName
		}
		for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
			if at, err := time.Parse(layout, test.time); err == nil {
				want.ModTime = at
			}
		}
		if len(all) != 1 || !reflect.DeepEqual(all[0], want) {
			t.Errorf("%s %q =\n%+v, want\n%+v", command, test.line, all, want)
		}
	}
}

func TestDirectory(t *testing.T) {
	const unix = "-rw-r--r-- 1 a b 1 Nov 21 02:02 f\r\n"
	tests := []struct {
		name   string
		url    string
		script map[string]answer
		lists  map[string]string
		titles []string
		sent   string // the last command
		is     error
	}{
		{name: "LIST", url: "ftp://h/d/", lists: map[string]string{"LIST": unix}, titles: []string{"f"}, sent: "LIST"},
		{
			name: "LIST of vsftpd", url: "ftp://h/d/", script: map[string]answer{"greeting": say("220 (vsFTPd 3.0.3)\r\n")},
			lists: map[string]string{"LIST -a": "drwxr-xr-x 2 a b 9 Nov 21 02:02 .\r\ndrwxr-xr-x 2 a b 9 Nov 21 02:02 ..\r\n" + strings.Replace(unix, " f", " .f", 1)}, titles: []string{".f"}, sent: "LIST -a",
		},
		{name: "LF alone", url: "ftp://h/d/", lists: map[string]string{"LIST": "total 1\n-rw-r--r-- 1 a b 1 Nov 21 02:02 f\n"}, titles: []string{"f"}, sent: "LIST"},
		{name: "no end of the last line", url: "ftp://h/d/", lists: map[string]string{"LIST": "-rw-r--r-- 1 a b 1 Nov 21 02:02 f"}, titles: []string{"f", cutOff}, sent: "LIST"},
		{name: "no end of the last name", url: "ftp://h/d;type=d", lists: map[string]string{"NLST d": "a\r\nb"}, titles: []string{"a", "b", cutOff}, sent: "NLST d"},
		{
			name: "within a line of MLSD", url: "ftp://h/d/", script: map[string]answer{"FEAT": say("211-x\r\n MLST a\r\n211 y\r\n")},
			lists: map[string]string{"MLSD": "type=file; f\r\ntype=file; hal"}, titles: []string{"f"}, is: io.ErrUnexpectedEOF, sent: "MLSD",
		},
		{name: "cut off within a line", url: "ftp://h/d/", script: map[string]answer{"LIST": send(unix+unix[:9], "426 aborted\r\n")}, titles: []string{"f"}, is: io.ErrUnexpectedEOF, sent: "LIST"},
		{
			name: "padded names", url: "ftp://h/d/", titles: []string{"a", " b"}, sent: "LIST",
			lists: map[string]string{"LIST": "total 3\r\ndrwxr-xr-x 2 a b 9 Nov 21 02:02   .\r\n-rw-r--r-- 1 a b 1 Nov 21 02:02   a\r\n-rw-r--r-- 1 a b 1 Nov 21 02:02    b\r\n"},
		},
		{
			name: "blanks before one name", url: "ftp://h/d/", titles: []string{"  a", "b"}, sent: "LIST",
			lists: map[string]string{"LIST": "-rw-r--r-- 1 a b 1 Nov 21 02:02   a\r\n-rw-r--r-- 1 a b 1 Nov 21 02:02 b\r\n"},
		},
		{
			name: "a long line", url: "ftp://h/d/", titles: []string{"f", "f", "the server sent too much data: a listing line of more than 16384 bytes was left out"}, sent: "LIST",
			lists: map[string]string{"LIST": unix + strings.Repeat("x", 100_000) + "\r\n" + unix},
		},
		{
			name: "MLSD", url: "ftp://h/d/", script: map[string]answer{"FEAT": say("211-x\r\n MLST a\r\n211 y\r\n")},
			lists: map[string]string{"MLSD": "type=file; f\r\n", "LIST": unix}, titles: []string{"f"}, sent: "MLSD",
		},
		{
			name: "MLSD that is not there", url: "ftp://h/d/", script: map[string]answer{"FEAT": say("211-x\r\n MLST a\r\n211 y\r\n")},
			lists: map[string]string{"LIST": unix}, titles: []string{"f"}, sent: "LIST",
		},
		{name: "FEAT without features", url: "ftp://h/d/", script: map[string]answer{"FEAT": say("211 none\r\n")}, lists: map[string]string{"LIST": unix}, titles: []string{"f"}, sent: "LIST"},
		{name: "NLST", url: "ftp://h/d/", lists: map[string]string{"NLST": "f\r\n"}, titles: []string{"f"}, sent: "NLST"},
		{name: "neither", url: "ftp://h/d/", is: errors.ErrUnsupported, sent: "NLST"},
		{name: "forbidden", url: "ftp://h/d/", script: map[string]answer{"LIST": say("550 Permission denied\r\n")}, is: errAny, sent: "LIST"},
		{name: "empty", url: "ftp://h/d/", lists: map[string]string{"LIST": ""}, sent: "LIST"},
		{name: "empty, 550", url: "ftp://h/d/", script: map[string]answer{"LIST": say("550 No files found.\r\n")}, sent: "LIST"},
		{name: "empty, 450", url: "ftp://h/d;type=d", script: map[string]answer{"NLST": say("450 No files found\r\n")}, sent: "NLST d"},
		{name: "names", url: "ftp://h/d;type=d", lists: map[string]string{"NLST d": "a\r\n.\r\nb c\r\n..\r\n"}, titles: []string{"a", "b c"}, sent: "NLST d"},
		{name: "names under their directory", url: "ftp://h/d;type=d", lists: map[string]string{"NLST d": "d/a\r\nd/b\r\nd/.\r\n"}, titles: []string{"a", "b"}, sent: "NLST d"},
		{name: "cut off", url: "ftp://h/d/", script: map[string]answer{"LIST": send(unix+unix, "426 aborted\r\n")}, titles: []string{"f", "f"}, is: io.ErrUnexpectedEOF, sent: "LIST"},
		{name: "endless line", url: "ftp://h/d/", lists: map[string]string{"LIST": unix + strings.Repeat("x", 1<<20)}, titles: []string{"f"}, is: access.ErrTooLong, sent: "LIST"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.script, s.listings = test.script, test.lists
			all, err := entries(t, s.client(), test.url)
			if (err == nil) != (test.is == nil) || test.is != errAny && !errors.Is(err, test.is) {
				t.Errorf("entries = %v, want %v", err, test.is)
			}
			if got := titles(all); !slices.Equal(got, test.titles) {
				t.Errorf("titles = %q, want %q", got, test.titles)
			}
			if sent := s.sentCommands(); sent[len(sent)-1] != test.sent {
				t.Errorf("sends %q, want %q last", sent, test.sent)
			}
		})
	}
}

// cutOff is the title of the last entry of a listing that ends within a line.
const cutOff = "unexpected EOF: the listing ends within a line, so the name may be cut off"

// A listing may be larger than memory.
func TestLongListing(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-rw-r--r-- 1 a b %d Nov 21 02:02 file%d\r\n", i, i)
	}
	all, err := entries(t, serveListing(t, "LIST", b.String()).client(), "ftp://h/d/")
	if err != nil || len(all) != n || all[n-1].URL.String() != "ftp://h/d/file19999" {
		t.Errorf("%d entries, %v, want %d", len(all), err, n)
	}
}

// If a listing ends within a line, the last name may be half a name. The last entry says so, and a mirror then deletes
// nothing.
func TestListingEndsInLine(t *testing.T) {
	const data = "-rw-r--r-- 1 a b 1 Nov 21 02:02 whole\r\n-rw-r--r-- 1 a b 1 Nov 21 02:02 hal"
	all, err := entries(t, serveListing(t, "LIST", data).client(), "ftp://h/d/")
	if len(all) != 3 || err != nil || all[1].Title != "hal" || !errors.Is(all[2].Incomplete, io.ErrUnexpectedEOF) {
		t.Errorf("entries = %v, %v, want two and one that is Incomplete", all, err)
	}
}

// A line that is too long costs only its entry. The last entry says that the listing has left it out.
func TestListingIncomplete(t *testing.T) {
	const one = "-rw-r--r-- 1 a b 1 Nov 21 02:02 f\r\n"
	all, err := entries(t, serveListing(t, "LIST", one+strings.Repeat("x", 100_000)+"\r\n"+one).client(), "ftp://h/d/")
	if err != nil || len(all) != 3 {
		t.Fatalf("entries = %v, %v, want three", all, err)
	}
	if last := all[2]; !errors.Is(last.Incomplete, access.ErrTooLong) || last.Kind != access.Info {
		t.Errorf("the last entry is %+v, want a text that says that the listing is incomplete", last)
	}
}

// The Body of a listing has the bytes of the wire.
func TestListingBytes(t *testing.T) {
	const data = "total 1\r\n-rw-r--r-- 1 a b 1 Nov 21 02:02 f\r\n"
	if got, err := get(t, serveListing(t, "LIST", data).client(), "ftp://h/d/"); err != nil || got != data {
		t.Errorf("get = %q, %v, want %q", got, err, data)
	}
}

// FuzzLine checks that the URL of an entry names its title in the listed
// directory.
func FuzzLine(f *testing.F) {
	for _, test := range listingLines {
		f.Add(test.command, test.line)
	}
	f.Fuzz(func(t *testing.T, command, line string) {
		if command != "MLSD" && command != "NLST" {
			command = "LIST"
		}
		all, err := entries(t, serveListing(t, command, line+"\r\n").client(), "ftp://me:p@h/d/")
		if err != nil && len(line) < 16<<10 {
			t.Fatalf("%s %q: %v", command, line, err)
		}
		for _, e := range all {
			if e.Kind == access.Info {
				continue
			}
			v, err := scheme.ParseFTP(e.URL)
			want := scheme.FTP{Scheme: "ftp", Host: scheme.Host{Name: "h"}, User: url.Some("me"), Dirs: []string{"d"}, Name: e.Title}
			if e.Kind == access.Directory {
				want.Dirs, want.Name = []string{"d", e.Title}, ""
			}
			if err != nil || v.URL() != want.URL() || e.URL != want.URL() || e.Size < -1 {
				t.Errorf("%s %q gives %+v with %+v (%v), want %+v", command, line, e, v, err, want)
			}
		}
	})
}
