package main

import (
	"net"
	"os"
	"runtime"

	"locus"
	"locus/access"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/prospero"
	"locus/proto/web"
)

// table opens everything that locus can open: what is on the network and, the
// command being the user's own, the files of this machine and the mail at a
// place. The user's e-mail address is what anonymous FTP is given for a password.
func table(mail string) access.Table {
	var dialer net.Dialer
	t := locus.Standard(dialer.DialContext)
	http := &web.Client{Dial: dialer.DialContext, SendUserinfo: true}
	t["http"], t["https"] = http, http
	t["file"] = files()
	t["ftp"] = ftp.Client{Dial: dialFTP, Email: os.Getenv("EMAIL")}
	t["prospero"] = prospero.Client{Dial: dialer.DialContext, ListenPacket: new(net.ListenConfig).ListenPacket}
	received := newReceivedMail(mail, dialer.DialContext)
	t["mid"], t["cid"] = received, received
	return t
}

// dialFTP connects to ftp servers. How often a silent one is asked whether it is
// there is left to the engine, which says it unless a connection is for a small file.
var dialFTP = (&net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: -1, Interval: -1, Count: -1}}).DialContext

// files opens every file of this machine. A folder that cannot be opened, such
// as a drive without a disk, has none.
func files() file.System {
	var s file.System
	s.Root, _ = os.OpenRoot(string(os.PathSeparator))
	if name, err := os.Hostname(); err == nil {
		s.Names = []string{name}
	}
	if runtime.GOOS != "windows" {
		return s
	}
	s.Drives = make(map[byte]*os.Root)
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if root, err := os.OpenRoot(string(letter) + `:\`); err == nil {
			s.Drives[letter] = root
		}
	}
	return s
}
