package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/scheme"
	"locus/url"
)

// An AFS is an [access.Engine] for afs URLs on a machine that mounts the tree of the Andrew File
// System. It does not speak the protocol of AFS itself. Several goroutines may use an AFS at once.
//
//	afs://cell.example/pub/a%20b.txt      "cell.example/pub/a b.txt" below AFS.Folder
//
// It gets and stats files and directories, with the permissions of the program. A symbolic link may
// lead anywhere below the directory, and not out of it.
type AFS struct {
	// Folder is the directory at which the tree is mounted: "/afs". It is opened for each
	// request, so it may be mounted later. "" refuses every request.
	Folder string
}

// ErrNoAFS is the error if this machine does not mount the tree of the Andrew File System.
var ErrNoAFS = sentinel.New("this machine does not mount the Andrew File System", errors.ErrUnsupported)

// Do executes Get and Stat. Every other Op wraps errors.ErrUnsupported.
func (a AFS) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.URL.Scheme() != "afs" {
		return nil, failure(req.Op.String(), req.URL, access.ErrNoScheme)
	}
	if req.Op != access.Get && req.Op != access.Stat || req.Answers != nil {
		return nil, engine.Unsupported(req)
	}
	r, err := a.do(ctx, req)
	return r, failure(req.Op.String(), req.URL, err)
}

// do executes the request. Its errors do not name the URL, because Do adds it.
func (a AFS) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := scheme.ParseAFS(req.URL)
	if err != nil {
		return nil, err
	}
	root, err := a.open()
	if err != nil {
		return nil, err
	}
	defer root.Close() // files that were opened below it stay open
	p, err := newLocation(root, v.Path())
	if err != nil {
		return nil, err
	}
	p.child, p.hasOwnLinks = childOfAFS(v), true
	if req.Op == access.Get {
		return p.get(ctx, req)
	}
	info, err := p.stat()
	if err != nil {
		return nil, err
	}
	return engine.Found(entry(path.Base(path.Join("/", p.name)), req.URL, info), nil)
}

// open opens the directory a.Folder. The error wraps ErrNoAFS if Folder is "" or the directory
// does not exist. The caller closes the root.
func (a AFS) open() (*os.Root, error) {
	if a.Folder == "" {
		return nil, withAFSRemedy(ErrNoAFS)
	}
	root, err := os.OpenRoot(a.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withAFSRemedy(ErrNoAFS)
	}
	return root, err
}

// withAFSRemedy returns err with the advice to install an AFS client.
func withAFSRemedy(err error) error {
	return access.WithRemedy(err, access.Advice("an AFS client, such as that of OpenAFS or the module kafs of Linux, mounts it at /afs"))
}

// childOfAFS returns a function that makes the URL of an entry of the directory v. The URL of a
// directory ends in "/". The function returns the zero URL for a name that an AFS URL cannot
// contain.
func childOfAFS(v scheme.AFS) func(name string, isDir bool) url.URL {
	base := v.Path()
	for n := len(base); n > 0 && base[n-1] == ""; n-- {
		base = base[:n-1]
	}
	return func(name string, isDir bool) url.URL {
		segments := append(slices.Clone(base), name)
		if isDir {
			segments = append(segments, "")
		}
		child := scheme.AFS{Cell: segments[0], Segments: segments[1:]}
		if _, err := scheme.ParseAFS(child.URL()); err != nil {
			return url.URL{} // the name is not the name of a cell
		}
		return child.URL()
	}
}

// below returns the path of name relative to the directory root: "" for root itself. It returns
// false if name is not root or below it.
func below(root, name string) (string, bool) {
	rest, ok := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(root, "/"))
	return strings.TrimPrefix(rest, "/"), ok && (rest == "" || rest[0] == '/')
}
