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

// Dovecot starts dovecot, an IMAP server, on a Maildir. Every user with the password
// "secret" has it as mailbox. It has STARTTLS on imap, and also imaps.
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
			"auth_mechanisms = plain login", "mail_location = maildir:"+maildir,
			"first_valid_uid = 1", "first_valid_gid = 1",
			"service imap-login {", "chroot =",
			"inet_listener imap {", fmt.Sprintf("port = %d", ports[0]), "}",
			"inet_listener imaps {", fmt.Sprintf("port = %d", ports[1]), "}", "}",
			"service anvil {", "chroot =", "}", "service stats {", "chroot =", "}",
			"passdb {", "driver = static", "args = password=secret", "}",
			"userdb {", "driver = static", fmt.Sprintf("args = uid=%s gid=%s home=%s", accountName(), groupName(), scratch), "}",
		))
		// The program dovecot would look for doveconf in /usr/bin.
		cmd := program(dir, "usr/bin/doveconf", "-f", "service=master", "-c", conf, "-m", "master",
			"-e", filepath.Join(dir, "usr/sbin/dovecot"), "-F", "-c", conf)
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(libs, ":"))
		return cmd
	})
	s.PEM = filepath.Join(s.scratch, "cert.pem")
	s.Roots = roots(t, s.PEM)
	return s, &Server{Addr: fmt.Sprintf("%s:%d", s.Host, ports[1]), Host: s.Host, Port: ports[1], PEM: s.PEM, Roots: s.Roots, Root: maildir}
}

// ownModules returns a folder with a copy of libdovecot that finds its modules in tree.
// It replaces the path in the library by a short link to them.
func ownModules(t testing.TB, tree string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ldv-")
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const name = "libdovecot.so.0"
	library, err := os.ReadFile(filepath.Join(tree, "usr/lib/dovecot", name))
	if err != nil {
		t.Fatalf("peers: %v", err)
	}
	original, link := []byte("/usr/lib/dovecot/modules\x00"), filepath.Join(dir, "m")
	own := make([]byte, len(original))
	if copy(own, link) == len(own) || bytes.Count(library, original) != 1 {
		t.Fatalf("peers: the path of dovecot's modules cannot be changed to %s", link)
	}
	if err := os.Symlink(filepath.Join(tree, "usr/lib/dovecot/modules"), link); err != nil {
		t.Fatalf("peers: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), bytes.Replace(library, original, own, 1), 0o600); err != nil {
		t.Fatalf("peers: %v", err)
	}
	share(t, dir)
	return dir
}
