// Package readmetest follows README.md as a new user does: in a new clone, with an empty home
// folder, one command after the other. It has only tests.
//
// The demo replaces the servers of the Internet: the SOCKS proxy in ALL_PROXY connects to it.
package readmetest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus/demo"
	"locus/internal/ptytest"
)

// root is the folder of README.md.
const root = "../../../.."

// A newcomer types the commands of README.md.
type newcomer struct {
	t     *testing.T
	home  string
	clone string
	work  string // the folder for commands that do not need the clone
	env   []string
	demo  *program

	here  *strings.Replacer // replaces the usual addresses of the demo's servers by the addresses of this demo
	usual *strings.Replacer // the inverse of here
}

// Each command of README.md works, in this order. The output of each session is the output in
// README.md.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := arrive(t)
	ran := 0
	for i, block := range strings.Split(string(text), "```") {
		kind, commands, _ := strings.Cut(block, "\n")
		switch {
		case i%2 == 0: // outside of a block
		case kind == "":
			for line := range strings.Lines(commands) {
				n.run(strings.TrimSuffix(line, "\n"))
				ran++
			}
		case kind == "console":
			for step := range strings.SplitSeq("\n"+commands, "\n$ ") {
				if command, shown, _ := strings.Cut(step, "\n"); command != "" {
					n.show(command, strings.TrimSuffix(shown, "\n"))
					ran++
				}
			}
		case kind != "go": // another test compiles it
			t.Errorf("README.md has a block of the unknown kind %q", kind)
		}
	}
	if ran < 25 {
		t.Errorf("README.md has only %d commands", ran)
	}
	n.demo.stop()
	n.bash(n.module(), n.env, `cp "$0/examples/open/main.go" . && go build`, n.clone) // with locus from the clone
}

// arrive makes the home folder and the clone.
func arrive(t *testing.T) *newcomer {
	t.Helper()
	home := t.TempDir()
	n := &newcomer{t: t, home: home, clone: filepath.Join(home, "locus"), work: filepath.Join(home, "work")}
	for _, dir := range []string{n.clone, n.work} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	n.bash(root, os.Environ(), `git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory "$0"`, n.clone)
	proxy, certificate := internet(t)
	n.env = []string{
		"HOME=" + home,
		"PATH=" + filepath.Join(home, "go/bin") + ":" + os.Getenv("PATH"),
		"LANG=C.UTF-8",
		"TERM=xterm",
		"ALL_PROXY=socks5h://" + proxy,
		"NO_PROXY=127.0.0.1",
		"SSL_CERT_FILE=" + certificate,
		"GOFLAGS=-trimpath", // so that the build cache of other runs can be used
	}
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY"} { // modules and builds that Go already has
		n.env = append(n.env, name+"="+strings.TrimSpace(n.bash(root, os.Environ(), "go env "+name)))
	}
	for name, text := range map[string]string{
		filepath.Join(home, ".netrc"): "machine example.org login alice password secret\n",
		// Files of the new user.
		filepath.Join(n.work, "index.html"): "<title>Mine</title>",
		filepath.Join(n.work, "SHA256SUMS"): sums(),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// bash runs a line and returns its output. It fails the test if the line fails.
func (n *newcomer) bash(dir string, env []string, line string, args ...string) string {
	n.t.Helper()
	out, err := command(n.t.Context(), dir, env, line, args...).Output()
	if err != nil {
		exit, _ := err.(*exec.ExitError)
		n.t.Fatalf("%s: %v\n%s%s", line, err, out, exit.Stderr)
	}
	return string(out)
}

func command(ctx context.Context, dir string, env []string, line string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", line}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = time.Second
	return cmd
}

// module returns the folder of a module without code yet. The first call makes the module.
func (n *newcomer) module() string {
	n.t.Helper()
	dir := filepath.Join(n.home, "module")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	n.bash(n.home, n.env, `mkdir module && cd module && go mod init example.org/module`)
	return dir
}

// run runs a line that is not part of a session. The line must succeed.
func (n *newcomer) run(line string) {
	n.t.Helper()
	name, comment, _ := strings.Cut(line, " #")
	switch name = strings.TrimSpace(name); {
	case strings.HasPrefix(strings.TrimSpace(comment), "as root"): // release/try-deb.sh does it
	case strings.HasPrefix(name, "go mod "), strings.HasPrefix(name, "go get "): // in a module that will import locus
		n.bash(n.module(), n.env, strings.ReplaceAll(name, "/path/to/locus", n.clone))
	case strings.HasPrefix(name, "go "):
		n.bash(n.clone, n.env, line)
	case name == "locus": // it prints help, and fails because there is no verb
		if out, err := command(n.t.Context(), n.work, n.env, name+" 2>&1").Output(); !strings.Contains(string(out), "five things") {
			n.t.Errorf("%s: %v\n%s", line, err, out)
		}
	case name == "locus serve":
		n.demo.stop()
		n.demo = nil
		gateway := start(n, n.work, name+" --listen 127.0.0.1:0", "the gateway is at http") // the usual port may be in use
		at := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(gateway.output())
		r, err := http.Get(at)
		if err != nil || r.StatusCode != http.StatusOK {
			n.t.Errorf("%s: %v", line, err)
		}
		gateway.stop()
	case strings.HasPrefix(name, "locus open telnet:"):
		n.session(name)
	default:
		n.bash(n.work, n.env, strings.ReplaceAll(line, "ftp://me@", "ftp://alice@")) // a user whom the server knows
	}
}

// show runs a line of a session. The output must be the output in README.md.
func (n *newcomer) show(line, want string) {
	n.t.Helper()
	if n.demo == nil {
		n.startDemo()
	}
	if line == "locus demo" {
		if _, got, _ := strings.Cut(n.usual.Replace(n.demo.output()), "\n\nOpen this page"); "Open this page"+got != want+"\n" {
			n.t.Errorf("$ %s\n%s\nREADME.md has\n%s", line, got, want)
		}
		return
	}
	if file, ok := strings.CutPrefix(line, "cat "); ok {
		if err := os.WriteFile(filepath.Join(n.work, file), []byte(n.here.Replace(want)+"\n"), 0o600); err != nil {
			n.t.Fatal(err)
		}
	}
	out, err := n.output(n.here.Replace(line))
	got := n.usual.Replace(strings.TrimSuffix(strings.ReplaceAll(out, "\r\n", "\n"), "\n"))
	if got != want {
		n.t.Errorf("$ %s\n%s\n%v; README.md has\n%s", line, got, err, want)
	}
	if failed := strings.Contains(want, "\nlocus: ") || strings.HasPrefix(want, "locus: ") || strings.HasPrefix(want, "dead "); failed != (err != nil) {
		n.t.Errorf("$ %s: %v, want an error: %v", line, err, failed)
	}
}

// output runs a line and returns its output. A line that lists a folder runs at a terminal, because
// locus writes shorter lines there.
func (n *newcomer) output(line string) (string, error) {
	n.t.Helper()
	if !strings.HasPrefix(line, "locus ls ") {
		out, err := command(n.t.Context(), n.work, n.env, line+" 2>&1").Output()
		return string(out), err
	}
	master, tty := ptytest.Open(n.t)
	shown := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(master) // returns an error when no process has the terminal open
		shown <- text
	}()
	cmd := command(n.t.Context(), n.work, n.env, line)
	cmd.Stdout, cmd.Stderr = tty, tty
	err := cmd.Run()
	tty.Close()
	return string(<-shown), err
}

// addresses matches the addresses of the demo's servers, and gatewayAddress that of its gateway.
var (
	addresses      = regexp.MustCompile(`(?m)^  ([a-z0-9.]+)://(?:[^/@\s]+@)?(127\.0\.0\.1:\d+)/$`)
	gatewayAddress = regexp.MustCompile(`(?m)^Open this page.*\n\n  http://(127\.0\.0\.1:\d+)/$`)
)

// startDemo starts the demo, with the list of its servers. They may get other addresses than the
// usual ones, which README.md names, because another program may use some of them.
func (n *newcomer) startDemo() {
	n.t.Helper()
	n.demo = start(n, n.work, "locus demo --list", "until you press Ctrl-C")
	shown := n.demo.output()
	list, _, _ := strings.Cut(shown, "Programs can use")
	var there, back [][2]string
	add := func(usual, now string) {
		there, back = append(there, [2]string{usual, now}), append(back, [2]string{now, usual})
	}
	for _, m := range addresses.FindAllStringSubmatch(list, -1) {
		add(fmt.Sprintf("127.0.0.1:%d", demo.UsualPort(m[1])), m[2])
	}
	if m := gatewayAddress.FindStringSubmatch(shown); m != nil {
		add("127.0.0.1:1738", m[1])
	}
	if len(there) != len(demo.Schemes())+1 {
		n.t.Fatalf("the demo names %d addresses, want one for each of %q and its gateway:\n%s", len(there), demo.Schemes(), shown)
	}
	n.here, n.usual = replacer(there), replacer(back)
}

// replacer replaces the first of each pair by the second. An address may be the beginning of
// another, such as 127.0.0.1:1738 and 127.0.0.1:17380, so the longer one is replaced first.
func replacer(pairs [][2]string) *strings.Replacer {
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	var oldnew []string
	for _, p := range pairs {
		oldnew = append(oldnew, p[0], p[1])
	}
	return strings.NewReplacer(oldnew...)
}

// session runs a line at a terminal until the server has greeted, and then ends the session.
func (n *newcomer) session(line string) {
	n.t.Helper()
	master, tty := ptytest.Open(n.t)
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Minute)
	defer cancel()
	cmd := command(ctx, n.work, n.env, line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	shown := newOutput(greeting)
	go func() { _, _ = io.Copy(shown, master) }()
	shown.wait(n.t, line)
	if _, err := master.WriteString("\x1dq\n"); err != nil {
		n.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		n.t.Errorf("%s: %v\n%s", line, err, shown)
	}
}
