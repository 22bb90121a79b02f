package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// Aiosmtpd starts aiosmtpd, an SMTP server with STARTTLS that delivers all mail
// into the Maildir root, with X-MailFrom and X-RcptTo for the envelope. root
// must not exist yet.
func Aiosmtpd(t testing.TB, root string) *Server {
	t.Helper()
	dir := tree(t, "aiosmtpd")
	s := start(t, filepath.Dir(root), func(port uint16, scratch string) *exec.Cmd {
		certificate(t, scratch)
		cmd := program(dir, "", "-m", "aiosmtpd", "-n", "-l", fmt.Sprintf("127.0.0.1:%d", port),
			"--tlscert", filepath.Join(scratch, "cert.pem"), "--tlskey", filepath.Join(scratch, "key.pem"),
			"--no-requiretls", "-c", "aiosmtpd.handlers.Mailbox", root)
		cmd.Path = interpreter(dir)
		cmd.Args[0] = cmd.Path
		cmd.Env = append(cmd.Env,
			"PYTHONPATH="+filepath.Join(dir, "usr/lib/python3/dist-packages"),
			"PYTHONDONTWRITEBYTECODE=1",
		)
		return cmd
	})
	s.Root = root
	s.PEM = filepath.Join(s.scratch, "cert.pem")
	s.Roots = roots(t, s.PEM)
	return s
}
