package nfs

import (
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"locus/access"
	"locus/internal/xdr"
)

// A handle names a file on a server (nfs_fh3). The zero handle is the public one (RFC 2055 §4).
type handle string

const maxHandle = 64

// A fileType is an ftype3.
type fileType uint32

const (
	regular   fileType = 1
	directory fileType = 2
	symlink   fileType = 5
)

// Attributes are the attributes that an NFS server reports for a file. They are the Sys of
// Resources and Entries.
type Attributes struct {
	Mode    fs.FileMode // type and permissions
	Links   uint32
	UID     uint32
	GID     uint32
	ID      uint64    // the number of the file in its file system
	System  uint64    // the number of the file system
	Changed time.Time // when the attributes last changed

	kind    fileType
	size    uint64
	modTime time.Time
}

// id returns a text that is the same for two entries of a server if they are the same file or
// directory.
func (a *Attributes) id() string {
	return strconv.FormatUint(a.System, 16) + "-" + strconv.FormatUint(a.ID, 16)
}

// fields returns the permissions and the owner.
func (a *Attributes) fields() access.Header {
	return access.Header{
		{Name: "Mode", Value: a.Mode.String()},
		{Name: "Owner", Value: strconv.FormatUint(uint64(a.UID), 10) + ":" + strconv.FormatUint(uint64(a.GID), 10)},
	}
}

// etag returns an entity tag made from the file number, the time and the size.
func (a *Attributes) etag() string {
	return fmt.Sprintf(`"%x-%x-%x"`, a.ID, a.modTime.UnixNano(), a.size)
}

// isVersion reports whether v matches a: by its ETag, or by its time if it has no ETag.
func (a *Attributes) isVersion(v access.Validator) bool {
	if v.ETag != "" {
		return v.ETag == a.etag()
	}
	return v.ModTime.Equal(a.modTime) || v.ModTime.Equal(a.modTime.Truncate(time.Second))
}

// length returns the size of a file in bytes.
func (a *Attributes) length() int64 { return int64(a.size) } //nolint:gosec // readAttributes checks it

// describe sets the fields of e that a has.
func (a *Attributes) describe(e *access.Entry) {
	e.Kind, e.ModTime, e.ID, e.Mode = a.entryKind(), a.modTime, a.id(), a.Mode.Perm()
	e.Header, e.Sys = a.fields(), a
	if a.kind == regular {
		e.Size = a.length()
	}
}

// entryKind returns the kind of an entry for a file of this type. A device, for example, is
// Unknown.
func (a *Attributes) entryKind() access.Kind {
	switch a.kind {
	case regular:
		return access.Object
	case directory:
		return access.Directory
	case symlink:
		return access.Link
	}
	return access.Unknown
}

// typeModes are the types of RFC 1813 §2.5, ftype3.
var typeModes = [...]fs.FileMode{
	1: 0, 2: fs.ModeDir, 3: fs.ModeDevice, 4: fs.ModeDevice | fs.ModeCharDevice, 5: fs.ModeSymlink, 6: fs.ModeSocket, 7: fs.ModeNamedPipe,
}

// readAttributes reads an fattr3 (RFC 1813 §2.6). An invalid type or size fails r.
func readAttributes(r *xdr.Reader) *Attributes {
	a := &Attributes{kind: fileType(r.Uint32())}
	if a.kind < regular || a.kind >= fileType(len(typeModes)) {
		r.Fail(xdr.ErrValue)
		return a
	}
	a.Mode = modeOf(r.Uint32()) | typeModes[a.kind]
	a.Links, a.UID, a.GID = r.Uint32(), r.Uint32(), r.Uint32()
	a.size = r.Uint64()
	r.Uint64() // used
	r.Uint64() // rdev
	a.System, a.ID = r.Uint64(), r.Uint64()
	readTime(r) // atime
	a.modTime, a.Changed = readTime(r), readTime(r)
	if a.size > 1<<62 {
		r.Fail(xdr.ErrLong)
	}
	return a
}

// modeOf returns the permissions of a mode3, with the bits for setuid, setgid and sticky.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	for bit, is := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if mode&bit != 0 {
			m |= is
		}
	}
	return m
}

// readTime reads an nfstime3.
func readTime(r *xdr.Reader) time.Time {
	seconds, nanoseconds := r.Uint32(), r.Uint32()
	return time.Unix(int64(seconds), int64(nanoseconds)).UTC()
}

// readOptional reads a post_op_attr, which may be absent: then it returns nil.
func readOptional(r *xdr.Reader) *Attributes {
	if !r.Bool() {
		return nil
	}
	return readAttributes(r)
}

// readHandle reads an nfs_fh3.
func readHandle(r *xdr.Reader) handle { return handle(r.Opaque(maxHandle)) }

// readOptionalHandle reads a post_op_fh3. ok is false if the handle is absent.
func readOptionalHandle(r *xdr.Reader) (h handle, ok bool) {
	if !r.Bool() {
		return "", false
	}
	return readHandle(r), true
}

// readChange reads a wcc_data and returns the attributes after the change. They are nil if they
// are absent.
func readChange(r *xdr.Reader) *Attributes {
	if r.Bool() {
		r.Uint64() // size
		readTime(r)
		readTime(r)
	}
	return readOptional(r)
}

// A change is a sattr3, the attributes that SETATTR or CREATE sets. A nil field is not set.
type change struct {
	mode    *uint32
	size    *uint64
	modTime *time.Time
}

// write appends s as a sattr3 (RFC 1813 §2.6).
func (s change) write(w *xdr.Writer) {
	w.Bool(s.mode != nil)
	if s.mode != nil {
		w.Uint32(*s.mode)
	}
	w.Bool(false) // uid
	w.Bool(false) // gid
	w.Bool(s.size != nil)
	if s.size != nil {
		w.Uint64(*s.size)
	}
	const keep, client = 0, 2
	w.Uint32(keep) // atime
	if s.modTime == nil {
		w.Uint32(keep)
		return
	}
	w.Uint32(client)
	w.Uint32(uint32(s.modTime.Unix()))       //nolint:gosec // canStore checks it
	w.Uint32(uint32(s.modTime.Nanosecond())) //nolint:gosec // less than 2^30
}

// canStore reports whether an nfstime3 can hold t, which must be between 1970 and 2106.
func canStore(t time.Time) bool { return t.Unix() >= 0 && t.Unix() < 1<<32 }
