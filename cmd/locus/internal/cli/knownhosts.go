package cli

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"locus/proto/sftp"
)

// knownHostsName is the name of the file with the keys of servers in sshDir.
const knownHostsName = "known_hosts"

// knownHosts reads the files with the known hosts of the user and of the system. It returns nil if neither file
// exists.
func (u *sshUser) knownHosts() (ssh.HostKeyCallback, error) {
	var files []string
	for _, name := range []string{filepath.Join(u.sshDir(), knownHostsName), "/etc/ssh/ssh_known_hosts"} {
		if _, err := os.Stat(name); filepath.IsAbs(name) && err == nil {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	check, err := knownhosts.New(files...)
	if err != nil {
		return nil, err
	}
	return withoutAuthorities(check), nil
}

// withoutAuthorities returns check without the keys of authorities in its errors, because package knownhosts lists them
// among the keys that a server may have. A server of which only an authority is known then counts as unknown, and not
// as a server with another key.
func withoutAuthorities(check ssh.HostKeyCallback) ssh.HostKeyCallback {
	return func(address string, remote net.Addr, key ssh.PublicKey) error {
		err := check(address, remote, key)
		if unknown, ok := errors.AsType[*knownhosts.KeyError](err); ok {
			return &knownhosts.KeyError{Want: slices.DeleteFunc(slices.Clone(unknown.Want), isAuthority)}
		}
		return err
	}
}

// isAuthority reports whether the line of a known key has the marker of an authority. If the file cannot be read any
// more, it returns false.
func isAuthority(k knownhosts.KnownKey) bool {
	text, err := os.ReadFile(k.Filename)
	lines := strings.Split(string(text), "\n")
	if err != nil || k.Line > len(lines) {
		return false
	}
	words := strings.Fields(lines[k.Line-1])
	return len(words) > 0 && words[0] == "@cert-authority"
}

// knownHostLine returns a line of known_hosts, without a line end, that trusts the key of one host. It hashes a host
// name that would be a pattern, a list or a marker in the file: with "*" the key would be trusted for all hosts.
func knownHostLine(key sftp.HostKey) string {
	name := key.Address
	if strings.ContainsAny(name, "*?!,|#@ \t\r\n") {
		name = knownhosts.HashHostname(knownhosts.Normalize(name))
	}
	return knownhosts.Line([]string{name}, key.Key)
}

// addKnownHost adds a line to the user's known_hosts, and makes the file and its folder if they are missing. If the
// user's home is unknown, it does nothing and returns nil.
func (u *sshUser) addKnownHost(line string) error {
	dir := u.sshDir()
	if dir == "" {
		return nil
	}
	root, err := u.env.MakeRoot(dir, 0o700)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile(knownHostsName, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if !endsLine(f) {
		line = "\n" + line
	}
	_, err = io.WriteString(f, line+"\n")
	return errors.Join(err, f.Close())
}

// endsLine reports whether a file is empty or ends with a line end. It also returns true if the file cannot be read.
func endsLine(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return true
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err != nil || last[0] == '\n'
}
