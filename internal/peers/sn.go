package peers

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// SN starts sn, an old news server (RFC 977), with groups and their articles: a header,
// an empty line and a body, in lines that end in LF. It has XOVER and LISTGROUP; it has
// no CAPABILITIES and no OVER, and numbers articles from 10.
func SN(t testing.TB, groups []string, articles ...string) *Server {
	t.Helper()
	dir := tree(t, "sn")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	spool := t.TempDir()
	s := newServer(t, spool, l.Addr().(*net.TCPAddr).AddrPort().Port())
	share(t, spool)
	tool := func(stdin, name string, args ...string) {
		t.Helper()
		runTool(t, snProgram(dir, spool, name, args...), stdin)
	}
	tool("", "snprimedb", "-i")
	for _, group := range groups {
		tool("", "snnewgroup", group)
	}
	var wire bytes.Buffer
	for _, article := range articles {
		wire.Write(onWire(article))
	}
	if len(articles) > 0 {
		tool(wire.String(), "snstore", "-v")
	}
	inetd(t, l, func() *exec.Cmd { return snProgram(dir, spool, "snntpd.bin", "-t", "600") })
	return s
}

// snProgram returns the command for a program of sn.
func snProgram(dir, spool, name string, args ...string) *exec.Cmd {
	cmd := program(dir, filepath.Join("usr/sbin", name), args...)
	cmd.Dir = spool
	cmd.Env = append(cmd.Env, "SNROOT="+spool, "POSTING_OK=1", "PATH="+filepath.Join(dir, "usr/sbin")+":"+os.Getenv("PATH"))
	return cmd
}

// runTool runs a program to its end, or fails the test.
func runTool(t testing.TB, cmd *exec.Cmd, stdin string) {
	t.Helper()
	cmd.Stdin = strings.NewReader(stdin)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = attributes()
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("peers: %s: %v\n%s", filepath.Base(cmd.Path), err, out)
	}
}

// onWire returns an article as it is sent (RFC 3977 §3.1.1).
func onWire(article string) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(article) {
		if strings.HasPrefix(line, ".") {
			b.WriteByte('.')
		}
		b.WriteString(strings.TrimRight(line, "\r\n") + "\r\n")
	}
	b.WriteString(".\r\n")
	return b.Bytes()
}
