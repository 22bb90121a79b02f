package peers

import (
	"bytes"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// INN starts INN, a server of RFC 3977, with groups and articles. Each article has a header, which
// names its groups, an empty line and a body, in lines that end in LF. INN starts in transit mode,
// so MODE READER is needed. It has CAPABILITIES, OVER, POST and STARTTLS. Groups under "private."
// are for the user alice with the password secret.
//
// INN must run as the user news, so only root can start it. For other users the test is skipped;
// with CI=true it fails.
func INN(t testing.TB, groups []string, articles ...string) *Server {
	t.Helper()
	dir := tree(t, "inn")
	news, ok := attributesOf("news")
	if !ok {
		missing(t, "peers: only root can start INN, where there is a user news")
	}
	tool := func(scratch, name string, args ...string) *exec.Cmd {
		cmd := program(dir, filepath.Join("usr/lib/news/bin", name), args...)
		cmd.Env = append(cmd.Env, "INNCONF="+filepath.Join(scratch, "etc/inn.conf"),
			"LD_LIBRARY_PATH="+strings.Join(append(libraries(dir), filepath.Join(dir, "usr/lib/news")), ":"))
		cmd.Dir = filepath.Join(scratch, "db")
		cmd.SysProcAttr = news
		return cmd
	}
	s := start(t, t.TempDir(), func(port uint16, scratch string) *exec.Cmd {
		innTree(t, dir, scratch, port, groups)
		check(t, giveTo(scratch, news))
		runTool(t, tool(scratch, "makedbz", "-i", "-o", "-f", "history"), "")
		return tool(scratch, "innd", "-d", "-P", fmt.Sprint(port))
	})
	t.Cleanup(func() { runTool(t, tool(s.scratch, "ctlinnd", "shutdown", "the test is over"), "") }) // it ignores SIGTERM
	s.secure(t, filepath.Join(s.scratch, "etc"))
	post(t, s.Addr, articles)
	return s
}

// innTree writes the files that INN needs into scratch: its configuration for port and groups,
// and empty databases. dir is the folder in which INN is unpacked.
func innTree(t testing.TB, dir, scratch string, port uint16, groups []string) {
	t.Helper()
	etc := filepath.Join(scratch, "etc")
	for _, sub := range []string{"etc/filter", "db", "log", "run", "tmp", "spool/articles", "spool/overview", "spool/incoming", "spool/outgoing", "spool/archive"} {
		check(t, os.MkdirAll(filepath.Join(scratch, sub), 0o700))
	}
	certificate(t, etc)
	active := []string{"control 0000000000 0000000001 n", "control.cancel 0000000000 0000000001 n", "junk 0000000000 0000000001 n"}
	var about []string
	for _, group := range groups {
		active = append(active, group+" 0000000000 0000000001 y")
		about = append(about, group+"\tA group for tests")
	}
	bin := filepath.Join(dir, "usr/lib/news/bin")
	for name, text := range map[string]string{
		"etc/inn.conf": lines(
			"mta: \"/bin/true\"", "organization: \"Test\"", "ovmethod: tradindexed", "hismethod: hisv6",
			"pathhost: news.example.org", "domain: example.org", "fromhost: example.org",
			"bindaddress: 127.0.0.1", "sourceaddress: 127.0.0.1", fmt.Sprintf("port: %d", port),
			"allownewnews: true", "artcutoff: 0", "nnrpdloadlimit: 0", "enableoverview: true", "maxartsize: 0", "localmaxartsize: 0",
			"runasuser: news", "runasgroup: news",
			"tlscertfile: "+filepath.Join(etc, "cert.pem"), "tlskeyfile: "+filepath.Join(etc, "key.pem"),
			"pathnews: "+filepath.Dir(bin), "pathbin: "+bin, "pathdb: "+filepath.Join(scratch, "db"), "pathetc: "+etc,
			"pathrun: "+filepath.Join(scratch, "run"), "pathlog: "+filepath.Join(scratch, "log"),
			"pathhttp: "+filepath.Join(scratch, "log"), "pathtmp: "+filepath.Join(scratch, "tmp"),
			"pathfilter: "+filepath.Join(etc, "filter"), "pathspool: "+filepath.Join(scratch, "spool"),
			"patharticles: "+filepath.Join(scratch, "spool/articles"), "pathoverview: "+filepath.Join(scratch, "spool/overview"),
			"pathincoming: "+filepath.Join(scratch, "spool/incoming"), "pathoutgoing: "+filepath.Join(scratch, "spool/outgoing"),
			"patharchive: "+filepath.Join(scratch, "spool/archive"),
		),
		"etc/storage.conf":  lines("method tradspool {", "  newsgroups: *", "  class: 0", "}"),
		"etc/newsfeeds":     lines("ME:*::"),
		"etc/incoming.conf": lines("peer ME {", "  hostname: \"127.0.0.1\"", "}"),
		"etc/expire.ctl":    lines("/remember/:11", "*:A:never:never:never"),
		"etc/readers.conf": lines(
			`auth "localhost" {`, `  hosts: "127.0.0.1"`, `  default: "<localhost>"`,
			`  auth: "ckpasswd -f `+filepath.Join(etc, "passwords")+`"`, "}",
			`access "localhost" {`, `  users: "<localhost>"`, `  newsgroups: "*,!private.*"`, "  access: RPAN", "}",
			`access "users" {`, `  users: "alice"`, `  newsgroups: "*"`, "  access: RPAN", "}",
		),
		"etc/passwords":   lines("alice:" + secretHash),
		"db/active":       lines(active...),
		"db/newsgroups":   lines(about...),
		"db/active.times": "",
		"db/history":      "",
	} {
		write(t, filepath.Dir(filepath.Join(scratch, name)), filepath.Base(name), text)
	}
}

// post posts articles to the news server at addr.
func post(t testing.TB, addr string, articles []string) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, timeout)
	check(t, err)
	defer conn.Close()
	check(t, conn.SetDeadline(time.Now().Add(timeout)))
	c := textproto.NewConn(conn)
	say := func(command string, want int) {
		t.Helper()
		if command != "" {
			if _, err := conn.Write([]byte(command)); err != nil {
				t.Fatalf("peers: %v", err)
			}
		}
		if _, text, err := c.ReadCodeLine(want); err != nil {
			t.Fatalf("peers: %.40q is answered %s, %v", command, text, err)
		}
	}
	say("", 200)
	say("MODE READER\r\n", 200)
	for _, article := range articles {
		say("POST\r\n", 340)
		say(string(onWire(article)), 240)
	}
}

// SN starts sn, an old news server (RFC 977), with groups and their articles: a header, an
// empty line and a body, in lines that end in LF. It has XOVER and LISTGROUP, but neither
// CAPABILITIES nor OVER, and numbers articles from 10.
func SN(t testing.TB, groups []string, articles ...string) *Server {
	t.Helper()
	dir := tree(t, "sn")
	spool := t.TempDir()
	s, l := listen(t, spool)
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

// snProgram returns a command that runs a program of sn. dir is the folder in which sn is
// unpacked, spool is the folder of its articles, and name is the file name of the program.
func snProgram(dir, spool, name string, args ...string) *exec.Cmd {
	cmd := program(dir, filepath.Join("usr/sbin", name), args...)
	cmd.Dir = spool
	cmd.Env = append(cmd.Env, "SNROOT="+spool, "POSTING_OK=1", "PATH="+filepath.Join(dir, "usr/sbin")+":"+os.Getenv("PATH"))
	return cmd
}

// runTool runs a program to its end, with stdin as its input. If the program fails, so does the
// test.
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

// onWire returns an article in the form in which NNTP sends it: lines that end in CR LF,
// with leading periods doubled, and a last line "." (RFC 3977 §3.1.1).
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
