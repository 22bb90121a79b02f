package sftp

import (
	"io/fs"
	"regexp"
	"strconv"
	"time"

	"locus/access"
)

// Attributes are the attributes that a server reports for a file. They are the Sys of Resources and Entries.
type Attributes struct {
	Size     int64       // -1 if the server does not report it
	Mode     fs.FileMode // type and permissions; 0 if the server does not report them
	UID      uint32      // the number of the owner; 0 also if the server does not report it
	GID      uint32      // the number of the group, like UID
	ModTime  time.Time   // zero if the server does not report it
	Accessed time.Time   // zero if the server does not report it

	hasMode, hasOwner bool
	hasType           bool // the server reports the type in Mode; otherwise Mode is the mode of a regular file
}

// Flags of the attributes that follow (draft-ietf-secsh-filexfer-02 §5).
const (
	flagSize     = 1
	flagOwner    = 2
	flagMode     = 4
	flagTimes    = 8
	flagExtended = 1 << 31
)

// readAttributes reads ATTRS from r. If r fails, r.err has the error, and the result is not valid.
func readAttributes(r *reader) *Attributes {
	a := &Attributes{Size: -1}
	flags := r.uint32()
	if flags&flagSize != 0 {
		size := r.uint64()
		if size > 1<<62 {
			r.fail(errSize)
		}
		a.Size = int64(size) //nolint:gosec // checked above
	}
	if flags&flagOwner != 0 {
		a.UID, a.GID, a.hasOwner = r.uint32(), r.uint32(), true
	}
	if flags&flagMode != 0 {
		mode := r.uint32()
		a.Mode, a.hasMode, a.hasType = modeOf(mode), true, mode&typeBits != 0
	}
	if flags&flagTimes != 0 {
		a.Accessed, a.ModTime = timeOf(r.uint32()), timeOf(r.uint32())
	}
	if flags&flagExtended != 0 {
		for range r.uint32() {
			r.bytes(maxString)
			r.bytes(maxString)
			if r.err != nil {
				break
			}
		}
	}
	return a
}

// typeBits are the bits of a mode that have the type of the file.
const typeBits = 0o170000

// lineStart matches the type and the first eight permissions at the start of the line of a directory or a symbolic
// link. QUIRK: SolarWinds SFTP Server writes a space for the ninth.
var lineStart = regexp.MustCompile(`^[dl][-rwxsStT]{8}`)

// completeType sets the type of a file by line, its line in a listing such as "drwxr-xr-x 2 ada staff 0 Apr 24 14:58 d",
// if the server sends permissions without a type. A line in another form, such as only the name, has no effect.
//
// QUIRK: SolarWinds SFTP Server sends the type only there.
func (a *Attributes) completeType(line string) {
	if a.hasType || !a.hasMode || !lineStart.MatchString(line) {
		return
	}
	a.hasType = true
	if line[0] == 'd' {
		a.Mode |= fs.ModeDir
	} else {
		a.Mode |= fs.ModeSymlink
	}
}

// isOtherKind reports whether the server says that the file is something other than a directory.
func (a *Attributes) isOtherKind() bool { return a.hasType && a.kind() != access.Directory }

// timeOf returns the time that is seconds after 1970, in UTC.
func timeOf(seconds uint32) time.Time { return time.Unix(int64(seconds), 0).UTC() }

// modeOf returns the type and the permissions in mode, a mode of POSIX. A missing type means a regular file, and an
// unknown type is fs.ModeIrregular.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & typeBits {
	case 0o100000, 0: // some servers send no type
	case 0o040000:
		m |= fs.ModeDir
	case 0o120000:
		m |= fs.ModeSymlink
	case 0o010000:
		m |= fs.ModeNamedPipe
	case 0o140000:
		m |= fs.ModeSocket
	case 0o060000:
		m |= fs.ModeDevice
	case 0o020000:
		m |= fs.ModeDevice | fs.ModeCharDevice
	default:
		m |= fs.ModeIrregular
	}
	for _, special := range []struct {
		bit uint32
		is  fs.FileMode
	}{{0o4000, fs.ModeSetuid}, {0o2000, fs.ModeSetgid}, {0o1000, fs.ModeSticky}} {
		if mode&special.bit != 0 {
			m |= special.is
		}
	}
	return m
}

// kind returns the kind of a file with these attributes. It is Unknown without a mode, and for devices and other
// special files.
func (a *Attributes) kind() access.Kind {
	switch {
	case !a.hasMode:
		return access.Unknown
	case a.Mode.IsRegular():
		return access.Object
	case a.Mode.IsDir():
		return access.Directory
	case a.Mode&fs.ModeSymlink != 0:
		return access.Link
	}
	return access.Unknown
}

// isSpecial reports whether the file is neither a regular file nor a directory nor a link, so that it cannot be
// opened. It is false without a mode.
func (a *Attributes) isSpecial() bool { return a.hasMode && a.kind() == access.Unknown }

// describe sets the kind, size, time, mode and Sys of e, and appends its mode and owner to its Header if a has
// them. Only a regular file has a size.
func (a *Attributes) describe(e *access.Entry) {
	e.Kind, e.ModTime, e.Mode, e.Sys, e.Size = a.kind(), a.ModTime, a.Mode.Perm(), a, -1
	if e.Kind == access.Object {
		e.Size = a.Size
	}
	if a.hasMode {
		e.Header = append(e.Header, access.Field{Name: "Mode", Value: a.Mode.String()})
	}
	if a.hasOwner {
		e.Header = append(e.Header, access.Field{Name: "Owner", Value: strconv.FormatUint(uint64(a.UID), 10) + ":" + strconv.FormatUint(uint64(a.GID), 10)})
	}
}

// isVersion reports whether v names the version of the file with these attributes. It compares the times in
// whole seconds. It is false for a v with an entity tag, because SFTP has only times.
func (a *Attributes) isVersion(v access.Validator) bool {
	return v.ETag == "" && v.HasTime(a.ModTime)
}

// A change is the attributes that a request sets. A zero field is not set.
type change struct {
	size    *int64
	mode    fs.FileMode
	modTime time.Time
}

// write appends the change to w, encoded as ATTRS.
func (c change) write(w *writer) {
	var flags uint32
	if c.size != nil {
		flags |= flagSize
	}
	if c.mode != 0 {
		flags |= flagMode
	}
	if !c.modTime.IsZero() {
		flags |= flagTimes
	}
	w.uint32(flags)
	if c.size != nil {
		w.uint64(uint64(*c.size)) //nolint:gosec // not negative
	}
	if c.mode != 0 {
		w.uint32(uint32(c.mode.Perm()))
	}
	if !c.modTime.IsZero() {
		w.uint32(uint32(time.Now().Unix())) //nolint:gosec // the access time, before 2106
		w.uint32(uint32(c.modTime.Unix()))  //nolint:gosec // canStore checks it
	}
}

// canStore reports whether the protocol can express t, which must be between 1970 and 2106.
func canStore(t time.Time) bool { return !t.IsZero() && t.Unix() >= 0 && t.Unix() < 1<<32 }
