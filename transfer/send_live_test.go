package transfer

import (
	"errors"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/internal/faulty"
	"locus/internal/peers"
	"locus/transfer/internal/sync"
	"locus/url"
)

// awkward is a tree of names that need care in URLs and commands. A server may refuse the files in
// strange.
var awkward = map[string]string{
	"index.html": `<title>My site</title><a href="sub/">a</a><a href="none">b</a>`, "empty": "", "a b.txt": "spaces", "100%.txt": "percent", "%41.txt": "escape",
	"q?x=1#f": "delimiters", "semi;type=a": "type code", "ünï/": "", "ünï/日本.txt": "not ASCII", ".hidden": "dot", "sub/": "",
	"sub/deep/": "", "sub/deep/e.txt": "e", "sub/+&=@:,'()!~$": "others", "empty dir/": "", "sub/big.bin": noise(300 << 10),
}

// A targetServer is a server that Send writes to.
type targetServer struct {
	name  string
	start func(testing.TB, string) *peers.Server
	url   string // of the tree, with the address for "@@"
	dir   string // of the tree, below the root
	omit  []string
	times bool // it stores the time of a file
	hides bool // it does not list names with a dot at the start

	restarts bool // it does not continue an upload
}

var targetServers = []targetServer{
	{name: "file", dir: "www", times: true},
	{name: "vsftpd", start: peers.VSFTPD, url: "ftp://@@/www", dir: "www", times: true},
	{name: "proftpd", start: peers.ProFTPD, url: "ftp://alice:secret@@@/www/", dir: "www", times: true},
	{name: "pure-ftpd", start: peers.PureFTPd, url: "ftp://alice:secret@@@/www", dir: "www", times: true},
	{name: "pyftpdlib", start: func(t testing.TB, root string) *peers.Server { return peers.Pyftpdlib(t, root, "surrogateescape") }, url: "ftp://@@/www", dir: "www", times: true},
	{name: "inetutils", start: peers.InetutilsFTPD, url: "ftp://@@/www", dir: "www"},
	{name: "as IIS", start: peers.PyftpdlibAsIIS, url: "ftp://@@/www", dir: "www"},
	{name: "twisted", start: peers.Twisted, url: "ftp://alice:secret@@@/www", dir: "www", omit: []string{"ünï/日本.txt"}, restarts: true},
	{name: "goftp", start: peers.GoFTP, url: "ftp://alice:secret@@@/www", dir: "www"},
	{name: "nginx", start: peers.Nginx, url: "http://@@/dav/www", dir: "dav/www", omit: []string{"index.html"}, hides: true},
	{name: "apache", start: peers.Apache, url: "http://@@/dav/www", dir: "dav/www"},
	{name: "lighttpd", start: peers.LighttpdDAV, url: "http://@@/www", dir: "www"},
	{name: "rclone", start: peers.RcloneWebDAV, url: "http://@@/www", dir: "www"},
	{name: "x/net/webdav", start: peers.GoWebDAV, url: "http://@@/www", dir: "www"},
}

// A deployment is a folder, a server with a tree, and what Send needs for both.
type deployment struct {
	source, target string // folders
	from, to       Endpoint
	root, state    *os.Root
}

func deploy(t *testing.T, server targetServer, files map[string]string) *deployment {
	t.Helper()
	d := &deployment{}
	d.root, d.source = folder(t)
	fill(t, d.source, files)
	d.state, _ = folder(t)
	_, root := folder(t)
	if server.dir == "dav/www" {
		fill(t, root, map[string]string{"dav/": ""})
	}
	d.from = Endpoint{Engine: &locus.Client{Retries: -1, Root: d.root}, URL: url.MustParse("file:///")}
	d.target = filepath.Join(root, filepath.FromSlash(server.dir))
	if server.start == nil {
		targetRoot, err := os.OpenRoot(root)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { targetRoot.Close() })
		d.to = Endpoint{Engine: &locus.Client{Retries: -1, Root: targetRoot}, URL: url.MustParse("file:///" + server.dir)}
		return d
	}
	d.to = clientEndpoint(t, server, server.start(t, root))
	return d
}

// clientEndpoint returns the tree of a server that runs.
func clientEndpoint(t *testing.T, server targetServer, s *peers.Server) Endpoint {
	t.Helper()
	client := &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext, AllowPorts: []uint16{s.Port}}
	t.Cleanup(func() { client.Close() })
	before, after := cutAddress(server.url)
	return Endpoint{Engine: client, URL: url.MustParse(before + s.Addr + after)}
}

func cutAddress(text string) (before, after string) {
	for i := len(text) - 2; i >= 0; i-- {
		if text[i:i+2] == "@@" {
			return text[:i], text[i+2:]
		}
	}
	return text, ""
}

// send sends with a manifest, and fails unless it sends and skips so many files.
func (d *deployment) send(t *testing.T, opts SendOptions, files, skipped, deleted int) {
	t.Helper()
	var log eventLog
	opts.Event = log.add
	opts.Manifest.Dir = d.state
	opts.Retry = hasty
	report, err := Send(t.Context(), d.from, d.to, opts)
	if err != nil || report.Failed > 0 || report.Files != files || report.Skipped != skipped || report.Deleted != deleted || report.NotDeleted != nil {
		t.Errorf("Send = %+v, %v; want %d sent, %d skipped, %d deleted", report, err, files, skipped, deleted)
	}
	for _, e := range log.of(Failed) {
		t.Errorf("%s failed: %v", e.Name, e.Err)
	}
}

// The target has the files that were sent, and they are not sent again. A changed file is sent
// again, and a file that is gone from the source is deleted. Sent back it is the same tree.
func TestLiveSend(t *testing.T) {
	for _, server := range targetServers {
		t.Run(server.name, func(t *testing.T) {
			files := maps.Clone(awkward)
			for _, name := range server.omit {
				delete(files, name)
			}
			count := len(files) - 4 // directories
			d := deploy(t, server, files)
			d.send(t, SendOptions{TreeOptions: TreeOptions{DryRun: true}}, count, 0, 0)
			if _, err := os.Lstat(d.target); err == nil {
				t.Fatal("a dry run makes the directory")
			}
			d.send(t, SendOptions{}, count, 0, 0)
			compareTrees(t, contents(t, d.target), files)
			if server.times {
				checkTimes(t, d.target, files)
			}
			d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 0, count, 0)
			if server.times { // without a manifest
				d.state, _ = folder(t)
				d.send(t, SendOptions{}, 0, count, 0)
			}

			later := time.Date(2026, 3, 5, 6, 7, 8, 0, time.UTC)
			fill(t, d.source, map[string]string{"sub/deep/e.txt": "E", "new": "n"})
			check(t, os.Chtimes(filepath.Join(d.source, "sub/deep/e.txt"), later, later))
			check(t, os.Remove(filepath.Join(d.source, "a b.txt")))
			check(t, os.RemoveAll(filepath.Join(d.source, "ünï")))
			files["sub/deep/e.txt"], files["new"] = "E", "n"
			gone := 0
			for _, name := range []string{"a b.txt", "ünï/", "ünï/日本.txt"} {
				if _, ok := files[name]; ok {
					gone++
				}
				delete(files, name)
			}
			d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true, DryRun: true}}, 2, count-gone, gone)
			d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 2, count-gone, gone)
			compareTrees(t, contents(t, d.target), files)

			if server.hides {
				delete(files, ".hidden")
			}
			back, name := folder(t)
			for again := range 2 {
				report, err := Send(t.Context(), d.to, Endpoint{Engine: &locus.Client{Retries: -1, Root: back}, URL: url.MustParse("file:///")}, SendOptions{})
				if err != nil || report.Failed > 0 || again > 0 && report.Files > 0 {
					t.Errorf("Send back, time %d = %+v, %v; want no failure, and no file the second time", again+1, report, err)
				}
			}
			compareTrees(t, contents(t, name), files)
		})
	}
}

// On real servers a large file goes on where its connection broke: in the same run, and in a later
// one. A server that deletes incomplete files gets the file from its start.
func TestLiveSendContinues(t *testing.T) {
	for _, server := range targetServers {
		if server.start == nil || !strings.HasPrefix(server.url, "ftp:") {
			continue
		}
		t.Run(server.name, func(t *testing.T) {
			large := noise(6 << 20)
			d := deploy(t, server, map[string]string{"sub/large": large})
			_, root := folder(t)
			s := server.start(t, root)
			proxy := faulty.StartFTP(t, s.Addr, func(c faulty.Conn) faulty.Fault {
				if c.Data && c.N < 5 { // a listing is not that long
					return faulty.Fault{CutSent: 2 << 20}
				}
				return faulty.Fault{}
			})
			s.Addr, s.Port = proxy.Addr, netip.MustParseAddrPort(proxy.Addr).Port()
			d.to, d.target = clientEndpoint(t, server, s), filepath.Join(root, "www")
			var log eventLog
			opts := SendOptions{TreeOptions: TreeOptions{Event: log.add, Retry: never}, Manifest: Manifest{Dir: d.state}}
			for range 2 {
				if _, err := Send(t.Context(), d.from, d.to, opts); err != nil {
					t.Fatal(err)
				}
				opts.Retry = hasty
			}
			var begun []int64
			for _, e := range log.of(Started) {
				begun = append(begun, e.Done)
			}
			if len(begun) < 2 || begun[0] != 0 || begun[len(begun)-1] < 1<<20 != server.restarts {
				t.Errorf("the uploads begin at %d: %v", begun, log.of(Failed))
			}
			compareTrees(t, contents(t, d.target), map[string]string{"sub/": "", "sub/large": large})
		})
	}
}

// A real server that ignores case gets one of two files, and says which one it did not get.
func TestLiveSendCaseBlind(t *testing.T) {
	server := targetServer{start: peers.PyftpdlibAsIIS, url: "ftp://@@/www", dir: "www"}
	d := deploy(t, server, map[string]string{"a": "small", "A": "LARGE", "b": "b"})
	for range 2 {
		report, log := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
		if failed := log.of(Failed); len(failed) != 1 || !errors.Is(failed[0].Err, sync.ErrOneName) || report.NotDeleted == nil {
			t.Errorf("Send = %+v, %v", report, failed)
		}
		if there := contents(t, d.target); len(there) != 2 || there["b"] != "b" || there["a"] != "small" && there["A"] != "LARGE" {
			t.Errorf("the target has %q", there)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkTimes compares the times of files with the time that fill gives them.
func checkTimes(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name := range files {
		if name[len(name)-1] == '/' {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		check(t, err)
		if want := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC); !info.ModTime().Equal(want) {
			t.Errorf("%s has the time %v, want %v", name, info.ModTime().UTC(), want)
		}
	}
}

// A link of the target that the server shows as a directory is deleted, and its target stays.
func TestLiveSendDeletesLink(t *testing.T) {
	for _, server := range targetServers {
		if !strings.HasPrefix(server.url, "ftp:") {
			continue
		}
		t.Run(server.name, func(t *testing.T) {
			d := deploy(t, server, map[string]string{"a": "a"})
			root := filepath.Dir(d.target)
			fill(t, root, map[string]string{"other/precious": "p", "other/sub/precious": "q", "www/a": "a", "www/old/x": "x", "www/gone/": ""})
			for _, dir := range []string{"other", "other/sub", "www", "www/old", "www/gone"} { // the server may run as another user
				check(t, os.Chmod(filepath.Join(root, dir), 0o777))
			}
			check(t, os.Symlink("../other", filepath.Join(d.target, "shared")))
			check(t, os.Symlink("../../other", filepath.Join(d.target, "old", "in")))
			d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true, DryRun: true}})
			d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
			there := contents(t, root)
			if server.name == "inetutils" || server.name == "twisted" { // they remove no links to directories
				maps.DeleteFunc(there, func(name, _ string) bool { return name == "www/shared" || strings.HasPrefix(name, "www/old/") })
			}
			compareTrees(t, there, map[string]string{
				"other/": "", "other/precious": "p", "other/sub/": "", "other/sub/precious": "q", "www/": "", "www/a": "a",
			})
		})
	}
}
