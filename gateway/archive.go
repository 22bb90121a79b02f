package gateway

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"locus/access"
	"locus/internal/render"
	"locus/proto/web"
	"locus/url"
)

// Bounds of an archive.
const (
	maxArchiveFiles = 10_000
	maxArchiveDepth = 32
	maxArchiveNames = 16 << 20 // bytes of names and entries that it keeps
	maxArchives     = 64       // that are written at once
	clientArchives  = 4        // of one client
	maxTarUnsized   = 4 << 20  // bytes of a file whose size is not known before it is read
)

// archiveFormats are the forms in which a folder can be stored.
var archiveFormats = []string{"zip", "tar"}

var (
	errArchiveSize  = &refusal{http.StatusBadGateway, "the folder is larger than this gateway puts into one archive", "download its folders one by one"}
	errArchiveNames = &refusal{http.StatusBadGateway, "the names in the folder are too long together", "download its folders one by one"}
	errUnsized      = errors.New("its size is not known before it is read, which tar needs: take the zip")
	errLinkedFolder = errors.New("it is a link to a folder")
)

// missingName is the name of the text in an archive that names what could not be read.
const missingName = "MISSING FILES.txt"

// archive answers with the folder at x.url and all below it, as a zip or tar, which it
// writes while it reads. If that fails in the middle, the response breaks off and the
// archive has no end: no program takes it for a whole one.
func (x *exchange) archive() error {
	format := x.query("format")
	if format != "zip" && format != "tar" {
		return errNoPage
	}
	if err := x.readURL(); err != nil {
		return err
	}
	x.bytesOnly = true
	err := x.archives.enter(x.client, maxArchives, clientArchives)
	if err != nil {
		return err
	}
	defer x.archives.leave(x.client)
	resource, err := x.openURL()
	if err != nil {
		return err
	}
	if resource.List == nil {
		resource.Body.Close()
		x.redirect(x.href(x.url))
		return nil
	}
	name := safeName(nameOf(x.url))
	if x.r.Method == http.MethodHead {
		x.describeArchive(name, format)
		return resource.Body.Close()
	}
	a := &archiver{exchange: x, root: x.url, to: x.toClient(), left: x.maxArchive()}
	entries, err := a.entriesOf(resource)
	if err != nil {
		return err
	}
	if a.sizeOf(entries) > a.left {
		return errArchiveSize
	}
	x.describeArchive(name, format)
	if format == "zip" {
		a.out = &zipFile{zip.NewWriter(a.to)}
	} else {
		a.out = &tarFile{tar.NewWriter(a.to)}
	}
	if err = a.addAll(name+"/", entries, 0); err == nil {
		err = a.addMissing(name + "/")
	}
	if err == nil {
		err = a.out.Close()
	}
	switch {
	case err == nil:
		return nil
	case !a.to.began:
		clear(x.w.Header())
		x.setPolicy(pagePolicy)
		return err
	}
	x.broken(err)
	return nil
}

// describeArchive writes the header of an archive.
func (x *exchange) describeArchive(name, format string) {
	h := x.w.Header()
	h.Set("Content-Disposition", disposition(name+"."+format))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", map[string]string{"zip": "application/zip", "tar": "application/x-tar"}[format])
}

// maxArchive returns MaxArchive, or its default.
func (g *Gateway) maxArchive() int64 {
	if g.MaxArchive > 0 {
		return g.MaxArchive
	}
	return 4 << 30
}

// An archiveFile is a zip or tar that is being written. Without Close it has no end.
type archiveFile interface {
	// create begins a file, or a folder if its name ends with "/". size is -1 if it
	// is not known.
	create(name string, size int64, modTime time.Time) (io.Writer, error)
	needsSize() bool
	Close() error
}

type zipFile struct{ *zip.Writer }

func (z *zipFile) needsSize() bool { return false }

func (z *zipFile) create(name string, _ int64, modTime time.Time) (io.Writer, error) {
	method := zip.Deflate
	if strings.HasSuffix(name, "/") {
		method = zip.Store
	}
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: modTime})
}

type tarFile struct{ *tar.Writer }

func (t *tarFile) needsSize() bool { return true }

func (t *tarFile) create(name string, size int64, modTime time.Time) (io.Writer, error) {
	h := &tar.Header{Name: name, Size: size, Mode: 0o644, ModTime: modTime, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if strings.HasSuffix(name, "/") {
		h.Typeflag, h.Mode, h.Size = tar.TypeDir, 0o755, 0
	}
	return t.Writer, t.WriteHeader(h)
}

// An archiver writes a folder into an archive.
type archiver struct {
	*exchange
	root    url.URL
	to      *clientWriter
	out     archiveFile
	left    int64 // how many more bytes the files may have
	files   int
	names   int      // bytes of names and entries, which are kept to the end
	missing []string // what could not be read, and why
}

// keep counts bytes that are kept.
func (a *archiver) keep(n int) error {
	if a.names += n; a.names > maxArchiveNames {
		return errArchiveNames
	}
	return a.reserve(a.names)
}

// entriesOf returns the entries of a folder that are below it, and closes it.
func (a *archiver) entriesOf(folder *access.Resource) ([]access.Entry, error) {
	defer folder.Body.Close()
	var entries []access.Entry
	err := access.Entries(&boundedLister{Lister: folder.List}, func(e access.Entry) error {
		if e.URL.IsZero() || !isBelow(a.root, e.URL) {
			return nil
		}
		if a.files++; a.files > maxArchiveFiles {
			return &refusal{http.StatusBadGateway, fmt.Sprintf("the folder has more than %s files", grouped(maxArchiveFiles)), "download its folders one by one"}
		}
		entries = append(entries, e)
		return a.keep(entrySize + textSize(e))
	})
	return entries, err
}

// sizeOf returns the sum of the known sizes.
func (a *archiver) sizeOf(entries []access.Entry) (size int64) {
	for _, e := range entries {
		size += max(e.Size, 0)
	}
	return size
}

// isBelow reports whether u is in the folder at root, as far as their texts show.
func isBelow(root, u url.URL) bool {
	above, text := root.String(), u.String()
	if i := strings.IndexAny(above, ";?#"); i >= 0 {
		above = above[:i]
	}
	return strings.HasPrefix(text, strings.TrimSuffix(above, "/")+"/") && len(text) > len(above) && !hasDots(u.Path())
}

// addAll adds the entries of a folder. Its name in the archive is folder, which ends in "/".
func (a *archiver) addAll(folder string, entries []access.Entry, depth int) error {
	if depth > maxArchiveDepth {
		return &refusal{http.StatusBadGateway, fmt.Sprintf("the folder has more than %d levels", maxArchiveDepth), "download its folders one by one"}
	}
	if _, err := a.out.create(folder, 0, time.Time{}); err != nil {
		return err
	}
	used := make(usedNames)
	if depth == 0 {
		used.take(missingName)
	}
	for _, e := range entries {
		name := folder + used.take(safeName(titleOr(e)))
		if err := a.keep(len(name)); err != nil {
			return err
		}
		if err := a.add(name, e, depth); err != nil {
			return err
		}
	}
	return nil
}

// titleOr returns the name of an entry.
func titleOr(e access.Entry) string {
	if e.Title != "" {
		return e.Title
	}
	return render.Title(e.URL)
}

// add adds an entry. What the server does not have, or does not give, is missing.
func (a *archiver) add(name string, e access.Entry, depth int) error {
	req := a.request(access.Get)
	req.URL, req.Known = e.URL, &e
	if e.Kind == access.Directory {
		req.Known = nil
	}
	resource, err := a.do(req)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, access.ErrForm) {
		return a.lacks(name, err)
	}
	if err != nil {
		return err
	}
	if e.Kind == access.Directory {
		resource = web.ListedPages(resource, a.openPage)
	}
	if resource.List == nil {
		defer resource.Body.Close()
		return a.addFile(name, e, resource)
	}
	if e.Kind == access.Link { // which may lead back up
		return errors.Join(a.lacks(name, errLinkedFolder), resource.Body.Close())
	}
	entries, err := a.entriesOf(resource)
	if err != nil {
		return err
	}
	return a.addAll(name+"/", entries, depth+1)
}

// addFile adds the bytes of a file.
func (a *archiver) addFile(name string, e access.Entry, resource *access.Resource) error {
	body, size := io.Reader(resource.Body), resource.Size
	if a.out.needsSize() && size < 0 {
		all, err := io.ReadAll(io.LimitReader(body, maxTarUnsized+1))
		if err != nil {
			return err
		}
		if len(all) > maxTarUnsized {
			return a.lacks(name, errUnsized)
		}
		body, size = bytes.NewReader(all), int64(len(all))
	}
	if a.MaxSize > 0 && size > a.MaxSize {
		return a.lacks(name, errTooLarge)
	}
	modTime := resource.ModTime
	if modTime.IsZero() {
		modTime = e.ModTime
	}
	out, err := a.out.create(name, size, modTime)
	if err != nil {
		return err
	}
	most := a.left
	if a.MaxSize > 0 {
		most = min(most, a.MaxSize)
	}
	n, err := io.Copy(out, &bounded{in: body, left: most})
	a.left -= n
	if errors.Is(err, access.ErrTooLong) {
		return errArchiveSize
	}
	return err
}

// lacks notes that something is missing, and why.
func (a *archiver) lacks(name string, err error) error {
	a.log(err)
	line := render.Clean(name) + ": " + render.Clean(translatePanic(err).Error())
	a.missing = append(a.missing, line)
	return a.keep(len(line))
}

// addMissing adds a text that names what is missing, if anything is.
func (a *archiver) addMissing(above string) error {
	if len(a.missing) == 0 {
		return nil
	}
	text := "These files could not be read. They are not in this archive:\r\n\r\n" + strings.Join(a.missing, "\r\n") + "\r\n"
	out, err := a.out.create(above+missingName, int64(len(text)), time.Time{})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}

// safeName returns a name that every system takes for the name of one file, in the folder
// where it is unpacked. A server wrote it.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd || r >= 0x80 && render.Clean(string(r)) != string(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = strings.TrimRight(strings.TrimLeft(name, " "), " .") // Windows drops them
	const most = 200                                            // bytes; systems allow 255
	for len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if name == "" || isDevice(strings.TrimRight(stem, " ")) {
		return "_" + name
	}
	return name
}

// isDevice reports whether Windows takes a name for that of a device.
func isDevice(stem string) bool {
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	digit, isPort := strings.CutPrefix(strings.Replace(stem, "lpt", "com", 1), "com")
	return isPort && utf8.RuneCountInString(digit) == 1 && strings.Contains("0123456789¹²³", digit)
}

// usedNames are the names in a folder, in lower case: names that differ in case alone are
// the same on some systems. The value is the number that the next of that name gets.
type usedNames map[string]int

// take returns name, or name with a number if it is used.
func (u usedNames) take(name string) string {
	free, lower := name, strings.ToLower(name)
	n, isUsed := u[lower]
	for n = max(n, 2); isUsed; n++ {
		stem, end := name, ""
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			stem, end = name[:i], name[i:]
		}
		free = fmt.Sprintf("%s (%d)%s", stem, n, end)
		_, isUsed = u[strings.ToLower(free)]
	}
	u[lower] = n
	u[strings.ToLower(free)] = max(u[strings.ToLower(free)], 2)
	return free
}
