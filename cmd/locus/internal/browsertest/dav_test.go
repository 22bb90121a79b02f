package browsertest

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"locus/internal/peers"
)

// WebDAV clients list folders of an ftp server, and read its files.
func TestDAV(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	mount := at + "-/dav/ftp://" + serviceOf(t, help, "ftp") + "/"
	t.Run("cadaver", func(t *testing.T) {
		file := filepath.Join(peers.Shared(t), "rfc.txt")
		out, err := peers.Cadaver(t, mount, "ls", "cd texts", "ls", "get rfc1738.txt "+file, "put "+file+" new.txt", "lock rfc1738.txt", "delete rfc1738.txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Coll:   texts", "rfc1738.txt", "succeeded."} {
			if !strings.Contains(out, want) {
				t.Errorf("cadaver does not show %q:\n%s", want, out)
			}
		}
		if n := strings.Count(out, "405 Method Not Allowed"); n < 2 {
			t.Errorf("%d of the commands that write failed with 405:\n%s", n, out)
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "RFC 1738: locators") {
			t.Errorf("cadaver got %.80q, %v", text, err)
		}
	})
	t.Run("rclone", func(t *testing.T) {
		remote, dir := ":webdav,url='"+mount+"':", peers.Shared(t)
		out, err := peers.Rclone(t, "lsf", "-R", remote)
		if err != nil || !strings.Contains(out, "texts/\n") || !strings.Contains(out, "texts/rfc1738.txt\n") {
			t.Errorf("rclone lsf = %v:\n%s", err, out)
		}
		if _, err := peers.Rclone(t, "copy", remote, dir); err != nil {
			t.Fatal(err)
		}
		if out, err := peers.Rclone(t, "check", "--download", remote, dir); err != nil {
			t.Errorf("rclone check = %v:\n%s", err, out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "texts", "rfc1738.txt"))
		if err != nil || !strings.Contains(string(text), "RFC 1738: locators") {
			t.Errorf("rclone copied %.80q, %v", text, err)
		}
		if out, err := peers.Rclone(t, "deletefile", remote+"texts/rfc1738.txt"); err == nil {
			t.Errorf("rclone deleted a file:\n%s", out)
		}
	})
}

// WebDAV clients mount listings whose entries have titles: menus, newsgroups, results of a search,
// and directories of Prospero.
func TestDAVByNames(t *testing.T) {
	t.Parallel()
	at, help := startDemo(t)
	for _, test := range []struct{ name, listing, folder, file, text string }{
		{"gopher", "gopher://" + serviceOf(t, help, "gopher") + "/1", "texts", "texts/RFC 1738_ locators, scheme by scheme.txt", "RFC 1738: locators"},
		{"news", "news://" + serviceOf(t, help, "news") + "/library.texts", "", "RFC 1738_ locators, scheme by scheme.eml", "Subject: RFC 1738: locators"},
		{"wais", "wais://" + serviceOf(t, help, "wais") + "/library%3Flocators", "", "RFC 1738_ locators, scheme by scheme.txt", "RFC 1738: locators"},
		{"prospero", "prospero://" + serviceOf(t, help, "prospero") + "/", "texts", "texts/rfc1738.txt", "RFC 1738: locators"},
	} {
		t.Run(test.name, func(t *testing.T) {
			mount, file := at+"-/dav/"+test.listing+"/-/", filepath.Join(peers.Shared(t), "got")
			folder, name := path.Split(test.file)
			out, err := peers.Cadaver(t, mount, "ls", "cd \""+cmp.Or(folder, ".")+"\"", "ls", "get \""+name+"\" "+file)
			if err != nil || test.folder != "" && !strings.Contains(out, "Coll:   "+test.folder+" ") || !strings.Contains(out, "succeeded.") {
				t.Errorf("cadaver, %v:\n%s", err, out)
			}
			if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), test.text) {
				t.Errorf("cadaver got %.80q, %v\n%s", text, err, out)
			}
			remote := ":webdav,url='" + mount + "':"
			out, err = peers.Rclone(t, "lsf", "-R", "--max-depth", "2", remote)
			if err != nil || !strings.Contains("\n"+out, "\n"+test.file+"\n") {
				t.Errorf("rclone lsf = %v:\n%s", err, out)
			}
			out, err = peers.Rclone(t, "cat", remote+test.file)
			if err != nil || !strings.Contains(out, test.text) {
				t.Errorf("rclone cat = %v:\n%.300s", err, out)
			}
		})
	}
}
