// Package pack writes folders into zip and tar archives while it reads the folders.
//
// If reading fails in the middle, the archive lacks its end, so that a program does not take it
// for a complete archive. A file that the server refuses is only missing: the archive has a text
// that lists the missing files and the reasons.
package pack

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

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/internal/render"
	"locus/proto/web"
	"locus/url"
)

// Limits of an archive.
const (
	maxFiles      = 10_000
	maxDepth      = 32
	maxNames      = 16 << 20 // bytes of names and entries that are kept in memory
	maxTarUnsized = 4 << 20  // bytes of a file of unknown size in a tar
)

var (
	errSize         = refuse.New(http.StatusBadGateway, "the folder is larger than this gateway puts into one archive", "download its folders one by one")
	errNames        = refuse.New(http.StatusBadGateway, "the names in the folder are too long", "download its folders one by one")
	errUnsized      = errors.New("tar needs the size of each file in advance, and the server does not send it; download the zip instead")
	errLinkedFolder = errors.New("it is a link to a folder")
)

// missingName is the name of the text in an archive that lists the missing files.
const missingName = "MISSING FILES.txt"

// An archive is a zip or tar that is being written. Close writes the end of the archive.
type archive interface {
	// create begins a file, or a folder if its name ends with "/". size is -1 if the size is
	// unknown.
	create(name string, size int64, modTime time.Time) (io.Writer, error)
	// needsSize reports whether create needs the size.
	needsSize() bool
	Close() error
}

// A zipFile is an archive in the format zip.
type zipFile struct{ *zip.Writer }

// needsSize returns false: create ignores the size.
func (z *zipFile) needsSize() bool { return false }

// create implements archive: it begins the named file or folder in the archive, and returns the
// Writer of its bytes. Files are compressed.
func (z *zipFile) create(name string, _ int64, modTime time.Time) (io.Writer, error) {
	method := zip.Deflate
	if strings.HasSuffix(name, "/") {
		method = zip.Store
	}
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: modTime})
}

// A tarFile is an archive in the format tar.
type tarFile struct{ *tar.Writer }

// needsSize returns true: the size of a file comes before its bytes in a tar.
func (t *tarFile) needsSize() bool { return true }

// create implements archive: it begins the named file or folder in the archive, and returns the
// Writer of its bytes. The Writer takes exactly size bytes.
func (t *tarFile) create(name string, size int64, modTime time.Time) (io.Writer, error) {
	h := &tar.Header{Name: name, Size: size, Mode: 0o644, ModTime: modTime, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if strings.HasSuffix(name, "/") {
		h.Typeflag, h.Mode, h.Size = tar.TypeDir, 0o755, 0
	}
	return t.Writer, t.WriteHeader(h)
}

// IsFormat reports whether Write knows a format of archives.
func IsFormat(format string) bool { return format == "zip" || format == "tar" }

// A Folder is a folder that is written into an archive.
type Folder struct {
	Root url.URL
	// Do does a request, and Request makes a request for the client.
	Do      func(req *access.Request) (*access.Resource, error)
	Request func(op access.Op, u url.URL) *access.Request
	// Reserve takes memory for n bytes together.
	Reserve func(n int) error
	// Explain returns the reason why a file is missing, for people.
	Explain func(err error) string
	// MaxFile is how many bytes a file may have. 0 means no limit. MaxSize is how many bytes
	// all files may have together.
	MaxFile, MaxSize int64

	top     []access.Entry
	out     archive
	left    int64 // how many more bytes the files may have
	files   int
	names   int      // bytes of names and entries in memory
	missing []string // the missing files with the reasons
}

// List reads the entries of the top folder, for Write, and closes the Body of folder. It fails if
// the known sizes of the files exceed MaxSize.
func (f *Folder) List(folder *access.Resource) error {
	entries, err := f.entriesOf(folder)
	if err != nil {
		return err
	}
	f.top, f.left = entries, f.MaxSize
	if sizeOf(entries) > f.left {
		return errSize
	}
	return nil
}

// Write writes the folder that List has read, and the folders in it, to an archive. The format is
// "zip" or "tar". All names in the archive begin with name and "/". After an error the archive
// lacks its end.
func (f *Folder) Write(to io.Writer, format, name string) error {
	if format == "zip" {
		f.out = &zipFile{zip.NewWriter(to)}
	} else {
		f.out = &tarFile{tar.NewWriter(to)}
	}
	if err := f.addAll(name+"/", f.top, 0); err != nil {
		return err
	}
	if err := f.addMissing(name + "/"); err != nil {
		return err
	}
	return f.out.Close()
}

// keep adds n to the bytes of names and entries in memory, and reserves them. It fails if they are
// too many.
func (f *Folder) keep(n int) error {
	if f.names += n; f.names > maxNames {
		return errNames
	}
	return f.Reserve(f.names)
}

// entriesOf returns the entries of a folder that are below Root, and closes its Body. It fails if
// the archive would have too many files or names.
func (f *Folder) entriesOf(folder *access.Resource) ([]access.Entry, error) {
	defer folder.Body.Close()
	var entries []access.Entry
	err := access.Entries(entry.Bounded(folder.List), func(e access.Entry) error {
		if e.URL.IsZero() || !entry.IsBelow(f.Root, e.URL) {
			return nil
		}
		if f.files++; f.files > maxFiles {
			return refuse.New(http.StatusBadGateway, "the folder has more than 10,000 files", "download its folders one by one")
		}
		entries = append(entries, e)
		return f.keep(entry.Size + entry.TextSize(e))
	})
	return entries, err
}

// sizeOf returns the sum of the known sizes of entries, in bytes.
func sizeOf(entries []access.Entry) (size int64) {
	for _, e := range entries {
		size += max(e.Size, 0)
	}
	return size
}

// addAll adds a folder with its entries, and the folders below, to the archive. folder is its name
// in the archive, with a "/" at the end. depth is 0 for the top folder.
func (f *Folder) addAll(folder string, entries []access.Entry, depth int) error {
	if depth > maxDepth {
		return refuse.New(http.StatusBadGateway, fmt.Sprintf("the folder has more than %d levels", maxDepth), "download its folders one by one")
	}
	if _, err := f.out.create(folder, 0, time.Time{}); err != nil {
		return err
	}
	used := make(entry.Used)
	if depth == 0 {
		used.Take(missingName)
	}
	for _, e := range entries {
		name := folder + used.Take(entry.SafeName(entry.Title(e)))
		if err := f.keep(len(name)); err != nil {
			return err
		}
		if err := f.add(name, e, depth); err != nil {
			return err
		}
	}
	return nil
}

// add fetches e and adds it to the archive as name, with all of its entries if it is a folder. If
// the server lacks or refuses e, or if e is a form, is of an unsupported kind or is a link to a
// folder, add lists it as missing and returns nil. depth is the depth of the folder that has e.
func (f *Folder) add(name string, e access.Entry, depth int) error {
	req := f.Request(access.Get, e.URL)
	req.Known = &e
	if e.Kind == access.Directory {
		req.Known = nil
	}
	resource, err := f.Do(req)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, access.ErrForm) {
		return f.lacks(name, err)
	}
	if err != nil {
		return err
	}
	if e.Kind == access.Directory {
		resource = web.ListedPages(resource, func(u url.URL) (*access.Resource, error) { return f.Do(f.Request(access.Get, u)) })
	}
	if resource.List == nil {
		defer resource.Body.Close()
		return f.addFile(name, e, resource)
	}
	if e.Kind == access.Link { // a link may lead back up
		return errors.Join(f.lacks(name, errLinkedFolder), resource.Body.Close())
	}
	entries, err := f.entriesOf(resource)
	if err != nil {
		return err
	}
	return f.addAll(name+"/", entries, depth+1)
}

// addFile adds the bytes of a file to the archive. It lists a file as missing if its size exceeds
// MaxFile, or if the archive needs the size, the server does not send it, and the file has more
// than maxTarUnsized bytes. It returns errSize if the folder becomes larger than MaxSize, or if the
// bytes of the file exceed MaxFile.
func (f *Folder) addFile(name string, e access.Entry, resource *access.Resource) error {
	body, size := io.Reader(resource.Body), resource.Size
	if f.out.needsSize() && size < 0 {
		all, err := io.ReadAll(io.LimitReader(body, maxTarUnsized+1))
		if err != nil {
			return err
		}
		if len(all) > maxTarUnsized {
			return f.lacks(name, errUnsized)
		}
		body, size = bytes.NewReader(all), int64(len(all))
	}
	if f.MaxFile > 0 && size > f.MaxFile {
		return f.lacks(name, refuse.ErrTooLarge)
	}
	modTime := resource.ModTime
	if modTime.IsZero() {
		modTime = e.ModTime
	}
	out, err := f.out.create(name, size, modTime)
	if err != nil {
		return err
	}
	most := f.left
	if f.MaxFile > 0 {
		most = min(most, f.MaxFile)
	}
	n, err := io.Copy(out, io.LimitReader(body, most+1))
	f.left -= n
	if n > most {
		return errSize
	}
	return err
}

// lacks lists the named file as missing because of err. It fails if the list is too long.
func (f *Folder) lacks(name string, err error) error {
	line := render.Clean(name) + ": " + render.Clean(f.Explain(err))
	f.missing = append(f.missing, line)
	return f.keep(len(line))
}

// addMissing adds the text that lists the missing files to the folder above. It does nothing if
// the list is empty.
func (f *Folder) addMissing(above string) error {
	if len(f.missing) == 0 {
		return nil
	}
	text := "These files could not be read. They are not in this archive:\r\n\r\n" + strings.Join(f.missing, "\r\n") + "\r\n"
	out, err := f.out.create(above+missingName, int64(len(text)), time.Time{})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
