package peers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Curl runs curl with these arguments and environment variables ("name=value"), for at most a
// minute. It returns the output of curl. If curl fails, the error has its messages.
func Curl(t testing.TB, env []string, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "curl", "usr/bin/curl", "", env, append([]string{"-q", "--silent", "--show-error"}, args...))
}

// Wget runs wget, as Curl runs curl. wget writes the resource to its output.
func Wget(t testing.TB, env []string, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "wget", "usr/bin/wget", "", env, append([]string{"--no-config", "--no-verbose", "--tries=1", "-O", "-"}, args...))
}

// Lynx runs lynx, a browser for terminals, as Curl runs curl. With "-dump" it writes a
// page as text.
func Lynx(t testing.TB, env []string, args ...string) (stdout string, err error) {
	t.Helper()
	return lynx(t, "", env, args)
}

// LynxPost sends a form to a URL with lynx, and returns the text of the resulting page. The
// form is a query, such as "name=value".
func LynxPost(t testing.TB, form, target string) (text string, err error) {
	t.Helper()
	return lynx(t, lines(form, "---"), nil, []string{"-dump", "-post_data", target})
}

// lynx runs lynx with stdin as its input, without a configuration of the user.
func lynx(t testing.TB, stdin string, env, args []string) (stdout string, err error) {
	t.Helper()
	cfg := write(t, t.TempDir(), "lynx.cfg", lines("PERSISTENT_COOKIES:FALSE"))
	return client(t, "lynx", "usr/bin/lynx", stdin, env, append([]string{"-cfg=" + cfg, "-lss=/dev/null", "-connect_timeout=20"}, args...))
}

// XMLLint runs xmllint as Curl runs curl, with a document as its input.
func XMLLint(t testing.TB, document string, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "xmllint", "usr/bin/xmllint", document, nil, append([]string{"--nonet"}, append(args, "-")...))
}

// Fish runs script, lines of the shell fish, as Curl runs curl.
func Fish(t testing.TB, env []string, script string) (stdout string, err error) {
	t.Helper()
	return client(t, "fish", "usr/bin/fish", "", env, []string{"--no-config", "-c", script})
}

// Zsh runs script, lines of the shell zsh, for at most a minute, and returns its output. env has
// further environment variables. zsh finds its modules and functions. If the script fails, the
// error has its messages.
func Zsh(t testing.TB, env []string, script string) (stdout string, err error) {
	t.Helper()
	dir := tree(t, "zsh")
	script = lines("module_path+=("+dir+"/usr/lib/*/zsh/*(N/))", "fpath+=("+dir+"/usr/share/zsh/functions/*(N/) "+dir+"/usr/share/zsh/functions/Completion/*(N/))", script)
	return client(t, "zsh", "bin/zsh", "", env, []string{"-f", "-c", script})
}

// Shared returns a new folder that the programs of this package may write to. It is removed
// when the test ends.
func Shared(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	share(t, dir)
	return dir
}

// client runs a program of a peer with stdin as its input, for at most a minute. name is the path
// of the program in the folder of the peer, and env has further environment variables. client
// returns the output of the program. If the program fails, the error has its messages.
func client(t testing.TB, peer, name, stdin string, env, args []string) (stdout string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made := program(tree(t, peer), name, args...)
	cmd := exec.CommandContext(ctx, made.Path, args...)
	cmd.SysProcAttr, cmd.Stdin = attributes(), strings.NewReader(stdin)
	cmd.Env = append(withoutProxies(made.Env), "HOME="+t.TempDir(), "TERM=dumb", "LC_ALL=C.UTF-8")
	cmd.Env = append(cmd.Env, env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", peer, err, strings.TrimSpace(problems.String()))
	}
	return out.String(), nil
}

// withoutProxies returns a copy of an environment without the variables for proxies.
func withoutProxies(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return strings.HasSuffix(strings.ToLower(name), "_proxy")
	})
}

// S3270 connects s3270, a 3270 display of model 2, to the host at addr, and runs actions, such as
// "String(ada)" and "Enter()", each after the host has answered the last. It returns the 24 rows
// of the screen, without trailing blanks. It takes at most a minute.
func S3270(t testing.TB, addr string, actions ...string) []string {
	t.Helper()
	script := []string{"Connect(" + addr + ")"}
	for _, action := range append(actions, "Ascii()") {
		script = append(script, "Wait(30,Unlock)", action)
	}
	output, err := client(t, "s3270", "usr/bin/s3270", lines(script...), nil, []string{"-model", "3279-2-E", "-codepage", "cp037", "-utf8"})
	check(t, err)
	var rows []string
	for line := range strings.Lines(output) {
		if row, ok := strings.CutPrefix(line, "data: "); ok {
			rows = append(rows, strings.TrimRight(row, " \r\n"))
		}
	}
	if len(rows) != 24 {
		t.Fatalf("peers: s3270 shows no screen of 24 rows:\n%s", output)
	}
	return rows
}

// Chromium returns the path of the installed browser, of any version. The browser must be
// installed, because it is too large to be unpacked for tests. If it is missing the test is
// skipped; with CI=true it fails.
func Chromium(t testing.TB) string {
	t.Helper()
	return anyChromium(t, "chromium", "chromium-browser", "google-chrome")
}

// HeadlessChromium returns the path of a Chromium without windows and profiles, which needs half
// of the processor time. If it is not installed, the result is the result of [Chromium].
func HeadlessChromium(t testing.TB) string {
	t.Helper()
	return anyChromium(t, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
}

// anyChromium returns the path of the first of names, programs that are Chromium, that is
// installed. Without any the test is skipped; with CI=true it fails.
func anyChromium(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "peers: there is no chromium: apt-get install chromium")
	return ""
}

// Compile builds a program from the file source, C or C++ by its name, with the libraries libs of
// the peer name, and returns the path of the program. It keeps the program beside the libraries,
// and builds it again only if the source has changed. Without a compiler the test is skipped; with
// CI=true it fails. With -short it is skipped, because tests for another processor or system have
// -short, and cannot run the program.
func Compile(t testing.TB, name, source string, libs ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("-short: %s is not compiled", name)
	}
	dir := tree(t, name)
	compiler, args := "cc", []string{"-O1"}
	if strings.HasSuffix(source, ".cpp") {
		compiler, args = "c++", []string{"-O1", "-std=c++17"}
	}
	if _, err := exec.LookPath(compiler); err != nil {
		missing(t, "peers: no compiler to use %s with: %v", name, err)
	}
	args = append(args, "-I"+filepath.Join(dir, "usr/include"), source)
	for _, d := range libraries(dir) {
		args = append(args, "-L"+d, "-Wl,-rpath,"+d)
	}
	for _, lib := range libs {
		args = append(args, "-l"+lib)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s %q %s", compiler, args, text))
	program := filepath.Join(dir, fmt.Sprintf("%s-%x", name, key[:8]))
	if _, err := os.Stat(program); err == nil {
		return program
	}
	// Another process may build it, too. A rename replaces the program as a whole.
	built := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command(compiler, append(args, "-o", built)...).CombinedOutput(); err != nil {
		t.Fatalf("peers: %s %s: %v\n%s", compiler, source, err, out)
	}
	if err := install(built, program); err != nil {
		return built // because the folder may belong to another user
	}
	return program
}

// Cadaver runs cadaver, a client for WebDAV, with a URL and commands such as "ls", as Curl
// runs curl.
func Cadaver(t testing.TB, url string, commands ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "cadaver", "usr/bin/cadaver", lines(append(commands, "quit")...), nil, []string{url})
}

// Rclone runs rclone as Curl runs curl. It has only the remotes in its arguments, such as
// ":webdav,url='http://127.0.0.1:8080/':".
func Rclone(t testing.TB, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "rclone", "usr/bin/rclone", "", nil, append([]string{"--config", "", "--retries", "1", "--low-level-retries", "1"}, args...))
}

// install copies the program from the file from to the file to, and makes it executable. It writes
// a temporary file and renames it, so that no process can start an incomplete program.
func install(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o755), f.Close()); err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
