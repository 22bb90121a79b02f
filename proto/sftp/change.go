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

// put replaces the file of the URL, or continues it at Request.Offset. It returns the modification time that it stored,
// or the zero time if the server chose the time.
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

// findFile finds the file to write. The file may be missing. A directory or a special file is an error.
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

// checkConditions checks IfAbsent and IfMatch. The error is fs.ErrExist or access.ErrChanged.
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

// replace writes a new file, or continues it at Request.Offset, and renames it to the name of the old one.
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

// siblingName returns the last name of a path.
func siblingName(path string) string { return path[len(siblingOf(path, "")):] }

// openPart opens the temporary file of an upload. With an Offset it must have that size.
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

// openToWrite opens a file with flags of OPEN.
func (o *operation) openToWrite(path string, flags uint32, set change) (handle string, err error) {
	id, err := o.conn.send(typeOpen, func(w *writer) { openArgs(w, path, flags, set) })
	if err != nil {
		return "", err
	}
	return o.receiveHandle(id)
}

// checkSize returns an error unless the file of a path has exactly Request.Offset bytes.
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

// keepsPart reports whether a later request may continue an upload that failed with err.
func (o *operation) keepsPart(err error) bool {
	if o.req.Part == "" {
		return false
	}
	if failed, ok := errors.AsType[bodyError](err); ok {
		return o.ctx.Err() != nil || errors.Is(failed, io.ErrUnexpectedEOF) || errors.Is(failed, access.ErrTemporary)
	}
	return !isRefusal(err) && !errors.Is(err, errShortWrite)
}

// truncate cuts a part to the bytes that the server has stored without a gap, and returns cause. It does nothing if the
// connection is broken.
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

// rename gives a complete file the name of the target. With IfAbsent it must not replace a file.
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

// move sends RENAME, which replaces no file.
func (o *operation) move(from, to string) error {
	return o.command(typeRename, func(w *writer) {
		w.string(from)
		w.string(to)
	})
}

// swap replaces a file on a server that cannot do it at once: the old file gets another name first. If the new file
// then cannot get its name, the old one gets it back.
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

// resume continues a file whose size is Request.Offset, without a temporary name.
func (o *operation) resume(t target) error {
	if err := o.checkSize(t.path); err != nil {
		return err
	}
	return o.writeAt(t.path, openWrite, o.req.Offset, change{mode: o.req.Mode.Perm(), modTime: o.timeToStore()})
}

// append writes at the end of the file of the URL, or creates the file.
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
			return engine.Reason("the server does not tell where the file ends", errors.ErrUnsupported)
		}
	}
	return o.writeAt(t.path, openWrite|openCreate, end, change{})
}

// writeAt writes the Body into a file from offset on.
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
	case a.kind() == access.Directory:
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

// makeDir makes a directory. The error is fs.ErrExist if the name exists.
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
