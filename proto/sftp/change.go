package sftp

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"time"

	"locus/access"
	"locus/access/engine"
)

// A target is the file that a request writes.
type target struct {
	path string      // the path of the URL, or of the file to which its symbolic link leads
	attr *Attributes // nil if the file is missing
}

// put replaces the file of the URL by the Body, or continues it at Request.Offset. It returns the modification time
// that it stored, or the zero time if the server chose the time.
func (o *operation) put() (modTime time.Time, err error) {
	t, err := o.findFile()
	if err == nil {
		err = o.checkConditions(t)
	}
	if err != nil {
		return time.Time{}, err
	}
	if o.req.Offset > 0 && o.req.Part == "" {
		err = o.resume(t)
	} else {
		err = o.replace(t)
	}
	if err != nil {
		return time.Time{}, err
	}
	return o.timeToStore().Truncate(time.Second), nil
}

// findFile finds the file to write: the file of the URL, or the target of its symbolic link. The file may be
// missing. The error is errIsDir for a directory, and errNotRegular for a special file.
func (o *operation) findFile() (target, error) {
	t := target{path: o.path}
	if o.mustBeDir() {
		return t, errIsDir
	}
	a, err := o.lookUp(typeLstat, o.path)
	if hasStatus(err, statusNoFile) {
		return t, nil
	}
	if err == nil && a.kind() == access.Link {
		if t.path, err = o.realPath(o.path); err != nil {
			return t, err
		}
		if a, err = o.lookUp(typeStat, t.path); hasStatus(err, statusNoFile) { // a dangling link
			return t, nil
		}
	}
	switch {
	case err != nil:
		return t, err
	case a.kind() == access.Directory:
		return t, errIsDir
	case a.isSpecial():
		return t, errNotRegular
	}
	t.attr = a
	return t, nil
}

// realPath asks the server to make path absolute and to follow its symbolic links. It returns an
// error if the reply is not exactly one absolute path.
func (o *operation) realPath(path string) (string, error) {
	id, err := o.conn.send(typeRealpath, func(w *writer) { w.string(path) })
	if err != nil {
		return "", err
	}
	r, err := o.conn.receive(id, typeName)
	if err != nil {
		return "", err
	}
	if r.uint32() != 1 {
		return "", malformed(errors.New("not one path"))
	}
	absolute := r.string(maxString)
	if r.err == nil && (absolute == "" || absolute[0] != '/') {
		r.fail(errors.New("a path that is not absolute"))
	}
	return absolute, malformed(r.err)
}

// checkConditions returns fs.ErrExist if t exists but Request.IfAbsent is set, and access.ErrChanged if t is not
// the version of Request.IfMatch.
func (o *operation) checkConditions(t target) error {
	switch {
	case o.req.IfAbsent && t.attr != nil:
		return fs.ErrExist
	case o.req.IfMatch.IsZero():
		return nil
	case t.attr == nil || !t.attr.isVersion(o.req.IfMatch):
		return access.ErrChanged
	}
	return nil
}

// replace writes the Body to a temporary file beside t, or continues that file at Request.Offset, and renames it to
// t. After an error it removes the temporary file. If a later request may continue the file, replace keeps it
// instead, and cuts it to the bytes that the server has stored.
func (o *operation) replace(t target) error {
	part := siblingOf(t.path, engine.PartName(siblingName(t.path), cmp.Or(o.req.Part, engine.NewPart())))
	handle, err := o.openPart(part, t)
	if err != nil {
		return err
	}
	end, err := o.store(handle, o.req.Offset, o.attributesFor(t))
	if err == nil {
		err = o.rename(part, t)
	}
	if err == nil {
		return nil
	}
	if o.keepsPart(err) {
		return o.truncate(part, end, err)
	}
	return o.removePart(part, err)
}

// siblingName returns the last name of path: the text after its last "/".
func siblingName(path string) string { return path[len(siblingOf(path, "")):] }

// openPart opens part, the temporary file of an upload, for writing, and returns its handle. It creates the file,
// except that with an Offset the file must exist and have that size.
func (o *operation) openPart(part string, t target) (handle string, err error) {
	flags := uint32(openWrite | openCreate | openTruncate)
	switch {
	case o.req.Offset > 0 && !o.conn.ordered:
		return "", errUnordered
	case o.req.Offset > 0:
		flags = openWrite
		if err := o.checkSize(part); err != nil {
			return "", err
		}
	case o.req.Part == "":
		flags |= openNew
	}
	return o.openToWrite(part, flags, change{mode: o.attributesFor(t).mode})
}

// openToWrite opens a file with flags of OPEN, and returns its handle. A file that is created gets the attributes
// in set.
func (o *operation) openToWrite(path string, flags uint32, set change) (handle string, err error) {
	id, err := o.conn.send(typeOpen, func(w *writer) { openArgs(w, path, flags, set) })
	if err != nil {
		return "", err
	}
	return o.receiveHandle(id)
}

// checkSize returns nil if the file at path has exactly Request.Offset bytes. The error is access.ErrRange if it is
// shorter, and access.ErrChanged if it is longer.
func (o *operation) checkSize(path string) error {
	a, err := o.lookUp(typeStat, path)
	switch {
	case err != nil:
		return err
	case a.Size < o.req.Offset:
		return access.ErrRange
	case a.Size > o.req.Offset:
		return access.ErrChanged
	}
	return nil
}

// attributesFor returns the attributes that the new file gets: the permissions of the request or of the old file, and
// the time of the request.
func (o *operation) attributesFor(t target) change {
	set := change{mode: o.req.Mode.Perm(), modTime: o.timeToStore()}
	if set.mode == 0 && t.attr != nil && t.attr.hasMode {
		set.mode = t.attr.Mode.Perm()
	}
	return set
}

// keepsPart reports whether to keep the temporary file of an upload that failed with err, because a later request
// may continue it. It is false without Request.Part, and if the server refused the upload.
func (o *operation) keepsPart(err error) bool {
	if o.req.Part == "" {
		return false
	}
	if failed, ok := errors.AsType[bodyError](err); ok {
		return o.ctx.Err() != nil || errors.Is(failed, io.ErrUnexpectedEOF) || errors.Is(failed, access.ErrTemporary)
	}
	return !isRefusal(err) && !errors.Is(err, errShortWrite)
}

// truncate cuts the file part to size, the number of bytes that the server has stored without a gap, and returns
// cause. It ignores errors, and has no effect if the connection is broken.
func (o *operation) truncate(part string, size int64, cause error) error {
	if o.ctx.Err() != nil || o.conn.link.err() != nil {
		return cause
	}
	_ = o.command(typeSetstat, func(w *writer) { // after an error the part is found too long, and is not continued
		w.string(part)
		change{size: &size}.write(w)
	})
	return cause
}

const posixRename = "posix-rename@openssh.com"

// rename gives part, a complete file, the name of t. It replaces the file t, unless IfAbsent is set; then the error
// is fs.ErrExist if t exists.
func (o *operation) rename(part string, t target) error {
	if !o.req.IfAbsent && o.conn.has(posixRename, "1") {
		return o.command(typeExtended, func(w *writer) {
			w.string(posixRename)
			w.string(part)
			w.string(t.path)
		})
	}
	err := o.move(part, t.path)
	if !isRefusal(err) {
		return err
	}
	_, missing := o.lookUp(typeLstat, t.path)
	switch {
	case missing != nil:
		return access.WithRemedy(err, access.WriteInPlace)
	case o.req.IfAbsent:
		return fs.ErrExist
	}
	return o.swap(part, t.path)
}

// move renames the file from to the name to with RENAME, which the server refuses if a file with the name to
// exists.
func (o *operation) move(from, to string) error {
	return o.command(typeRename, func(w *writer) {
		w.string(from)
		w.string(to)
	})
}

// swap renames part to path, where a file exists, on a server that cannot replace a file at once. It first gives
// the old file another name, and removes it at the end. If part cannot get its name, the old file gets its name
// back.
func (o *operation) swap(part, path string) error {
	old := siblingOf(path, engine.PartName(siblingName(path), engine.NewPart()))
	if err := o.move(path, old); err != nil {
		return err
	}
	if err := o.move(part, path); err != nil {
		if o.move(old, path) != nil {
			return access.WithRemedy(err, access.Advice("the old file has the name "+old+" now"))
		}
		return err
	}
	return o.command(typeRemove, func(w *writer) { w.string(old) })
}

// resume writes the Body at the end of t, whose size must be Request.Offset. It uses no temporary file.
func (o *operation) resume(t target) error {
	if err := o.checkSize(t.path); err != nil {
		return err
	}
	return o.writeAt(t.path, openWrite, o.req.Offset, change{mode: o.req.Mode.Perm(), modTime: o.timeToStore()})
}

// append writes the Body at the end of the file of the URL, or creates the file.
func (o *operation) append() error {
	t, err := o.findFile()
	if err == nil {
		err = o.checkConditions(t)
	}
	if err != nil {
		return err
	}
	end := int64(0)
	if t.attr != nil {
		if end = t.attr.Size; end < 0 {
			return engine.Reason("the server does not say where the file ends", errors.ErrUnsupported)
		}
	}
	return o.writeAt(t.path, openWrite|openCreate, end, change{})
}

// writeAt opens the file at path with flags of OPEN, writes the Body into it from offset on, sets the
// attributes in set, and closes the file.
func (o *operation) writeAt(path string, flags uint32, offset int64, set change) error {
	handle, err := o.openToWrite(path, flags, change{})
	if err != nil {
		return err
	}
	_, err = o.store(handle, offset, set)
	return err
}

// remove removes the file, symbolic link or empty directory of the URL. The URL of a directory must end in "/".
func (o *operation) remove() error {
	if o.isTop() {
		return errRoot
	}
	a, err := o.lookUp(typeLstat, o.path)
	kind := typeRemove
	switch {
	case err != nil:
		return err
	case !o.req.IfMatch.IsZero() && !a.isVersion(o.req.IfMatch):
		return access.ErrChanged
	case a.kind() == access.Directory && !o.mustBeDir():
		return access.WithRemedy(errIsDir, access.Advice(`to remove a directory, end the URL with "/"`))
	case a.kind() == access.Directory, o.mustBeDir() && a.hasMode && !a.hasType:
		kind = typeRmdir
	case o.mustBeDir():
		return errNotDir
	}
	err = o.command(kind, func(w *writer) { w.string(o.path) })
	if kind == typeRmdir && hasStatus(err, statusFailure) {
		return meaning(err, errNotEmpty)
	}
	return err
}

// makeDir makes the directory of the URL. The error wraps fs.ErrExist if the name exists.
func (o *operation) makeDir() error {
	if o.isTop() {
		return fs.ErrExist
	}
	err := o.command(typeMkdir, func(w *writer) {
		w.string(o.path)
		change{}.write(w)
	})
	if !hasStatus(err, statusFailure) {
		return err
	}
	if _, missing := o.lookUp(typeLstat, o.path); missing == nil {
		return meaning(err, fs.ErrExist)
	}
	return err
}
