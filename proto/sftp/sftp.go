// Package sftp opens sftp URLs (draft-ietf-secsh-scp-sftp-ssh-uri-04) over version 3 of the SSH file transfer protocol
// (draft-ietf-secsh-filexfer-02).
//
//	sftp://ada@host/srv/plan.txt    absolute on the server
//	sftp://ada@host/~/notes.txt     below the home directory of ada
//
// SSH is golang.org/x/crypto/ssh. The client asks for no agent forwarding, and it rejects each channel that the server
// opens.
//
// A server must prove that it has a key that the caller trusts: see [Client.KnownHosts] and [Client.Trust]. The
// fingerprint of the key may also be in the URL. The user logs in with a key ([Client.Keys]), with a password, or by
// answering the questions of the server (keyboard-interactive).
//
// # How the pieces work together
//
// A request becomes an operation (operation.go). It takes a conn from the [Pool] (pool.go), or dials one, checks the
// key of the host (hostkey.go) and logs in (login.go). A conn is a connection with a channel for the packets of the
// protocol (conn.go, packet.go). Package ssh reads the connection in goroutines of its own, all the time. Therefore no
// deadline can bound a wait, and the link below SSH closes the connection if the server makes no progress while a
// request waits (link.go). The packets of a request are sent and received in the goroutine of the caller.
//
// After a Get the Body owns the conn. To hide the latency, a body keeps several READs pending (read.go), a listing asks
// for the next names while the caller reads the last ones (list.go), and an upload keeps several WRITEs pending
// (write.go, change.go). A body and a listing share a stream, which gives the conn back at its end (stream.go).
//
// Notable divergences:
//   - draft-ietf-secsh-scp-sftp-ssh-uri-04 writes a fingerprint as the MD5 digest in hexadecimal, with "-" between the
//     bytes. The client also reads SHA-256 digests, in hexadecimal and in the base64 of URLs, as WinSCP writes them.
//   - draft-ietf-secsh-filexfer-02 §6.5 has a RENAME that replaces no file. The client uses the extension
//     posix-rename@openssh.com. Without it, the old file first gets another name.
//   - draft-ietf-secsh-filexfer-02 §6.3 has a flag to append. The client writes at the end of the file instead, because
//     servers differ in what they do with the offset.
//   - draft-ietf-secsh-filexfer-02 §6.1 lets a server execute WRITEs in any order. The size of a part does not tell which
//     bytes it has then, so a part is continued only on servers that are known to keep the order.
package sftp

import (
	"context"
	"time"

	"golang.org/x/crypto/ssh"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
)

const defaultPort = 22

// A Client opens and changes the files and directories that sftp URLs name. It is an [access.Engine]. [Client.Do]
// describes each Op. Several goroutines may use a Client at once.
//
// Errors: the Reply of an error has the status of the protocol, such as 3 for "Permission denied". A server whose key
// is not trusted gives a [*HostKeyError].
type Client struct {
	// Dial connects to the server. Nil refuses every request.
	Dial proto.Dial

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute, negative: no limit. The
	// time in which Keys, Trust, Answer or Request.Login run does not count.
	Idle time.Duration

	// KnownHosts returns the callback that verifies the keys of servers, such as one from package knownhosts. The
	// callback returns a *knownhosts.KeyError without Want for an unknown server. KnownHosts is called for each new
	// connection. Nil means that no server is known.
	KnownHosts func() (ssh.HostKeyCallback, error)

	// Trust decides whether the key of an unknown server is trusted, such as by asking a person. It returns nil if it
	// is. Nil refuses unknown servers. It is never called for a key that has changed or is revoked.
	Trust func(ctx context.Context, key HostKey) error

	// Keys returns the keys of user for host, such as the keys of an agent, in the order in which the server is asked
	// whether it accepts them. ctx is done when the keys are not used any more. Nil means that there are no keys.
	Keys func(ctx context.Context, host, user string) ([]ssh.Signer, error)

	// Answer answers a question of the server, such as for a one-time password. The text comes from the server. It is
	// not called for the first question if that asks for the password, because Request.Login does. Nil refuses such
	// servers.
	Answer func(ctx context.Context, host string, q Question) (string, error)

	// User is the user of URLs without one, unless Request.Login returns a user; "": such URLs are refused.
	User string

	// Pool keeps connections between requests. Nil keeps none.
	Pool *Pool
}

// A Question is a question of a server during the login (RFC 4256 §3.2).
type Question struct {
	Text   string // as the server sent it, without control characters
	Hidden bool   // the answer is secret, so it must not be shown while it is typed
}

// Do executes every Op except Ask and Send, which wrap errors.ErrUnsupported.
//
// Get opens a file or a directory, whether or not the URL ends in "/". A directory has a List. The Sys of Resources and
// Entries is an [*Attributes]. Get keeps several READs pending, and more of them as the file is read. If the file gets
// shorter, or changes without becoming longer while it is read, the Body returns an error. If the file becomes longer,
// the Body ends where the file ended when it was opened.
//
// Stat returns the attributes. Get and Stat follow symbolic links.
//
// Put replaces a file. It writes a new file in the same directory, checks its size, and renames it. The name of the new
// file is NAME.part- and eight digits, or engine.PartName with Request.Part. Until the rename the old file is unchanged.
// If the URL names a symbolic link, its target is replaced. The new file gets Request.Mode, or the permissions of the
// old file if Mode is 0, or the server's default if there was no old file. IfAbsent is exact on servers whose RENAME
// does not replace files, as the protocol demands. IfMatch is checked before the upload. ModTime is stored if it is
// between 1970 and 2106. Put with an Offset continues a file that has exactly that size. With a Part it does so only
// on servers that are known to write in order. After an error Put removes the new file. If it cannot, the error has a
// hint that the file may still exist.
//
// Append writes at the end of a file, or creates it. After an error a part of Body may have been appended.
//
// Delete removes a file or a symbolic link. If the URL ends in "/", it removes an empty directory. MakeDir makes a
// directory.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil || req.Op == access.Ask || req.Op == access.Send {
		return nil, engine.Unsupported(req)
	}
	return engine.For(req).Result(c.do(ctx, req))
}

// do executes req. If an idle connection of the Pool turns out to be closed, do executes req again, with a new
// connection.
func (c Client) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	o, err := c.newOperation(ctx, req)
	if err != nil {
		return nil, err
	}
	for isNew := false; ; isNew = true {
		if err := o.open(isNew); err != nil {
			return nil, o.cause(err)
		}
		r, err := o.execute()
		if err == nil {
			return r, nil
		}
		stale := o.isStale(err)
		err = o.cause(err)
		o.finish()
		if !stale {
			return nil, err
		}
	}
}

// CloseIdleConnections closes the idle connections of the Pool.
func (c Client) CloseIdleConnections() { c.Pool.shared().CloseIdle() }
