package peers

import (
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

// INN starts INN, a server of RFC 3977, with groups and the articles in them, as [SN]
// does. It starts in transit mode, so MODE READER is needed. It has CAPABILITIES, OVER,
// POST and STARTTLS. Groups under "private." are for the user alice with the password
// secret.
//
// INN must run as the user news, so only root can start it. For others the test is
// skipped; with CI=true it fails.
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
		if err := giveTo(scratch, news); err != nil {
			t.Fatalf("peers: %v", err)
		}
		runTool(t, tool(scratch, "makedbz", "-i", "-o", "-f", "history"), "")
		return tool(scratch, "innd", "-d", "-P", fmt.Sprint(port))
	})
	t.Cleanup(func() { runTool(t, tool(s.scratch, "ctlinnd", "shutdown", "the test is over"), "") }) // it ignores SIGTERM
	s.PEM = filepath.Join(s.scratch, "etc/cert.pem")
	s.Roots = roots(t, s.PEM)
	post(t, s.Addr, articles)
	return s
}

// innTree writes the files that INN needs to run in one folder.
func innTree(t testing.TB, dir, scratch string, port uint16, groups []string) {
	t.Helper()
	etc := filepath.Join(scratch, "etc")
	for _, sub := range []string{"etc/filter", "db", "log", "run", "tmp", "spool/articles", "spool/overview", "spool/incoming", "spool/outgoing", "spool/archive"} {
		if err := os.MkdirAll(filepath.Join(scratch, sub), 0o700); err != nil {
			t.Fatalf("peers: %v", err)
		}
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

// post posts articles to a server.
func post(t testing.TB, addr string, articles []string) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, timeout)
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		t.Fatalf("peers: %v", err)
	}
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
