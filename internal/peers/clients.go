package peers

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Curl runs curl with arguments and environment variables ("name=value"), for at most a
// minute. It returns stdout, and if curl failed an error with its messages.
func Curl(t testing.TB, env []string, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "curl", "usr/bin/curl", env, append([]string{"-q", "--silent", "--show-error"}, args...))
}

// Wget runs wget as Curl runs curl, with its output to stdout.
func Wget(t testing.TB, env []string, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "wget", "usr/bin/wget", env, append([]string{"--no-config", "--no-verbose", "--tries=1", "-O", "-"}, args...))
}

// Lynx runs lynx, a browser for terminals, as Curl runs curl. With "-dump" it writes a
// page as text.
func Lynx(t testing.TB, env []string, args ...string) (stdout string, err error) {
	t.Helper()
	cfg := write(t, t.TempDir(), "lynx.cfg", lines("PERSISTENT_COOKIES:FALSE"))
	return client(t, "lynx", "usr/bin/lynx", env, append([]string{"-cfg=" + cfg, "-lss=/dev/null", "-connect_timeout=20"}, args...))
}

// client runs a program of a tree to its end.
func client(t testing.TB, peer, name string, env, args []string) (stdout string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	made := program(tree(t, peer), name, args...)
	cmd := exec.CommandContext(ctx, made.Path, args...)
	cmd.SysProcAttr = attributes()
	cmd.Env = append(withoutProxies(made.Env), "HOME="+t.TempDir(), "TERM=dumb", "LC_ALL=C.UTF-8")
	cmd.Env = append(cmd.Env, env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), &clientError{peer, err, strings.TrimSpace(problems.String())}
	}
	return out.String(), nil
}

// withoutProxies removes the variables for proxies from an environment.
func withoutProxies(env []string) []string {
	var kept []string
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasSuffix(strings.ToLower(name), "_proxy") {
			kept = append(kept, e)
		}
	}
	return kept
}

// A clientError says how a program failed.
type clientError struct {
	name string
	err  error
	said string
}

func (e *clientError) Error() string { return e.name + ": " + e.err.Error() + ": " + e.said }
func (e *clientError) Unwrap() error { return e.err }
