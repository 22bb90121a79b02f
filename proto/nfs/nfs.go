// Package nfs opens nfs URLs (RFC 2224) over NFS version 3 (RFC 1813) and TCP.
//
//	nfs://host/pub/file    relative to the public directory of the server
//	nfs://host//export/x   absolute on the server
//
// The client asks for the path relative to the public file handle, with one LOOKUP (WebNFS, RFC
// 2054 and 2055). Because most servers have no public directory, the client then uses the MOUNT
// protocol (RFC 1813 appendix I): it mounts the longest exported path above the file, and looks
// up one name after the other. The path of the URL is then absolute on the server, with or
// without a second slash. A path above the exports, such as nfs://host/, is a listing of the
// exports.
//
// A symbolic link is followed if its target stays in the mounted export, or below the public
// directory. Other links are refused. The server itself may follow links when it looks up a
// whole path.
//
// The client names its user with AUTH_SYS. The server believes the client, so AUTH_SYS protects
// nothing. See [Client.Identity].
//
// # How the pieces work together
//
// A request becomes an operation (operation.go). It takes a conn, a connection for RPC calls
// (rpc.go, calls.go), from the [Pool] or dials one. It finds the file of the URL from the public
// handle, or from an export that it mounts (mount.go), and a walker looks up the names below it
// (walk.go). The result is a resolvedPath, from which the operation reads or changes. The Pool also
// keeps facts about each server, such as its exports, so that the next request need not ask for
// them again (pool.go).
//
// After a Get the Body owns the conn, and the caller's reads drive it; the package starts no
// goroutine. To hide the latency, a body keeps several READs pending at once (read.go), a listing
// asks for the next entries while the caller reads the last ones (list.go), and an upload keeps
// several WRITEs pending and then commits them (write.go, change.go). A body and a listing share a
// stream, which gives the conn back at the end (stream.go).
//
// Notable divergences:
//   - RFC 2054 §6: a name that is not plain ASCII, or contains "%", is looked up alone and
//     without escapes, because servers disagree on escapes in paths.
//   - RFC 2054 §7.2: the target of a symbolic link is a path and never a URL.
//   - RFC 1813 §5.2.3: UMNT is sent right after MNT, and not at the end, so that the server's
//     list of clients is correct even if this program is killed.
//   - RFC 1813 §3.3.7: if the server restarts during an upload, the client sends the whole file
//     again, provided that the body can be read again.
package nfs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto"
	"locus/proto/internal/wire"
)

const defaultPort = 2049

// A Client opens and changes the files and directories that nfs URLs name. It is an
// [access.Engine]. [Client.Do] describes each Op. Several goroutines may use a Client at once.
//
// Errors: the Reply of an error has the status of NFS, such as 13 for "permission denied". A
// full disk, a quota and a file that is too large wrap access.ErrFull.
type Client struct {
	// Dial connects to the server. For the port mapper (port 111) and the MOUNT program it gets
	// the IP address of that connection, if it has one. Many servers accept only connections
	// from ports below 1024, which a Dial of root can use. Nil refuses every request.
	Dial proto.Dial

	// Idle limits the time in which the server neither sends nor accepts a byte; 0: a minute,
	// negative: no limit.
	Idle time.Duration

	// Security: with access.RequireTLS every request fails.
	Security access.Security

	// Identity is the user that the client names to the server. Nil means nobody: the user and
	// the group 65534. If the server refuses that user, the client names no user (AUTH_NONE).
	Identity *Identity

	// MountPort is the port of the MOUNT program. 0 means the port of the URL if MOUNT is there
	// too, and otherwise the port that the server's port mapper names.
	MountPort uint16

	// Pool keeps connections between requests. Nil keeps none.
	Pool *Pool
}

// An Identity is a user of AUTH_SYS. The server believes it.
type Identity struct {
	UID, GID uint32
	Groups   []uint32 // further groups of the user; only the first 16 are sent
}

// ParseIdentity parses UID:GID, or UID:GID,GID… with further groups. Each is a decimal number
// of 32 bits, as in 1000:1000,27.
func ParseIdentity(text string) (*Identity, error) {
	user, groups, ok := strings.Cut(text, ":")
	if !ok {
		return nil, fmt.Errorf("%q is not UID:GID", text)
	}
	var numbers []uint32
	for _, number := range append([]string{user}, strings.Split(groups, ",")...) {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not UID:GID", text)
		}
		numbers = append(numbers, uint32(n))
	}
	return &Identity{UID: numbers[0], GID: numbers[1], Groups: numbers[2:]}, nil
}

// nobody is the Identity of a Client whose Identity is nil.
var nobody = Identity{UID: 65534, GID: 65534}

// identity returns Identity, or the user nobody if it is nil.
func (c Client) identity() *Identity {
	if c.Identity == nil {
		return &nobody
	}
	return c.Identity
}

// dialer returns a Dialer with the settings of c.
func (c Client) dialer() wire.Dialer {
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}

// Do executes every Op except Ask and Send, which wrap errors.ErrUnsupported.
//
// Get opens a file or a directory, whether or not the URL ends in "/". A directory has a List.
// The Sys of Resources and Entries is an [*Attributes]. A file has an ETag. Get keeps several
// READs pending, and more of them as the file is read. If the file gets shorter, is replaced,
// or changes without becoming longer while it is read, the Body returns an error. If the file
// becomes longer, the Body ends where the file ended when it was opened.
//
// Stat returns the attributes. Get and Stat follow symbolic links.
//
// Put replaces a file. It writes a new file in the same directory, makes the server store it
// (COMMIT), checks its size, and renames it. The name of the new file is NAME.part- and eight
// digits, or engine.PartName with Request.Part. Until the rename the old file is unchanged. If
// the URL names a symbolic link, its target is replaced. The new file gets Request.Mode, or the
// permissions of the old file if Mode is 0, or 0644 if there was no old file. IfAbsent is
// exact: the file gets its name only if no file has it. IfMatch is checked before the upload.
// ModTime is stored if it is between 1970 and 2106. Put with an Offset continues a file that
// has exactly that size; with a Part it is not supported. After an error Put removes the new
// file. If it cannot, the error has a hint that the file may still exist.
//
// Append appends to a file, or creates it. After an error a part of Body may have been
// appended.
//
// Delete removes a file or a symbolic link. If the URL ends in "/", it removes an empty
// directory. MakeDir makes a directory.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil || req.Op == access.Ask || req.Op == access.Send {
		return nil, engine.Unsupported(req)
	}
	return engine.For(req).Result(c.do(ctx, req))
}

// do executes req. It retries once if a connection or a file handle from an earlier request
// turns out to be invalid: with a new connection, and without the facts that the Pool had about
// the server.
func (c Client) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	view, names, err := parse(req)
	if err != nil {
		return nil, err
	}
	if c.Dial == nil {
		return nil, access.ErrNoDial
	}
	for retried := false; ; retried = true {
		o := &operation{client: c, ctx: ctx, req: req, view: view, names: names}
		if err := o.open(retried); err != nil {
			return nil, err
		}
		r, err := o.execute()
		if err == nil {
			return r, nil
		}
		retry := !retried && o.mayRetry(err)
		o.finish()
		if !retry {
			return nil, o.cause(err)
		}
		c.Pool.forget(o.key())
	}
}

// CloseIdleConnections closes the idle connections of the Pool.
func (c Client) CloseIdleConnections() { c.Pool.shared().CloseIdle() }

// firstXID returns a random first xid for a connection, because a server may take a call whose
// xid it has seen for a repeated call.
func firstXID() uint32 { return rand.Uint32() } //nolint:gosec // it only has to differ

// isRefusal reports whether err is the server's reply to a call. After a reply the connection
// can still be used.
func isRefusal(err error) bool {
	_, rpc := errors.AsType[*rpcError](err)
	_, nfs := errors.AsType[*engine.Refusal](err)
	return rpc || nfs
}
