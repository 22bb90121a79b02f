// Package sftpd is a small SFTP server, which only reads. It lets every user in without a password.
//
// Notable divergences:
//   - RFC 4251 §4.1: its key is not a secret, because it is the same in each demo. So the demo's URLs can have its
//     fingerprint.
package sftpd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"locus/demo/internal/serve"
)

const idle = 10 * time.Minute // limit for each Read and Write

// A Server serves files. Change no field while it serves. Several goroutines may call Serve at once.
type Server struct {
	Files fs.FS     // required
	Log   serve.Log // called with each request; may be nil
}

// hostKey returns the key of every server of this package. It is always the same, so that URLs can have its
// fingerprint.
func hostKey() ssh.Signer {
	seed := sha256.Sum256([]byte("the little library of locus"))
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		panic(err) // the type of the key is supported
	}
	return signer
}

// Fingerprint returns the fingerprint of the server's key, as the value of ";fingerprint=" in a URL.
func Fingerprint() string {
	key := hostKey().PublicKey()
	digest := sha256.Sum256(key.Marshal())
	return key.Type() + "-" + base64.RawURLEncoding.EncodeToString(digest[:])
}

// Serve executes requests until the client leaves. The caller closes c. Serve ignores ctx, because it ends when c is
// closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(hostKey())
	conn, channels, requests, err := ssh.NewServerConn(serve.WithIdle(c, idle), config)
	if err != nil {
		return
	}
	defer conn.Close()
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.UnknownChannelType, "only sessions") // after an error, the connection has ended
			continue
		}
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		go s.session(channel, requests)
	}
}

// session answers the requests on a channel until it is closed. It starts the subsystem sftp, and refuses everything
// else.
func (s *Server) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	for r := range requests {
		var subsystem struct{ Name string }
		isSFTP := r.Type == "subsystem" && ssh.Unmarshal(r.Payload, &subsystem) == nil && subsystem.Name == "sftp"
		_ = r.Reply(isSFTP, nil) // after an error, the connection has ended
		if isSFTP {
			go s.serveFiles(channel)
		}
	}
}

// serveFiles serves SFTP on a channel until the client leaves, and closes the channel.
func (s *Server) serveFiles(channel ssh.Channel) {
	defer channel.Close()
	_ = sftp.NewRequestServer(channel, sftp.Handlers{FileGet: s, FilePut: s, FileCmd: s, FileList: s}).Serve() // the client has left
}

// nameOf returns the name in Files of the file that a request names.
func nameOf(r *sftp.Request) string {
	name := strings.TrimPrefix(path.Clean(r.Filepath), "/")
	if name == "" {
		return "."
	}
	return name
}

// log logs the method and the path of a request.
func (s *Server) log(r *sftp.Request) { s.Log.Line(fmt.Sprintf("%s %q", r.Method, r.Filepath)) }

// Fileread implements sftp.FileReader. It reads the whole file into memory.
func (s *Server) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	s.log(r)
	content, err := fs.ReadFile(s.Files, nameOf(r))
	if err != nil {
		return nil, err
	}
	return bytes.NewReader(content), nil
}

// Filewrite implements sftp.FileWriter. It refuses every request.
func (s *Server) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	s.log(r)
	return nil, sftp.ErrSSHFxPermissionDenied
}

// Filecmd implements sftp.FileCmder. It refuses every request.
func (s *Server) Filecmd(r *sftp.Request) error {
	s.log(r)
	return sftp.ErrSSHFxPermissionDenied
}

// Filelist implements sftp.FileLister. It returns the entries of a directory for List, and the attributes of a file for
// any other method.
func (s *Server) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	s.log(r)
	if r.Method != "List" {
		info, err := fs.Stat(s.Files, nameOf(r))
		return infos{info}, err
	}
	entries, err := fs.ReadDir(s.Files, nameOf(r))
	if err != nil {
		return nil, err
	}
	var all infos
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	return all, nil
}

// infos are the files of a listing.
type infos []fs.FileInfo

// ListAt implements sftp.ListerAt. It copies the files from offset on to list.
func (all infos) ListAt(list []fs.FileInfo, offset int64) (int, error) {
	if offset >= int64(len(all)) {
		return 0, io.EOF
	}
	return copy(list, all[offset:]), nil
}
