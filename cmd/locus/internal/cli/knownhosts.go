package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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
	return knownhosts.New(files...)
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
