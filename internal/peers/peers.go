// Package peers starts the real servers that tests talk to: nginx, vsftpd,
// proftpd, gophernicus, pygopherd, sn, INN and others.
//
// The servers are Debian packages, unpacked (never installed) into the folder
// that [Folder] names; `make peers` fetches them. Each function starts one
// server on a loopback port of its own, waits until it answers, and stops it when
// the test ends. Run as root, the servers get the account nobody.
//
// Where a server is not unpacked the test is skipped, saying which and what to
// do; with CI=true it fails instead. Libraries that tests compare with are got
// the same way; see [Compile].
package peers

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a server may take to start, to answer and to log. Only a
// test that fails uses it up.
const patience = time.Minute

// A Server is a running server. It is stopped when the test that started it
// ends. Its methods may be called at the same time.
type Server struct {
	Addr  string // host and port to dial: "127.0.0.1:40123"
	Host  string // "127.0.0.1"
	Port  uint16
	Roots *x509.CertPool // trusts its certificate; nil if it has none
	PEM   string         // the file with that certificate; "" if it has none
	Root  string         // the folder served: what the server takes as the top, and for ftp where a login begins

	scratch  string // configuration, logs; the server may write here
	commands commandLog
}

// Commands returns what clients have asked since the last call, a line each, as
// the server logged it: "CWD pub" (ftp; "PASS …" with whatever the server shows
// of the password), "GET /x HTTP/1.1" (nginx). Servers log a command when it is
// done, which may be after the client has its answer: so Commands waits until
// the line last is there, and fails the test if it does not come. With last ""
// it does not wait. Gopher servers log nothing, and Commands fails the test.
func (s *Server) Commands(t testing.TB, last string) []string {
	t.Helper()
	if s.commands.line == nil {
		t.Fatalf("peers: the server at %s keeps no log of commands", s.Addr)
	}
	lines, ok := s.commands.since(last, patience)
	if !ok {
		t.Fatalf("peers: %q is not in the server's log after %v; it has %q", last, patience, lines)
	}
	return lines
}

// A commandLog reads commands out of a log that a server is writing.
type commandLog struct {
	file string
	line func(string) (command string, ok bool) // reads one line of the log

	mu   sync.Mutex
	seen int // commands that were handed out
}

// since returns the commands after those handed out, waiting for last.
func (l *commandLog) since(last string, wait time.Duration) (lines []string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for deadline := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		lines = l.read()[l.seen:]
		if last == "" || contains(lines, last) {
			l.seen += len(lines)
			return lines, true
		}
		if time.Now().After(deadline) {
			return lines, false
		}
	}
}

// read returns every command in the log. A line without its end is not yet one.
func (l *commandLog) read() []string {
	text, _ := os.ReadFile(l.file) // not there yet: nothing was asked
	whole := text[:strings.LastIndexByte(string(text), '\n')+1]
	var commands []string
	for line := range strings.Lines(string(whole)) {
		if c, ok := l.line(strings.TrimRight(line, "\r\n")); ok {
			commands = append(commands, c)
		}
	}
	return commands
}

func contains(lines []string, last string) bool {
	for _, l := range lines {
		if l == last {
			return true
		}
	}
	return false
}

// Folder is where `make peers` unpacks the servers, one folder for each:
// $LOCUS_PEERS, or locus-peers in the user's cache folder; for root, whose
// cache folder the account nobody cannot read, /var/cache/locus-peers.
func Folder() string {
	if d := os.Getenv("LOCUS_PEERS"); d != "" {
		return d
	}
	cache, err := os.UserCacheDir()
	if os.Geteuid() == 0 || err != nil {
		cache = "/var/cache"
	}
	return filepath.Join(cache, "locus-peers")
}

// A Peer is a server, or a client, that `make peers` fetches.
type Peer struct {
	Name     string   // of the program, and of its folder in [Folder]
	Packages []string // Debian's names for what it needs
}

// Peers returns every program that this package can start.
func Peers() []Peer {
	return []Peer{
		{"nginx", []string{"nginx-light"}},
		{"lighttpd", []string{"lighttpd"}},
		{"vsftpd", []string{"vsftpd"}},
		{"proftpd", []string{"proftpd-core", "proftpd-mod-crypto"}},
		{"pure-ftpd", []string{"pure-ftpd"}},
		{"pyftpdlib", []string{"python3-pyftpdlib"}},
		{"inetutils-ftpd", []string{"inetutils-ftpd"}},
		{"gophernicus", []string{"gophernicus"}},
		{"pygopherd", []string{"pygopherd"}},
		{"hercules", []string{"hercules"}},
		{"s3270", []string{"s3270"}},
		// apt wants a mail program beside them; these are small.
		{"sn", []string{"sn", "bsd-mailx", "msmtp-mta"}},
		{"inn", []string{"inn2", "msmtp-mta"}},
		{"telnetd", []string{"inetutils-telnetd"}},
		{"rlogind", []string{"rsh-redone-server"}},
		{"dovecot", []string{"dovecot-imapd", "dovecot-core"}},
		{"aiosmtpd", []string{"python3-aiosmtpd"}},
		{"microsocks", []string{"microsocks"}},
		{"tinyproxy", []string{"tinyproxy-bin"}},
		{"curl", []string{"curl"}},
		{"wget", []string{"wget"}},
		{"lynx", []string{"lynx"}},
		// Libraries, for Compile.
		{"uriparser", []string{"liburiparser-dev"}},
		{"boost-url", []string{"libboost-url1.81-dev"}},
	}
}

// tree returns the folder that the named server is unpacked in. Without one it
// ends the test: skipped, or failed where CI=true.
func tree(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(Folder(), name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	missing(t, "peers: %s is not unpacked in %s: run `make peers`", name, Folder())
	return ""
}

// missing ends a test that a server cannot be had for: skipped, or failed where
// CI=true.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
