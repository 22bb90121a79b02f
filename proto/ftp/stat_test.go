package ftp_test

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

func TestStat(t *testing.T) {
	changed := time.Date(2026, 11, 21, 2, 2, 8, 0, time.UTC)
	mlst := func(facts string) map[string]answer {
		return map[string]answer{
			"FEAT": say("211-x\r\n MLST type*;\r\n211 y\r\n"),
			"MLST": say("250-Listing\r\n " + facts + "\r\n250 End\r\n"),
		}
	}
	noSize := map[string]answer{"SIZE": say("550 no\r\n")}
	tests := []struct {
		name   string
		url    string
		script map[string]answer
		list   string // what LIST sends
		want   access.Entry
		is     error
	}{
		{name: "SIZE and MDTM", url: "ftp://h/d/f", want: access.Entry{Title: "f", Kind: access.Object, Size: 7, ModTime: changed}},
		{name: "text", url: "ftp://h/d/f;type=a", want: access.Entry{Title: "f", Kind: access.Object, Size: 7, ModTime: changed}},
		{
			name: "no MDTM", url: "ftp://h/d/f", script: map[string]answer{"MDTM": say("502 what\r\n")},
			want: access.Entry{Title: "f", Kind: access.Object, Size: 7},
		},
		{name: "directory", url: "ftp://h/d/", want: access.Entry{Title: "d", Kind: access.Directory, Size: -1}},
		{name: "empty names", url: "ftp://h/d//", want: access.Entry{Title: "d", Kind: access.Directory, Size: -1}},
		{name: "top", url: "ftp://h", want: access.Entry{Title: "/", Kind: access.Directory, Size: -1}},
		{
			name: "directory that is not there", url: "ftp://h/d/",
			script: map[string]answer{"CWD": say("550 no\r\n"), "NLST": send("f\r\n", "226 done\r\n")}, is: fs.ErrNotExist,
		},
		{
			name: "directory by its listing", url: "ftp://h/d/sub", script: noSize,
			list: "total 1\r\n-rw-r--r-- 1 a b 1 Nov 21 02:02 f\r\ndrwxr-xr-x 2 a b 4096 Jun 3 1994 sub\r\n",
			want: access.Entry{Title: "sub", Kind: access.Directory, Size: -1, ModTime: time.Date(1994, 6, 3, 0, 0, 0, 0, time.UTC)},
		},
		{name: "not in its listing", url: "ftp://h/d/nope", script: noSize, list: "-rw-r--r-- 1 a b 1 Nov 21 02:02 f\r\n", is: fs.ErrNotExist},
		{name: "listing cut off", url: "ftp://h/d/nope", script: map[string]answer{"SIZE": say("550 no\r\n"), "LIST": send("", "426 no\r\n")}, is: errAny},
		{
			name: "MLST", url: "ftp://h/d/f", script: mlst("type=file;size=9;modify=20261121020208; /d/f"),
			want: access.Entry{Title: "f", Kind: access.Object, Size: 9, ModTime: changed},
		},
		{name: "MLST of a directory", url: "ftp://h/d/", script: mlst("type=cdir;modify=20261121020208; /d"), want: access.Entry{Title: "d", Kind: access.Directory, Size: -1, ModTime: changed}},
		{name: "MLST of a name as directory", url: "ftp://h/d;type=d", script: mlst("type=dir; /d"), want: access.Entry{Title: "d", Kind: access.Directory, Size: -1}},
		{
			name: "MLST of a link", url: "ftp://h/d/f", script: mlst("type=OS.unix=slink:x;size=1;modify=20200101000000; /d/f"),
			want: access.Entry{Title: "f", Kind: access.Object, Size: 7, ModTime: changed},
		},
		{
			name: "MLST that takes a link for a file", url: "ftp://h/d/f", script: mlst("type=file;size=1;modify=20200101000000;UNIX.mode=0777; /d/f"),
			want: access.Entry{Title: "f", Kind: access.Object, Size: 7, ModTime: changed},
		},
		{name: "MLST without facts", url: "ftp://h/d/f", script: mlst("nothing"), is: access.ErrProtocol},
		{name: "MLST of nothing", url: "ftp://h/d/f", script: map[string]answer{"FEAT": say("211-x\r\n MLST\r\n211 y\r\n"), "MLST": say("550 no\r\n")}, is: fs.ErrNotExist},
		{name: "other scheme", url: "http://h/", is: errors.ErrUnsupported},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "content"
			s.listings["LIST"] = test.list
			if test.script != nil {
				s.script = test.script
			}
			r, err := s.client().Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url)})
			if (err == nil) != (test.is == nil) || test.is != errAny && !errors.Is(err, test.is) {
				t.Fatalf("Stat(%q) = %v, want %v", test.url, err, test.is)
			}
			if err != nil {
				return
			}
			test.want.URL = url.MustParse(test.url)
			got := r.Entry
			got.Sys = nil
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("Stat(%q) =\n%+v, want\n%+v", test.url, got, test.want)
			}
		})
	}
}
