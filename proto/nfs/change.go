package nfs

import (
	"cmp"
	"errors"
	"io/fs"
	"time"

	"locus/access"
	"locus/access/engine"
)

const (
	defaultMode = 0o644 // of new files
	dirMode     = 0o755 // of new directories
)

// put replaces the file of the URL, or continues it at Request.Offset. It returns the
// modification time that it stored, or the zero time if the server chose the time.
func (o *operation) put() (modTime time.Time, err error) {
	p, err := o.findFile()
	if err == nil {
		err = o.checkChange(p)
	}
	if err != nil {
		return time.Time{}, err
	}
	var a *Attributes
	switch {
	case o.req.Offset > 0 && o.req.Part != "":
		// Because writes are stored in any order, the size of a part does not tell which bytes it has.
		return time.Time{}, engine.Reason("an upload to nfs starts at its beginning", errors.ErrUnsupported)
	case o.req.Offset > 0:
		a, err = o.resume(p)
	default:
		a, err = o.replace(p)
	}
	if err != nil || o.req.ModTime.IsZero() || !canStore(o.req.ModTime) {
		return time.Time{}, err
	}
	return a.modTime, nil
}

// findFile finds the file to write. The file may be missing. A directory or a special file is an
// error.
func (o *operation) findFile() (resolvedPath, error) {
	if o.mustBeDir() {
		return resolvedPath{}, errIsDir
	}
	p, err := o.find(true)
	switch {
	case err != nil:
		return p, err
	case p.isExportList:
		return p, errExportList
	case p.isMissing:
		return p, nil
	case p.attr.kind == directory:
		return p, errIsDir
	case p.attr.kind != regular:
		return p, errNotRegular
	}
	return p, nil
}

// checkChange checks IfAbsent and IfMatch for the file to write. The error is fs.ErrExist or access.ErrChanged.
func (o *operation) checkChange(p resolvedPath) error {
	switch {
	case o.req.IfAbsent && !p.isMissing:
		return fs.ErrExist
	case o.req.IfMatch.IsZero():
		return nil
	case p.isMissing || !p.attr.isVersion(o.req.IfMatch):
		return access.ErrChanged
	}
	return nil
}

// replace writes a new file and renames it to the name of the old file. It returns the attributes of the new file.
// After an error it removes the new file.
func (o *operation) replace(p resolvedPath) (*Attributes, error) {
	mode := o.req.Mode.Perm()
	if mode == 0 && !p.isMissing {
		mode = p.attr.Mode.Perm()
	}
	mode = cmp.Or(mode, defaultMode)
	temporary, err := o.chooseTemporary(p)
	if err != nil {
		return nil, err
	}
	file, err := o.conn.create(p.dir.handle, temporary, change{mode: modeBits(mode)})
	if hasStatus(err, statusNameTooLong) { // but p.name may fit
		temporary = engine.NewPart()[1:] // without the name
		file, err = o.conn.create(p.dir.handle, temporary, change{mode: modeBits(mode)})
	}
	if err != nil {
		return nil, err
	}
	a, err := o.fill(p, file, mode)
	if err == nil {
		err = o.moveTo(p, file, temporary)
	}
	if err != nil {
		return nil, o.removePart(p.dir.handle, temporary, err)
	}
	return a, nil
}

// chooseTemporary returns the name that the new file has until it is complete. With
// Request.Part the name is fixed, so chooseTemporary removes the file that a killed upload may
// have left.
func (o *operation) chooseTemporary(p resolvedPath) (string, error) {
	if o.req.Part == "" {
		return p.name + engine.NewPart(), nil
	}
	name := engine.PartName(p.name, o.req.Part)
	err := o.conn.remove(procRemove, p.dir.handle, name)
	if hasStatus(err, statusNoEnt, statusNameTooLong) {
		err = nil
	}
	return name, err
}

// fill writes the Body of the request into a new file, and makes the server store it. It returns
// the attributes of the complete file, with its mode and time set.
func (o *operation) fill(p resolvedPath, file handle, mode fs.FileMode) (*Attributes, error) {
	size, err := o.write(p, file, 0)
	if err != nil {
		return nil, err
	}
	return o.settle(file, size, mode)
}

// moveTo renames a complete file from its temporary name to p.name, and replaces a file of that name. With IfAbsent
// it fails if the name exists: because RENAME replaces, it links the new name and removes the temporary name. If the
// server refuses the link, moveTo first creates p.name as an empty file, and then renames.
func (o *operation) moveTo(p resolvedPath, file handle, temporary string) error {
	if !o.req.IfAbsent {
		return o.conn.rename(p.dir.handle, temporary, p.name)
	}
	err := o.conn.link(file, p.dir.handle, p.name)
	if err == nil {
		return o.conn.remove(procRemove, p.dir.handle, temporary)
	}
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// The server has no links, so an empty file reserves the name.
	if _, err := o.conn.create(p.dir.handle, p.name, change{mode: modeBits(defaultMode)}); err != nil {
		return err
	}
	if err := o.conn.rename(p.dir.handle, temporary, p.name); err != nil {
		return o.removePart(p.dir.handle, p.name, err)
	}
	return nil
}

// resume appends the Body to a file whose size is Request.Offset, and returns the attributes after that. The error
// wraps fs.ErrNotExist if the file is missing; it is access.ErrRange if the file is shorter, and access.ErrChanged
// if it is longer.
func (o *operation) resume(p resolvedPath) (*Attributes, error) {
	switch {
	case p.isMissing:
		return nil, refusal(statusNoEnt)
	case p.attr.length() < o.req.Offset:
		return nil, access.ErrRange
	case p.attr.length() > o.req.Offset:
		return nil, access.ErrChanged
	}
	size, err := o.write(p, p.handle, o.req.Offset)
	if err != nil {
		return nil, err
	}
	return o.settle(p.handle, size, o.req.Mode.Perm())
}

// append appends the Body to the file of the URL. If the file is missing, append creates it.
func (o *operation) append() error {
	p, err := o.findFile()
	if err == nil {
		err = o.checkChange(p)
	}
	if err != nil {
		return err
	}
	if p.isMissing {
		p.handle, err = o.conn.create(p.dir.handle, p.name, change{mode: modeBits(defaultMode)})
		p.attr = &Attributes{}
	}
	if err != nil {
		return err
	}
	size, err := o.write(p, p.handle, p.attr.length())
	if err != nil {
		return err
	}
	_, err = o.settle(p.handle, size, 0)
	return err
}

// remove removes the file, symbolic link or empty directory of the URL. The URL of a directory must
// end in "/".
func (o *operation) remove() error {
	p, err := o.find(false)
	switch {
	case err != nil:
		return err
	case p.isExportList:
		return errExportList
	case p.isMissing:
		return refusal(statusNoEnt)
	case p.name == "":
		return engine.Reason("it is the top directory of an export", fs.ErrPermission)
	case p.attr.kind == directory && !o.mustBeDir():
		return access.WithRemedy(errIsDir, access.Advice(`to remove a directory, end the URL with "/"`))
	case p.attr.kind != directory && o.mustBeDir():
		return errNotDir
	case !o.req.IfMatch.IsZero() && !p.attr.isVersion(o.req.IfMatch):
		return access.ErrChanged
	}
	if p.attr.kind == directory {
		return o.conn.remove(procRemoveDir, p.dir.handle, p.name)
	}
	return o.conn.remove(procRemove, p.dir.handle, p.name)
}

// makeDir makes the directory of the URL. The error is fs.ErrExist if the name exists.
func (o *operation) makeDir() error {
	p, err := o.find(true)
	switch {
	case err != nil:
		return err
	case !p.isMissing:
		return fs.ErrExist
	}
	return o.conn.makeDir(p.dir.handle, p.name, change{mode: modeBits(dirMode)})
}
