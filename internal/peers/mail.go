package peers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Dovecot starts dovecot, an IMAP server, on a Maildir. The Maildir is the mailbox of every
// user with the password "secret". The server offers STARTTLS at the port of imap, and TLS from the
// start at the port of imaps.
func Dovecot(t testing.TB, maildir string) (imap, imaps *Server) {
	t.Helper()
	dir := tree(t, "dovecot")
	own := ownModules(t, dir)
	s, ports := startAt(t, maildir, 2, func(ports []uint16, scratch string) *exec.Cmd {
		certificate(t, scratch)
		lib := filepath.Join(dir, "usr/lib/dovecot")
		libs := append([]string{own, lib, lib + "/modules", lib + "/modules/old-stats"}, libraries(dir)...)
		conf := write(t, scratch, "dovecot.conf", lines(
			"base_dir = "+scratch+"/run", "state_dir = "+scratch+"/run",
			"libexec_dir = "+lib, "mail_plugin_dir = "+lib+"/modules",
			"import_environment = LD_LIBRARY_PATH="+strings.Join(libs, ":"),
			"log_path = /dev/stderr",
			"protocols = imap", "listen = 127.0.0.1", "mail_max_userip_connections = 0",
			"default_internal_user = "+accountName(), "default_login_user = "+accountName(), "default_internal_group = "+groupName(),
			"ssl = yes", "ssl_cert = <"+scratch+"/cert.pem", "ssl_key = <"+scratch+"/key.pem",
			"auth_mechanisms = plain login", "auth_failure_delay = 0", "mail_location = maildir:"+maildir,
			"first_valid_uid = 1", "first_valid_gid = 1",
			"service imap-login {", "chroot =",
			"inet_listener imap {", fmt.Sprintf("port = %d", ports[0]), "}",
			"inet_listener imaps {", fmt.Sprintf("port = %d", ports[1]), "}", "}",
			"service anvil {", "chroot =", "unix_listener anvil-auth-penalty {", "mode = 0", "}", "}", // so that it does not wait after a wrong password
			"service stats {", "chroot =", "}",
			"passdb {", "driver = static", "args = password=secret", "}",
			"userdb {", "driver = static", fmt.Sprintf("args = uid=%s gid=%s home=%s", accountName(), groupName(), scratch), "}",
		))
		// The program dovecot would look for doveconf in /usr/bin.
		cmd := program(dir, "usr/bin/doveconf", "-f", "service=master", "-c", conf, "-m", "master",
			"-e", filepath.Join(dir, "usr/sbin/dovecot"), "-F", "-c", conf)
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(libs, ":"))
		return cmd
	})
	s.secure(t, s.scratch)
	return s, s.at(ports[1])
}

// ownModules returns a folder with a copy of dovecot's library that finds its modules in tree,
// where dovecot is unpacked. It replaces the path in the library by a short symbolic link to the
// modules.
func ownModules(t testing.TB, tree string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ldv-")
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	const name = "libdovecot.so.0"
	library, err := os.ReadFile(filepath.Join(tree, "usr/lib/dovecot", name))
	check(t, err)
	original, link := []byte("/usr/lib/dovecot/modules\x00"), filepath.Join(dir, "m")
	own := make([]byte, len(original))
	if copy(own, link) == len(own) || bytes.Count(library, original) != 1 {
		t.Fatalf("peers: the path of dovecot's modules cannot be changed to %s", link)
	}
	check(t, os.Symlink(filepath.Join(tree, "usr/lib/dovecot/modules"), link))
	check(t, os.WriteFile(filepath.Join(dir, name), bytes.Replace(library, original, own, 1), 0o600))
	share(t, dir)
	return dir
}

// Aiosmtpd starts aiosmtpd, an SMTP server with STARTTLS, and smtps. It delivers all mail into the
// Maildir root, which must not exist. X-MailFrom and X-RcptTo have the envelope, and X-Login the
// user. Login is optional: over TLS, for every user with the password "secret", by the mechanisms
// in ways, such as PLAIN and LOGIN.
func Aiosmtpd(t testing.TB, root string, ways ...string) (smtp, smtps *Server) {
	t.Helper()
	dir := tree(t, "aiosmtpd")
	s, ports := startAt(t, filepath.Dir(root), 2, func(ports []uint16, scratch string) *exec.Cmd {
		certificate(t, scratch)
		script := write(t, scratch, "serve.py", aiosmtpd)
		args := []string{script, root, fmt.Sprint(ports[0]), fmt.Sprint(ports[1])}
		return python(dir, append(args, ways...)...)
	})
	s.Root = root
	s.secure(t, s.scratch)
	return s, s.at(ports[1])
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
