// Package peers starts real servers for tests: nginx, vsftpd, proftpd, gophernicus,
// pygopherd, sn, INN and others.
//
// The servers are Debian packages, unpacked (never installed) into [Folder]; `make peers`
// fetches them. Servers in Go are programs of the module in folder servers, which `make peers`
// builds. Each function starts one server on a loopback port, waits until it answers,
// and stops it when the test ends. If the user is root, the servers run as nobody, because
// a test must not change the machine.
//
// If a server is not unpacked the test is skipped, with the reason; with CI=true it fails.
// For libraries, see [Compile].
//
// # How the pieces work together
//
// The command in folder fetch downloads the Debian packages of each [Peer] and unpacks them
// into [Folder]. A function that starts a server, such as [Nginx], writes its settings into
// a scratch folder and calls start (process.go). start reserves a port, runs the program in
// its own process group under another account (process_linux.go), waits until it accepts a
// connection, and stops the group when the test ends. A server that inetd runs gets its
// connections from inetd.go instead. A server that listens on every address gets them from
// network_linux.go. [Server].Commands reads the log of a server. Clients
// such as curl are run to their end (programs.go).
package peers

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/internal/fetched"
)

// timeout is how long a server may take to start, to answer and to log.
const timeout = time.Minute

// A Server is a running server. It is stopped when its test ends. Several goroutines
// may call its methods.
type Server struct {
	Addr  string // host and port to dial: "127.0.0.1:40123"
	Host  string // "127.0.0.1"
	Port  uint16
	Roots *x509.CertPool // trusts its certificate; nil for a server without TLS
	PEM   string         // the file with that certificate; may be ""
	Root  string         // the folder it serves; for ftp, where a login starts

	scratch  string // configuration, logs; the server may write here
	commands commandLog
}

// Commands returns the lines that the server logged since the last call: "CWD pub" (ftp;
// "PASS …" as the server shows it), "GET /x HTTP/1.1" (nginx). A server may log a command
// after it has answered. So Commands waits for the line last, and fails the test if it does
// not come. If last is "" it does not wait. For a gopher server, Commands fails the test,
// because gopher servers do not log.
func (s *Server) Commands(t testing.TB, last string) []string {
	t.Helper()
	if s.commands.line == nil {
		t.Fatalf("peers: the server at %s keeps no log of commands", s.Addr)
	}
	lines, ok := s.commands.since(last, timeout)
	if !ok {
		t.Fatalf("peers: %q is not in the server's log after %v; it has %q", last, timeout, lines)
	}
	return lines
}

// logs sets the file in the scratch folder into which the server logs commands. line returns
// the command in one line of the file, or false if the line has no command.
func (s *Server) logs(file string, line func(string) (command string, ok bool)) {
	s.commands.file, s.commands.line = filepath.Join(s.scratch, file), line
}

// A commandLog reads the commands in the log of a server.
type commandLog struct {
	file string
	line func(string) (command string, ok bool) // reads one line of the log

	mu   sync.Mutex
	seen int // commands returned so far
}

// since returns the commands that were logged after the last call. If last is not "", it waits
// for the command last. ok is false if last has not come after wait; then the next call returns
// the same commands again.
func (l *commandLog) since(last string, wait time.Duration) (lines []string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for deadline := time.Now().Add(wait); ; time.Sleep(5 * time.Millisecond) {
		lines = l.read()[l.seen:]
		if last == "" || slices.Contains(lines, last) {
			l.seen += len(lines)
			return lines, true
		}
		if time.Now().After(deadline) {
			return lines, false
		}
	}
}

// read returns every command in the log. A line without its end does not count.
func (l *commandLog) read() []string {
	text, _ := os.ReadFile(l.file) // a missing file means that the log is empty
	whole := text[:strings.LastIndexByte(string(text), '\n')+1]
	var commands []string
	for line := range strings.Lines(string(whole)) {
		if c, ok := l.line(strings.TrimRight(line, "\r\n")); ok {
			commands = append(commands, c)
		}
	}
	return commands
}

// Folder returns the path of the folder in which `make peers` unpacks the servers, each in its
// own folder.
func Folder() string { return fetched.Folder() }

// A Peer is a server, or a client, that `make peers` fetches.
type Peer struct {
	Name     string   // of the program, and of its folder in [Folder]
	Packages []string // the Debian packages that it needs; nil: it is built from servers/Name
}

// Peers returns every program that this package can start.
func Peers() []Peer {
	return []Peer{
		{"nginx", []string{"nginx-light"}},
		{"lighttpd", []string{"lighttpd", "lighttpd-mod-webdav"}},
		{"apache", []string{"apache2-bin"}},
		{"caddy", []string{"caddy"}},
		{"haproxy", []string{"haproxy"}},
		{"vsftpd", []string{"vsftpd"}},
		{"proftpd", []string{"proftpd-core", "proftpd-mod-crypto"}},
		{"pure-ftpd", []string{"pure-ftpd"}},
		{"pyftpdlib", []string{"python3-pyftpdlib"}},
		{"inetutils-ftpd", []string{"inetutils-ftpd"}},
		{"twisted", []string{"python3-twisted"}},
		{"python", []string{"python3"}},
		{"gophernicus", []string{"gophernicus"}},
		{"pygopherd", []string{"pygopherd"}},
		{"hercules", []string{"hercules"}},
		{"s3270", []string{"s3270"}},
		// apt requires a mail program, and these are small.
		{"sn", []string{"sn", "bsd-mailx", "msmtp-mta"}},
		{"inn", []string{"inn2", "msmtp-mta"}},
		{"telnetd", []string{"inetutils-telnetd"}},
		{"rlogind", []string{"rsh-redone-server"}},
		{"dictd", []string{"dictd", "dict-jargon"}},
		{"fingerd", []string{"fingerd", "finger"}},
		{"stunnel", []string{"stunnel4"}},
		{"molly-brown", []string{"molly-brown"}},
		{"openssh", []string{"openssh-server", "openssh-sftp-server", "openssh-client"}},
		{"dovecot", []string{"dovecot-imapd", "dovecot-core"}},
		{"aiosmtpd", []string{"python3-aiosmtpd"}},
		{"microsocks", []string{"microsocks"}},
		{"tinyproxy", []string{"tinyproxy-bin"}},
		{"curl", []string{"curl"}},
		{"wget", []string{"wget"}},
		{"lynx", []string{"lynx"}},
		{"cadaver", []string{"cadaver"}},
		{"rclone", []string{"rclone"}},
		{"xmllint", []string{"libxml2-utils"}},
		{"cmark-gfm", []string{"cmark-gfm"}},
		{"fish", []string{"fish"}},
		{"zsh", []string{"zsh"}},
		{"yaz", []string{"yaz"}},
		{"zebra", []string{"idzebra-2.0", "idzebra-2.0-utils"}},
		{"ganesha", []string{"nfs-ganesha", "nfs-ganesha-vfs", "rpcbind"}},
		{"libnfs", []string{"libnfs-utils"}},
		{"asciidoctor", []string{"asciidoctor"}},
		{"docutils", []string{"python3-docutils", "docutils-doc"}},
		// Libraries, for Compile.
		{"uriparser", []string{"liburiparser-dev"}},
		{"boost-url", []string{"libboost-url1.81-dev"}},
		// Servers in Go.
		{"goftp", nil},
		{"go-webdav", nil},
	}
}

// tree returns the path of the folder of the peer with this name. If the peer is not unpacked
// the test is skipped; with CI=true it fails.
func tree(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(Folder(), name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	missing(t, "peers: %s is not unpacked in %s: run `make peers`", name, Folder())
	return ""
}

// missing ends a test whose server is missing: it skips the test, or fails it with CI=true. The
// arguments are the reason.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// forbidden skips a test that this system does not allow, even with CI=true, because
// installing a program would not help.
func forbidden(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Skipf("peers: the system forbids it: "+format, args...)
}

// check ends the test if err is not nil.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
}
