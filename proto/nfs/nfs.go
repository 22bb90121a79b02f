// Package nfs opens nfs URLs (RFC 2224) over NFS version 3 (RFC 1813) and TCP.
//
//	nfs://host/pub/file    relative to the public directory of the server
//	nfs://host//export/x   absolute on the server
//
// The client asks for the path relative to the public file handle, with one LOOKUP
// (WebNFS, RFC 2054 and 2055). Most servers have no public directory. The client then
// uses the MOUNT protocol (RFC 1813 appendix I): it mounts the longest exported path
// above the file, and looks up one name after the other. The path of the URL is then
// absolute on the server, with or without a second slash. A path above the exports, such
// as nfs://host/, is the listing of what is exported.
//
// A symbolic link is followed if its target stays in the mounted export, or below the
// public directory. Other links are refused. The server itself may follow links when it
// looks up a whole path.
//
// The user is told to the server by AUTH_SYS, which the server believes: it is no
// protection. See [Client.Identity].
//
// Notable divergences:
//   - RFC 2054 §6: a name that is not plain ASCII, or has a "%", is looked up alone and
//     as it is. Servers disagree on escapes in paths.
//   - RFC 2054 §7.2: the target of a symbolic link is a path and never a URL.
//   - RFC 1813 §5.2.3: UMNT is sent right after MNT, and not at the end. Nothing is left
//     in the server's list of clients if this program is killed.
//   - RFC 1813 §3.3.7: a server that restarts during an upload gets the whole file again,
//     if the body can be read again.
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

// A Client opens and changes what nfs URLs name. It is an [access.Engine]. [Client.Do]
// says what each Op does. Several goroutines may use a Client at once.
//
// Errors: the Reply of an error has the status of NFS, such as 13 for "permission
// denied". A full disk, a quota and a file that is too large wrap access.ErrFull.
type Client struct {
	// Dial connects to the server. For the port mapper (port 111) and the MOUNT program
	// it gets the IP address of that connection, if it has one. Many servers accept only
	// connections from ports below 1024, which a Dial of root can use. Nil refuses every
	// request.
	Dial proto.Dial

	// Idle is how long the server may send or accept nothing; 0: a minute, negative:
	// no limit.
	Idle time.Duration

	// Security must not be access.RequireTLS, with which every request fails.
	Security access.Security

	// Identity is the user that the server is told. Nil means nobody: the user and
	// the group 65534, or no user at all (AUTH_NONE) if the server refuses that one.
	Identity *Identity

	// MountPort is the port of the MOUNT program; 0: the port of the URL if it has
	// MOUNT too, else the one that the port mapper of the server says.
	MountPort uint16

	// Pool keeps connections between requests. Nil keeps none.
	Pool *Pool
}

// An Identity is a user of AUTH_SYS. The server believes it.
type Identity struct {
	UID, GID uint32
	Groups   []uint32 // more groups of the user; the first 16 count
}

// ParseIdentity reads UID:GID or, with more groups, UID:GID,GID…: decimal numbers of 32 bits,
// such as 1000:1000,27.
func ParseIdentity(text string) (*Identity, error) {
	user, groups, ok := strings.Cut(text, ":")
	if !ok {
		return nil, fmt.Errorf("%q is no UID:GID", text)
	}
	var numbers []uint32
	for _, number := range append([]string{user}, strings.Split(groups, ",")...) {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is no UID:GID", text)
		}
		numbers = append(numbers, uint32(n))
	}
	return &Identity{UID: numbers[0], GID: numbers[1], Groups: numbers[2:]}, nil
}

// nobody is the Identity of a Client without one.
var nobody = Identity{UID: 65534, GID: 65534}

func (c Client) identity() *Identity {
	if c.Identity == nil {
		return &nobody
	}
	return c.Identity
}

func (c Client) dialer() wire.Dialer {
	return wire.Dialer{Dial: c.Dial, Security: c.Security, Idle: c.Idle}
}

// Do executes every Op except Ask and Send, which wrap errors.ErrUnsupported.
//
// Get opens a file or a directory, whether or not the URL ends in "/". A directory has a
// List. The Sys of Resources and Entries is an [*Attributes]. A file has an ETag. Get
// asks for several parts of a file at once, and more of them the more was read. If the
// file gets shorter, is replaced, or is changed without becoming longer, while it is
// read, the Body gives an error. A file that is appended to ends where it ended when it
// was opened.
//
// Stat finds attributes. Get and Stat follow symbolic links.
//
// Put replaces a file. It writes a new file in the same directory, lets the server store it
// (COMMIT), checks its size, and renames it. The name of the new file is NAME.part- and
// eight digits, or engine.PartName with Request.Part. Until the rename the old file is
// unchanged. If the URL names a symbolic link its target is replaced. The new file
// gets the permissions of the old one unless Mode is set; else 0644. IfAbsent is exact:
// the file gets its name only if no file has it. IfMatch is checked before the upload.
// ModTime is stored if it is between 1970 and 2106. Put with an Offset writes on in a
// file that has exactly that size; with a Part it is not supported. After an error Put
// removes the new file, or the error has a hint that it may still exist.
//
// Append adds to a file, or creates it. After an error a part of Body may have been
// added.
//
// Delete removes a file or a symbolic link. If the URL ends in "/" it removes an empty
// directory. MakeDir makes a directory.
func (c Client) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Answers != nil || req.Op == access.Ask || req.Op == access.Send {
		return nil, engine.Unsupported(req)
	}
	return engine.For(req).Result(c.do(ctx, req))
}

// do executes req. It tries again, once, on a new connection if an idle one turns out to
// be closed, and with what the server says now if a file handle is no longer valid.
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

// firstXID returns where the xids of a connection start. A server may take a call with
// the same xid for a repeated one.
func firstXID() uint32 { return rand.Uint32() } //nolint:gosec // it only has to differ

// isRefusal reports whether the server answered with a refusal, after which the
// connection can be used further.
func isRefusal(err error) bool {
	_, rpc := errors.AsType[*rpcError](err)
	_, nfs := errors.AsType[*engine.Refusal](err)
	return rpc || nfs
}
