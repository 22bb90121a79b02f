package peers

import (
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Aiosmtpd starts aiosmtpd, an SMTP server with STARTTLS, and smtps. It delivers all
// mail into the Maildir root, which must not exist. X-MailFrom and X-RcptTo have the
// envelope, and X-Login the user. Login is optional: over TLS, for every user with the
// password "secret", by the given mechanisms, such as PLAIN and LOGIN.
func Aiosmtpd(t testing.TB, root string, ways ...string) (smtp, smtps *Server) {
	t.Helper()
	dir := tree(t, "aiosmtpd")
	s, ports := startAt(t, filepath.Dir(root), 2, func(ports []uint16, scratch string) *exec.Cmd {
		certificate(t, scratch)
		script := write(t, scratch, "serve.py", aiosmtpd)
		args := []string{script, root, strconv.Itoa(int(ports[0])), strconv.Itoa(int(ports[1]))}
		cmd := exec.Command(interpreter(dir), append(args, ways...)...)
		cmd.Env = append(program(dir, "").Env,
			"PYTHONPATH="+filepath.Join(dir, "usr/lib/python3/dist-packages"),
			"PYTHONDONTWRITEBYTECODE=1",
		)
		return cmd
	})
	s.Root = root
	s.PEM = filepath.Join(s.scratch, "cert.pem")
	s.Roots = roots(t, s.PEM)
	addr := net.JoinHostPort(s.Host, strconv.Itoa(int(ports[1])))
	return s, &Server{Addr: addr, Host: s.Host, Port: ports[1], PEM: s.PEM, Roots: s.Roots, Root: root}
}

// aiosmtpd runs the server. Its arguments are the mailbox, the ports of smtp and smtps,
// and the mechanisms.
const aiosmtpd = `import asyncio, ssl, sys
from aiosmtpd.handlers import Mailbox
from aiosmtpd.smtp import SMTP, AuthResult

class Box(Mailbox):
    def prepare_message(self, session, envelope):
        message = super().prepare_message(session, envelope)
        if session.authenticated:
            message["X-Login"] = session.auth_data.login.decode()
        return message

def judge(server, session, envelope, way, data):
    return AuthResult(success=data.password == b"secret", handled=False, auth_data=data)

async def serve(root, port, tls_port, *ways):
    box = Box(root)
    unwanted = {"PLAIN", "LOGIN"} - set(ways)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain("cert.pem", "key.pem")
    for port, inside, tls in (tls_port, context, {"auth_require_tls": False}), (port, None, {"tls_context": context}):
        def smtp(tls=tls):
            return SMTP(box, authenticator=judge, auth_exclude_mechanism=unwanted, enable_SMTPUTF8=True, **tls)
        await asyncio.get_running_loop().create_server(smtp, "127.0.0.1", int(port), ssl=inside)
    await asyncio.Event().wait()

asyncio.run(serve(*sys.argv[1:]))
`
