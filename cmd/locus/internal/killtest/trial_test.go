package killtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locus/internal/faulty"
)

// A trial is a server that runs, with the tree on both sides.
type trial struct {
	*testing.T
	server
	scheme  string
	files   map[string]string // the tree
	source  string            // the folder with the tree
	target  string            // the server's folder for it
	state   string
	url     string // of the target, through a proxy that can stall
	address string

	stall   atomic.Pointer[stall] // nil: transfers do not stall
	resumed []string              // the directions in which a file went on where it had stopped
}

// A stall stops transfers of the large file in the middle.
type stall struct {
	isReached atomic.Bool   // an upload has stopped
	ended     chan struct{} // closed when its connection may be closed
}

// largeName is the file during whose transfer the command is killed. Its transfer stalls in the
// middle.
const (
	largeName = "sub/large"
	largeSize = 4 << 20
	stallSize = 2 << 20
	queryName = "q?x=1#f" // a page of the web could have this name because of its query
)

// awkward is a tree of names that need care in URLs and commands.
func awkward() map[string]string {
	return map[string]string{
		"empty": "", "a b.txt": "spaces", "100%.txt": "percent", "%41.txt": "escape", queryName: "delimiters", "semi;type=a": "type code",
		"ünï/日本.txt": "not ASCII", "ünï/é": "Latin-1", ".hidden": "dot", "sub/deep/e.txt": "e", "sub/+&=@:,'()!~$": "others",
		largeName: strings.Repeat("0123456789abcde\n", largeSize/16),
	}
}

func newTrial(t *testing.T, scheme string, s server) *trial {
	root := t.TempDir()
	r := &trial{T: t, server: s, scheme: scheme, files: awkward(), source: t.TempDir(), state: t.TempDir()}
	dir := cmp.Or(s.dir, "www")
	r.target = filepath.Join(root, filepath.FromSlash(dir))
	r.fill(r.source)
	if s.fixed {
		r.fill(r.target)
	} else if err := os.MkdirAll(filepath.Dir(r.target), 0o777); err != nil {
		t.Fatal(err)
	}
	running := s.start(t, root)
	proxy := faulty.Start
	if scheme == "ftp" {
		proxy = faulty.StartFTP
	}
	r.address = proxy(t, running.Addr, r.fault).Addr
	r.url = r.at(s.login) + dir + "/"
	return r
}

// fault makes large transfers stall, if r.stall is set.
func (r *trial) fault(faulty.Conn) faulty.Fault {
	now := r.stall.Load()
	if now == nil {
		return faulty.Fault{}
	}
	return faulty.Fault{Stall: stallSize, StallSent: stallSize, SentStalls: func() {
		now.isReached.Store(true)
		<-now.ended
	}}
}

// at returns the URL of the server's folder with a login.
func (r *trial) at(login string) string { return r.scheme + "://" + login + r.address + "/" }

// fill writes the tree into a folder.
func (r *trial) fill(dir string) {
	for name, text := range r.files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
		if err := os.Chtimes(file, sourceTime, sourceTime); err != nil {
			r.Fatal(err)
		}
	}
}

// run returns the cells of the row.
func (r *trial) run() []string {
	put := r.put()
	ls, mirror, remove := r.ls(), r.mirror(), r.remove()
	r.get()
	return []string{ls, mirror, put, remove, cmp.Or(strings.Join(r.resumed, ", "), "from the start"), r.tls(), r.wrongPassword()}
}

// put uploads the tree. It is killed in the middle, and run again.
func (r *trial) put() string {
	if r.fixed {
		return "–"
	}
	args := []string{"put", "-r", "--json", r.source, r.url}
	r.kill(func() bool { return r.stall.Load().isReached.Load() && (r.scheme != "ftp" || hasLarge(r.target)) }, args...)
	if info, err := os.Stat(filepath.Join(r.target, largeName)); err == nil && info.Size() != largeSize {
		r.Errorf("a killed run leaves %d of %d bytes of %s", info.Size(), largeSize, largeName)
	}
	out, err := r.command(args...)
	r.noteResumed("uploads", out)
	return r.equal(out, err, r.target, tree(r.T, r.source))
}

// sourceTime is the time of all files of the source.
var sourceTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// mirror copies the tree from the server. It is killed in the middle, and run again.
func (r *trial) mirror() string {
	back := r.TempDir()
	args := []string{"mirror", "--json", "--ignore-robots", r.url, back}
	r.kill(func() bool { return hasLarge(back) }, args...)
	out, err := r.command(args...)
	return r.equal(out, err, back, tree(r.T, r.target))
}

// ls lists the top folder.
func (r *trial) ls() string {
	out, err := r.command("ls", "--json", r.url)
	want := make(map[string]content)
	for name := range tree(r.T, r.target) {
		top, _, _ := strings.Cut(name, "/")
		want[top] = content{}
	}
	got := make(map[string]content)
	for line := range bytes.Lines(out) {
		var e struct{ Title string }
		if json.Unmarshal(line, &e) == nil {
			got[strings.TrimSuffix(e.Title, "/")] = content{}
		}
	}
	return r.cell(out, err, got, want)
}

// remove deletes a file and a folder at one end, and then at the other one.
func (r *trial) remove() string {
	first, cell := r.source, "yes"
	if r.fixed {
		first, cell = r.target, "`mirror`"
	}
	back := r.TempDir()
	mirror := []string{"mirror", "--json", "--ignore-robots", "--delete", r.url, back}
	out, err := r.command(mirror...)
	r.equal(out, err, back, tree(r.T, r.target))
	for _, name := range []string{"a b.txt", "ünï"} {
		if err := os.RemoveAll(filepath.Join(first, name)); err != nil {
			r.Fatal(err)
		}
	}
	for _, test := range []struct {
		args     []string
		from, to string
	}{
		{[]string{"put", "-r", "--json", "--delete", r.source, r.url}, r.source, r.target},
		{mirror, r.target, back},
	} {
		if r.fixed && test.args[0] == "put" {
			continue
		}
		out, err := r.command(test.args...)
		if left := r.equal(out, err, test.to, tree(r.T, test.from)); !strings.HasPrefix(left, "yes") {
			cell = "`" + test.args[0] + "`: " + left
		}
	}
	return cell
}

// get downloads one file. It is killed in the middle, and run again. The file has an old time, because
// a web server tells the time of a new file by a weak validator, with which a download does not resume.
func (r *trial) get() {
	if err := os.Chtimes(filepath.Join(r.target, largeName), sourceTime, sourceTime); err != nil {
		r.Fatal(err)
	}
	if r.scheme == "http" {
		r.awaitTime(r.url + largeName)
	}
	dir := r.TempDir()
	args := []string{"get", "--json", "--continue", "--output-dir", dir, r.url + largeName}
	r.kill(func() bool { return hasLarge(dir) }, args...)
	out, err := r.command(args...)
	got, readErr := os.ReadFile(filepath.Join(dir, filepath.Base(largeName)))
	if err != nil || readErr != nil || string(got) != r.files[largeName] {
		r.Errorf("get has %d bytes, %v, %v\n%s", len(got), err, readErr, out)
	}
	r.noteResumed("downloads", out)
}

// awaitTime waits until the server says that the file has the time sourceTime, because lighttpd remembers the
// attributes of a file for some seconds.
func (r *trial) awaitTime(u string) {
	r.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(100 * time.Millisecond) {
		out, err := r.command("stat", "--json", u)
		if err != nil {
			r.Fatalf("stat: %v\n%s", err, out)
		}
		if bytes.Contains(out, []byte(sourceTime.Format(time.RFC3339))) {
			return
		}
	}
	r.Fatalf("the server does not notice the time of %s", u)
}

// tls copies a file to and from the server over TLS.
func (r *trial) tls() string {
	var names []string
	for _, way := range r.secured {
		r.tryTLS(way)
		names = append(names, way.name)
	}
	return cmp.Or(strings.Join(names, ", "), "–")
}

func (r *trial) tryTLS(way secured) {
	root, above := r.TempDir(), strings.TrimSuffix(r.dir, "www")
	dir, file := filepath.Join(root, filepath.FromSlash(above)), filepath.Join(r.TempDir(), "copy")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o644); err != nil {
		r.Fatal(err)
	}
	s := way.start(r.T, root)
	at := way.scheme + "://" + way.login + s.Addr + "/" + above
	for _, test := range []struct {
		args []string
		made string
	}{
		{[]string{"get", "-o", file, at + "file"}, file},
		{[]string{"put", file, at + "file2"}, filepath.Join(dir, "file2")},
	} {
		if r.fixed && test.args[0] == "put" {
			continue
		}
		cmd := r.process(append(test.args, way.flags...)...)
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+s.PEM)
		out, err := cmd.CombinedOutput()
		if text, readErr := os.ReadFile(test.made); err != nil || string(text) != "text" {
			r.Errorf("%s: locus %q: %v, %q, %v\n%s", way.name, test.args, err, text, readErr, out)
		}
	}
}

// wrongPassword logs in with a wrong password. The error must name the login, and not the password.
func (r *trial) wrongPassword() string {
	const wrongPassword = "not-the-word"
	at, pem := r.at("alice:"+wrongPassword+"@"), ""
	if r.scheme == "http" {
		if r.locked == nil {
			return "–"
		}
		s := r.locked(r.T, r.TempDir())
		at, pem = "http://ada:"+wrongPassword+"@"+s.Addr+"/", s.PEM
		if pem != "" {
			at = "https" + strings.TrimPrefix(at, "http")
		}
	}
	cmd := r.process("get", at+"file")
	cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+pem)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !bytes.Contains(out, []byte("password")) {
		r.Errorf("a wrong password: %v, want an error that names the login\n%s", err, out)
	}
	if bytes.Contains(out, []byte(wrongPassword)) {
		r.Errorf("the error has the password:\n%s", out)
	}
	return "an error"
}

// kill runs the command so that large transfers stall, and kills it when done returns true.
func (r *trial) kill(done func() bool, args ...string) {
	now := &stall{ended: make(chan struct{})}
	r.stall.Store(now)
	defer close(now.ended)
	defer r.stall.Store(nil)
	cmd := r.process(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for deadline := time.After(time.Minute); !done(); {
		select {
		case err := <-ended:
			r.Fatalf("locus %q ended before it was killed: %v\n%s", args, err, out.Bytes())
		case <-deadline:
			_ = cmd.Process.Kill() // after an error, it has already ended
			<-ended
			r.Fatalf("locus %q does not get far\n%s", args, out.Bytes())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	<-ended
}

// hasLarge reports whether most of the bytes before the stall are in a file below dir.
func hasLarge(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // a file may vanish meanwhile
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // the walk goes on
		}
		info, err := e.Info()
		found = found || err == nil && info.Size() > stallSize*3/4
		return nil
	})
	return found
}

// noteResumed records the direction if the output of a run says that the large file went on where it
// had stopped. A file that cannot go on is started twice.
func (r *trial) noteResumed(direction string, out []byte) {
	var from int64
	for line := range bytes.Lines(out) {
		var e struct {
			Event, Name, URL string
			Done             int64
		}
		if json.Unmarshal(line, &e) == nil && e.Event == "started" && strings.Contains(e.URL, largeName) {
			from = e.Done
		}
	}
	if from > 0 {
		r.resumed = append(r.resumed, direction)
	}
}

// equal compares the files in a folder with want.
func (r *trial) equal(out []byte, err error, dir string, want map[string]content) string {
	return r.cell(out, err, tree(r.T, dir), want)
}

// cell returns the result of a run in words. The run must have failed if files are missing, unless
// these are hidden, so that the server may not list them.
func (r *trial) cell(out []byte, err error, got, want map[string]content) string {
	renamed, escaped := "", strings.ReplaceAll(queryName, "?", "%3F")
	if text, ok := got[escaped]; ok {
		got[queryName] = text
		delete(got, escaped)
		renamed = "; `?` in a name becomes `%3F`"
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[name]; !ok || text != want[name] {
			missing = append(missing, "`"+name+"`")
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			r.Errorf("%q should not be there\n%s", name, out)
		}
	}
	silent := !slices.ContainsFunc(missing, func(name string) bool { return name[1] != '.' })
	if (err == nil) != silent {
		r.Errorf("%v, but these differ: %s\n%s", err, missing, out)
	}
	if missing == nil {
		return "yes" + renamed
	}
	return "all but " + strings.Join(missing, ", ") + renamed
}

func (r *trial) command(args ...string) ([]byte, error) { return r.process(args...).CombinedOutput() }

func (r *trial) process(args ...string) *exec.Cmd {
	cmd := process(r.Context(), args...)
	cmd.Env = append(cmd.Environ(), "XDG_STATE_HOME="+r.state, "HOME="+r.state)
	return cmd
}
