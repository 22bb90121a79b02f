package peers

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Dictd starts dictd with one database: "jargon", the Jargon File.
func Dictd(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "dictd")
	return start(t, t.TempDir(), func(port uint16, scratch string) *exec.Cmd {
		words := filepath.Join(dir, "usr/share/dictd/jargon")
		conf := write(t, scratch, "dictd.conf", lines(
			"global { listen_to 127.0.0.1 port "+strconv.Itoa(int(port))+" }",
			"access { allow * }",
			`database jargon { data "`+words+`.dict.dz" index "`+words+`.index" }`,
		))
		return program(dir, "usr/sbin/dictd", "--debug", "nodetach", "--config", conf, "--pid-file", filepath.Join(scratch, "pid"))
	})
}

// Fingerd starts the fingerd of the Linux NetKit. It answers for the accounts of this machine, and refuses to forward
// queries.
func Fingerd(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "fingerd")
	s, l := listen(t, t.TempDir())
	inetd(t, l, func() *exec.Cmd {
		return program(dir, "usr/sbin/in.fingerd", "-p", filepath.Join(dir, "usr/bin/finger"))
	})
	return s
}

// Stunnel starts stunnel, which accepts connections with TLS from the first byte and passes them to the server behind
// without TLS.
func Stunnel(t testing.TB, behind *Server) *Server {
	t.Helper()
	dir := tree(t, "stunnel")
	var conf string
	s := start(t, t.TempDir(), func(port uint16, scratch string) *exec.Cmd {
		certificate(t, scratch)
		conf = write(t, scratch, "stunnel.conf", lines(
			"foreground = yes", "pid =", "[server]",
			"accept = 127.0.0.1:"+strconv.Itoa(int(port)), "connect = "+behind.Addr,
			"cert = "+filepath.Join(scratch, "cert.pem"), "key = "+filepath.Join(scratch, "key.pem"),
		))
		return program(dir, "usr/bin/stunnel", conf)
	})
	s.secure(t, filepath.Dir(conf))
	return s
}
