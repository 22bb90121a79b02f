package sftp_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/faulty"
	"locus/internal/peers"
	"locus/proto"
	"locus/proto/sftp"
	"locus/url"
)

// sshd returns a server of OpenSSH with files in its root, and a Client for it.
func sshd(t *testing.T, files map[string]string) (peers.SSHServer, sftp.Client) {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		name = filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(content), 0o666)); err != nil {
			t.Fatalf("write %q: %v", name, err)
		}
	}
	s := peers.OpenSSH(t, root)
	return s, sftp.Client{
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Addr)
		},
		User:       s.User,
		KnownHosts: func() (ssh.HostKeyCallback, error) { return ssh.FixedHostKey(s.HostKey.PublicKey()), nil },
		Keys:       func(context.Context, string, string) ([]ssh.Signer, error) { return []ssh.Signer{s.UserKey}, nil },
	}
}

// The client fulfills the contract with OpenSSH.
func TestOpenSSH(t *testing.T) {
	s, c := sshd(t, map[string]string{"object": long, "list/one": "1", "list/two": "2", "changing": ""})
	cut := faulty.Start(t, s.Addr, func(faulty.Conn) faulty.Fault { return faulty.Fault{Cut: 200 << 10} })
	stalled := faulty.Start(t, s.Addr, func(faulty.Conn) faulty.Fault { return faulty.Fault{Stall: 200 << 10} })
	d := dialer{"h": s.Addr, "cut": cut.Addr, "stalled": stalled.Addr}
	accesstest.Test(t, accesstest.Config{
		New: func(dial proto.Dial) access.Engine {
			return sftp.Client{Dial: dial, User: s.User, KnownHosts: c.KnownHosts, Keys: c.Keys, Pool: &sftp.Pool{}}
		},
		Dial:      d.Dial,
		Ops:       []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
		Object:    url.MustParse("sftp://h/~/object"),
		Content:   long,
		Missing:   url.MustParse("sftp://h/~/missing"),
		Listing:   url.MustParse("sftp://h/~/list/"),
		Titles:    []string{"one", "two"},
		Changing:  url.MustParse("sftp://h" + s.Root + "/changing"),
		Truncated: url.MustParse("sftp://cut/~/object"),
		Stalled:   url.MustParse("sftp://stalled/~/object"),
	})
}

// Put keeps the permissions of the old file and the symbolic link that leads to it, and stores the time.
func TestPut(t *testing.T) {
	s, c := sshd(t, map[string]string{"old": "old", "dir/x": ""})
	if err := errors.Join(os.Chmod(filepath.Join(s.Root, "old"), 0o640), os.Symlink("old", filepath.Join(s.Root, "link"))); err != nil {
		t.Fatalf("prepare: %v", err)
	}
	when := time.Date(2021, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, test := range []struct {
		name string // of the URL
		file string // that gets the content
		req  access.Request
		mode fs.FileMode
	}{
		{"old", "old", access.Request{}, 0o640},
		{"link", "old", access.Request{ModTime: when}, 0o640},
		{"new", "new", access.Request{Mode: 0o604, ModTime: when}, 0o604},
		{"dir/a;b%20c", "dir/a;b c", access.Request{IfAbsent: true, Mode: 0o600}, 0o600},
	} {
		req := test.req
		req.Op, req.URL, req.Body, req.Size = access.Put, url.MustParse("sftp://h/~/"+test.name), strings.NewReader("new"), -1
		r, err := c.Do(t.Context(), &req)
		if err != nil {
			t.Errorf("Put(%q) = %v", test.name, err)
			continue
		}
		content, _ := os.ReadFile(filepath.Join(s.Root, test.file))
		info, err := os.Lstat(filepath.Join(s.Root, test.file))
		if err != nil || string(content) != "new" || info.Mode() != test.mode {
			t.Errorf("after Put(%q): %q, %v, %v, want new with %v", test.name, content, info, err, test.mode)
			continue
		}
		if !r.ModTime.Equal(req.ModTime) || !req.ModTime.IsZero() && !info.ModTime().Equal(req.ModTime) {
			t.Errorf("Put(%q) stored the time %v, and says %v, want %v", test.name, info.ModTime(), r.ModTime, req.ModTime)
		}
	}
	names, err := titles(t, c, "sftp://h/~/")
	slices.Sort(names)
	if want := []string{"dir", "link", "new", "old"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the directory has %q, %v, want %q", names, err, want)
	}
}

// Refused requests have a meaning, and change nothing.
func TestRefused(t *testing.T) {
	_, c := sshd(t, map[string]string{"file": "x", "dir/x": ""})
	for _, test := range []struct {
		op   access.Op
		name string
		req  access.Request
		want error
	}{
		{access.Get, "file/", access.Request{}, fs.ErrNotExist},
		{access.Get, "no", access.Request{}, fs.ErrNotExist},
		{access.Get, "file", access.Request{Offset: 2}, access.ErrRange},
		{access.Stat, "file/", access.Request{}, fs.ErrNotExist},
		{access.Put, "dir", access.Request{}, fs.ErrPermission},
		{access.Put, "no/x", access.Request{}, fs.ErrNotExist},
		{access.Put, "file", access.Request{IfAbsent: true}, fs.ErrExist},
		{access.Put, "file", access.Request{IfMatch: access.Validator{ModTime: time.Unix(1, 0)}}, access.ErrChanged},
		{access.Put, "file", access.Request{Offset: 2}, access.ErrRange},
		{access.Append, "dir", access.Request{}, fs.ErrPermission},
		{access.Delete, "dir", access.Request{}, fs.ErrPermission},
		{access.Delete, "dir/", access.Request{}, fs.ErrPermission},
		{access.Delete, "no", access.Request{}, fs.ErrNotExist},
		{access.Delete, "file/", access.Request{}, fs.ErrNotExist},
		{access.Delete, "", access.Request{}, fs.ErrPermission},
		{access.MakeDir, "dir", access.Request{}, fs.ErrExist},
		{access.MakeDir, "no/x", access.Request{}, fs.ErrNotExist},
	} {
		req := test.req
		req.Op, req.URL, req.Size = test.op, url.MustParse("sftp://h/~/"+test.name), -1
		if _, err := c.Do(t.Context(), &req); !errors.Is(err, test.want) {
			t.Errorf("%v(%q) = %v, want %v", test.op, test.name, err, test.want)
		}
	}
	if got, err := get(t, c, "sftp://h/~/file"); got != "x" || err != nil {
		t.Errorf("the file has %q, %v, want x", got, err)
	}
}

// An upload that broke off is continued, and the file has the same bytes as after one upload.
func TestContinue(t *testing.T) {
	s, c := sshd(t, map[string]string{"file": "old"})
	cut := faulty.Start(t, s.Addr, func(n faulty.Conn) faulty.Fault { return faulty.Fault{CutSent: 300 << 10} })
	broken := c
	broken.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, cut.Addr)
	}
	const part = ".part-0123abcd"
	u := url.MustParse("sftp://h/~/file")
	_, err := broken.Do(t.Context(), &access.Request{Op: access.Put, URL: u, Body: strings.NewReader(long), Size: int64(len(long)), Part: part})
	if err == nil {
		t.Fatal("the upload over a broken connection succeeds")
	}
	r, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("sftp://h/~/file" + part)})
	if err != nil || r.Size <= 0 || r.Size >= int64(len(long)) {
		t.Fatalf("the part is %+v, %v, want some of the bytes", r, err)
	}
	offset := r.Size
	if content, err := os.ReadFile(filepath.Join(s.Root, "file"+part)); err != nil || string(content) != long[:offset] {
		t.Errorf("the part has other bytes than the file: %v", err)
	}
	_, err = c.Do(t.Context(), &access.Request{Op: access.Put, URL: u, Body: strings.NewReader(long[offset:]), Size: int64(len(long)) - offset, Offset: offset, Part: part})
	if err != nil {
		t.Fatalf("Put at %d = %v", offset, err)
	}
	if got, err := get(t, c, "sftp://h/~/file"); got != long || err != nil {
		t.Errorf("the file has %d bytes, %v, want %d", len(got), err, len(long))
	}
	if names, err := titles(t, c, "sftp://h/~/"); !slices.Equal(names, []string{"file"}) || err != nil {
		t.Errorf("the directory has %q, %v, want only the file", names, err)
	}
}
