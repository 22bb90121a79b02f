package nfs

import (
	"locus/internal/xdr"
)

// The procedures of RFC 1813.
var (
	procGetAttr     = procedure{nfsProgram, nfsVersion, 1, "GETATTR"}
	procSetAttr     = procedure{nfsProgram, nfsVersion, 2, "SETATTR"}
	procLookup      = procedure{nfsProgram, nfsVersion, 3, "LOOKUP"}
	procAccess      = procedure{nfsProgram, nfsVersion, 4, "ACCESS"}
	procReadLink    = procedure{nfsProgram, nfsVersion, 5, "READLINK"}
	procRead        = procedure{nfsProgram, nfsVersion, 6, "READ"}
	procWrite       = procedure{nfsProgram, nfsVersion, 7, "WRITE"}
	procCreate      = procedure{nfsProgram, nfsVersion, 8, "CREATE"}
	procMakeDir     = procedure{nfsProgram, nfsVersion, 9, "MKDIR"}
	procRemove      = procedure{nfsProgram, nfsVersion, 12, "REMOVE"}
	procRemoveDir   = procedure{nfsProgram, nfsVersion, 13, "RMDIR"}
	procRename      = procedure{nfsProgram, nfsVersion, 14, "RENAME"}
	procLink        = procedure{nfsProgram, nfsVersion, 15, "LINK"}
	procReadDir     = procedure{nfsProgram, nfsVersion, 16, "READDIR"}
	procReadDirPlus = procedure{nfsProgram, nfsVersion, 17, "READDIRPLUS"}
	procFSInfo      = procedure{nfsProgram, nfsVersion, 19, "FSINFO"}
	procCommit      = procedure{nfsProgram, nfsVersion, 21, "COMMIT"}
)

const (
	maxPath = 1024 // bytes of the target of a symbolic link (MNTPATHLEN)
	maxName = 4096 // bytes of a name in a listing
)

// A node is a file on the server.
type node struct {
	handle handle
	attr   *Attributes
}

// nfs makes a call whose reply begins with a status. args appends the arguments. If the status is
// success, results reads the rest of the reply. Otherwise the error is an *engine.Refusal with the
// status.
func (c *conn) nfs(p procedure, args func(*xdr.Writer), results func(*xdr.Reader) error) error {
	return c.call(p, args, func(r *xdr.Reader) error {
		if err := refusal(status(r.Uint32())); err != nil {
			return err
		}
		return results(r)
	})
}

// getAttr asks for the attributes of a file.
func (c *conn) getAttr(h handle) (a *Attributes, err error) {
	err = c.nfs(procGetAttr, func(w *xdr.Writer) { w.String(string(h)) }, func(r *xdr.Reader) error {
		a = readAttributes(r)
		return nil
	})
	return a, err
}

// lookup finds a name in a directory, and returns the file with its attributes. With the public
// handle the name may be a path.
func (c *conn) lookup(dir handle, name string) (n node, err error) {
	err = c.nfs(procLookup, lookupArgs(dir, name), func(r *xdr.Reader) error {
		n = readLookup(r)
		return nil
	})
	if err == nil && n.attr == nil {
		n.attr, err = c.getAttr(n.handle)
	}
	return n, err
}

// lookupArgs returns a function that appends a diropargs3: a directory and a name in it (RFC 1813
// §2.6).
func lookupArgs(dir handle, name string) func(*xdr.Writer) {
	return func(w *xdr.Writer) {
		w.String(string(dir))
		w.String(name)
	}
}

// readLookup reads the results of LOOKUP. The attributes are nil if they are missing.
func readLookup(r *xdr.Reader) (n node) {
	n.handle = readHandle(r)
	n.attr = readOptional(r)
	return n
}

// readLink returns the target of a symbolic link, as the server stores it.
func (c *conn) readLink(h handle) (target string, err error) {
	err = c.nfs(procReadLink, func(w *xdr.Writer) { w.String(string(h)) }, func(r *xdr.Reader) error {
		readOptional(r)
		target = r.String(maxPath)
		return nil
	})
	return target, err
}

// Bits of ACCESS.
const (
	accessRead = 1
)

// mayRead asks the server whether the user may read a file, and returns the answer.
func (c *conn) mayRead(h handle) (ok bool, err error) {
	err = c.nfs(procAccess, func(w *xdr.Writer) {
		w.String(string(h))
		w.Uint32(accessRead)
	}, func(r *xdr.Reader) error {
		readOptional(r)
		ok = r.Uint32()&accessRead != 0
		return nil
	})
	return ok, err
}

// limits are the sizes that a server prefers (FSINFO).
type limits struct {
	read, write uint32 // bytes of a file in one call
	list        uint32 // bytes of a listing in one reply
}

// defaultLimits are used if the server does not support FSINFO.
var defaultLimits = limits{read: 8 << 10, write: 8 << 10, list: 8 << 10}

// fsInfo asks for the sizes that the server prefers, and bounds them.
func (c *conn) fsInfo(root handle) (l limits, err error) {
	err = c.nfs(procFSInfo, func(w *xdr.Writer) { w.String(string(root)) }, func(r *xdr.Reader) error {
		readOptional(r)
		readMax := r.Uint32()
		r.Uint32() // rtpref
		r.Uint32() // rtmult
		writeMax := r.Uint32()
		r.Uint32() // wtpref
		r.Uint32() // wtmult
		list := r.Uint32()
		l = limits{read: clamp(readMax, 512, maxData), write: clamp(writeMax, 512, maxData), list: clamp(max(list, 128<<10), 4<<10, 256<<10)}
		return nil
	})
	return l, err
}

// clamp returns v, or the nearest bound.
func clamp(v, least, most uint32) uint32 { return min(max(v, least), most) }

// setAttr changes the attributes that s has.
func (c *conn) setAttr(h handle, s change) error {
	return c.nfs(procSetAttr, func(w *xdr.Writer) {
		w.String(string(h))
		s.write(w)
		w.Bool(false) // no guard
	}, func(r *xdr.Reader) error {
		readChange(r)
		return nil
	})
}

// create makes a file with the attributes of s and returns its handle. The error wraps fs.ErrExist
// if the name exists.
func (c *conn) create(dir handle, name string, s change) (handle, error) {
	const guarded = 1
	return c.make(procCreate, dir, name, func(w *xdr.Writer) {
		w.Uint32(guarded)
		s.write(w)
	})
}

// makeDir makes a directory with the attributes of s. The error wraps fs.ErrExist if the name
// exists.
func (c *conn) makeDir(dir handle, name string, s change) error {
	_, err := c.make(procMakeDir, dir, name, s.write)
	return err
}

// make creates a file or a directory, as p says, and returns its handle. how appends the
// arguments after the name.
func (c *conn) make(p procedure, dir handle, name string, how func(*xdr.Writer)) (h handle, err error) {
	var ok bool
	err = c.nfs(p, func(w *xdr.Writer) {
		lookupArgs(dir, name)(w)
		how(w)
	}, func(r *xdr.Reader) error {
		h, ok = readOptionalHandle(r)
		readOptional(r)
		readChange(r)
		return nil
	})
	if err == nil && !ok {
		n, lookupErr := c.lookup(dir, name)
		return n.handle, lookupErr
	}
	return h, err
}

// remove removes a file (REMOVE) or a directory (RMDIR).
func (c *conn) remove(p procedure, dir handle, name string) error {
	return c.nfs(p, lookupArgs(dir, name), func(r *xdr.Reader) error {
		readChange(r)
		return nil
	})
}

// rename renames a file within a directory. It replaces a file that has the new name.
func (c *conn) rename(dir handle, from, to string) error {
	return c.nfs(procRename, func(w *xdr.Writer) {
		lookupArgs(dir, from)(w)
		lookupArgs(dir, to)(w)
	}, func(r *xdr.Reader) error {
		readChange(r)
		readChange(r)
		return nil
	})
}

// link gives a file a second name, which must not exist.
func (c *conn) link(file, dir handle, name string) error {
	return c.nfs(procLink, func(w *xdr.Writer) {
		w.String(string(file))
		lookupArgs(dir, name)(w)
	}, func(r *xdr.Reader) error {
		readOptional(r)
		readChange(r)
		return nil
	})
}

// A verifier changes when a server restarts (RFC 1813 §4.8).
type verifier [8]byte

// readVerifier reads a writeverf3.
func readVerifier(r *xdr.Reader) (v verifier) {
	copy(v[:], r.Fixed(len(v)))
	return v
}

// commit asks the server to store all written data of a file. It returns the server's verifier, and
// the attributes after that, which are nil if the server does not send them.
func (c *conn) commit(h handle) (v verifier, a *Attributes, err error) {
	err = c.nfs(procCommit, func(w *xdr.Writer) {
		w.String(string(h))
		w.Uint64(0) // the whole file
		w.Uint32(0)
	}, func(r *xdr.Reader) error {
		a = readChange(r)
		v = readVerifier(r)
		return nil
	})
	return v, a, err
}
