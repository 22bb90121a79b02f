package peers

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// An SSHServer is a running sshd. Root is the home directory of its sessions.
type SSHServer struct {
	*Server
	User       string     // the account that can log in
	HostKey    ssh.Signer // the key of the server
	UserKey    ssh.Signer // the key that logs in
	PrivateKey string     // UserKey, as ssh-keygen writes it
}

// OpenSSH starts OpenSSH's sshd with its own keys. It offers only sftp (internal-sftp), which starts in root, to the
// account of the servers, with a key and without passwords. settings are further lines of its configuration.
func OpenSSH(t testing.TB, root string, settings ...string) SSHServer {
	t.Helper()
	dir := tree(t, "openssh")
	host, hostText := sshKey(t)
	user, userText := sshKey(t)
	shim := preload(t, "void *getspnam(const char *name) { return 0; }\n") // because a system may lock the account of the servers
	s := start(t, root, func(port uint16, scratch string) *exec.Cmd {
		keys := write(t, scratch, "host_key", hostText)
		authorized := write(t, scratch, "authorized_keys", string(ssh.MarshalAuthorizedKey(user.PublicKey())))
		conf := write(t, scratch, "sshd_config", lines(
			"ListenAddress 127.0.0.1", "Port "+strconv.Itoa(int(port)),
			"HostKey "+keys, "AuthorizedKeysFile "+authorized, "PidFile none", "UsePAM no", "StrictModes no",
			"PasswordAuthentication no", "KbdInteractiveAuthentication no", "UseDNS no", "MaxStartups 100:30:200", "MaxSessions 100",
			fmt.Sprintf("Subsystem sftp internal-sftp -d %s", root),
			strings.Join(settings, "\n"),
		))
		cmd := program(dir, "usr/sbin/sshd", "-D", "-e", "-f", conf)
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+shim)
		return cmd
	})
	return SSHServer{s, accountName(), host, user, userText}
}

// OpenSSHClient returns the command for a program of OpenSSH's client, such as sftp or ssh-keygen.
func OpenSSHClient(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	dir := tree(t, "openssh")
	cmd := program(dir, filepath.Join("usr/bin", name), args...)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Join(dir, "usr/bin"))
	return cmd
}

// sshKey returns a new key, and its private key as ssh-keygen writes it.
func sshKey(t testing.TB) (ssh.Signer, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	check(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	check(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	check(t, err)
	return signer, string(pem.EncodeToMemory(block))
}
