package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"locus/access"
	"locus/internal/facts"
	"locus/retry"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A Source is an open file that is uploaded: see [Upload].
type Source struct {
	// Body is the content. If it is an [io.Seeker], an engine may read it twice, such as after
	// a login. If it has the Stat of an [os.File], it is not appended to itself. [Upload.Do]
	// closes it, perhaps twice.
	Body    io.ReadCloser
	Name    string    // of the file; "": unknown
	Size    int64     // in bytes; -1: unknown
	ModTime time.Time // zero: unknown

	// Again opens the file once more, at its start, for a retry; nil: it can be read only once,
	// such as a pipe. Again may retry by itself: a Body that fails is not opened again.
	Again func(context.Context) (*Source, error)
}

// An Upload stores files at a URL, or appends them to the resource there. Engine, Op and To must be
// set. Several goroutines may use it if they may use Engine.
type Upload struct {
	Engine access.Engine
	Op     access.Op // access.Put or access.Append, which a newsgroup wants
	To     url.URL   // of the file: see FileIn

	// The file.

	Preserve bool             // the file gets the time of its source
	IfAbsent bool             // a file that exists is an error that wraps fs.ErrExist
	IfMatch  access.Validator // that the file must have now; zero: any

	// The request.

	// Retry says how often and after how long a transient failure is retried. An Append is
	// never retried, nor is a Put with a condition, which the first try may have made untrue.
	Retry retry.Policy
	// Note, if not nil, is called before each retry.
	Note func(u url.URL, err error, wait time.Duration)
	// Login is the Login of [access.Request].
	Login access.Login
	// Progress, if not nil, is called before the bytes of a source are sent, with their number or
	// -1. The bytes are also written to w, whose errors are ignored. done is called at the end.
	Progress func(size int64) (w io.Writer, done func())
}

// An Uploaded is the result of [Upload.Do].
type Uploaded struct {
	URL   url.URL // of what was stored or added, as the engine says; zero: unknown
	Bytes int64   // that were read of the source, also after an error
}

// Do uploads s, and closes its Body. After a transient failure it opens the source with s.Again and
// tries again, if Retry and the fields of u allow that. It returns the error of the last try. A
// Body that cannot be read ends Do at once.
func (u Upload) Do(ctx context.Context, s *Source) (Uploaded, error) {
	defer func() { s.Body.Close() }() // of the source that was opened last
	req := &access.Request{Op: u.Op, URL: u.To, Login: u.Login, IfAbsent: u.IfAbsent, IfMatch: u.IfMatch}
	if u.Preserve {
		req.ModTime = s.ModTime
	}
	if err := u.checkAbsent(ctx); err != nil {
		return Uploaded{}, err
	}
	if err := u.checkNotSame(s); err != nil {
		return Uploaded{}, err
	}
	policy := u.Retry
	if s.Again == nil || u.Op == access.Append || u.IfAbsent || !u.IfMatch.IsZero() {
		policy.Retries = -1
	}
	var all Uploaded
	var unread error // a failure of the source
	first, again := true, s.Again
	err := policy.Do(ctx, func(ctx context.Context) error {
		if !first {
			s.Body.Close()
			opened, err := again(ctx)
			if err != nil {
				return err
			}
			s = opened
		}
		first = false
		read, err := u.send(ctx, s, req, &all)
		if err != nil && read.failed {
			unread = err
			return nil
		}
		return err
	}, func(err error, wait time.Duration) {
		if u.Note != nil {
			u.Note(u.To, err, wait)
		}
	})
	return all, cmp.Or(unread, err)
}

// send does req once, with the Body and the Size of s. It stores the number of bytes that it read
// in all and, after a success, the URL of the result. The reader that it returns knows whether s
// failed.
func (u Upload) send(ctx context.Context, s *Source, req *access.Request, all *Uploaded) (*counted, error) {
	read := &counted{Reader: s.Body, copied: io.Discard}
	if u.Progress != nil {
		w, done := u.Progress(s.Size)
		defer done()
		read.copied = w
	}
	sent := *req
	sent.Body, sent.Size = read, s.Size
	if seeker, ok := s.Body.(io.Seeker); ok {
		sent.Body = struct {
			*counted
			io.Seeker
		}{read, seeker}
	}
	r, err := u.Engine.Do(ctx, &sent)
	all.Bytes = read.n
	if err == nil {
		all.URL = r.URL
	}
	return read, err
}

// checkAbsent returns an error that wraps fs.ErrExist if IfAbsent is set and the file exists. It
// asks before the upload, because not every protocol can refuse to replace a file. Any other error
// means that the server did not answer the question. checkAbsent returns nil for a URL that only
// names an upload, because the engine refuses the upload with a better reason.
func (u Upload) checkAbsent(ctx context.Context) error {
	if !u.IfAbsent || facts.Of(u.To.Scheme()).Has(facts.Upload) {
		return nil
	}
	_, err := u.Engine.Do(ctx, &access.Request{Op: access.Stat, URL: u.To, Login: u.Login})
	switch {
	case err == nil:
		return &access.Error{Op: "put", URL: u.To, Err: fs.ErrExist}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

var errSameFile = errors.New("the file would be appended to itself")

// checkNotSame returns an error if a file of this machine would be appended to itself, because that
// would not end. It returns nil if it cannot tell.
func (u Upload) checkNotSame(s *Source) error {
	source, isFile := s.Body.(interface{ Stat() (fs.FileInfo, error) })
	name, isLocal := tree.LocalPath(u.To)
	if !isFile || u.Op != access.Append || !isLocal {
		return nil
	}
	from, err := source.Stat()
	if err != nil {
		return nil //nolint:nilerr // Do reports it if the source cannot be read
	}
	if to, err := os.Stat(name); err == nil && os.SameFile(from, to) {
		return &access.Error{Op: "append", URL: u.To, Err: errSameFile}
	}
	return nil
}

// A counted is a Reader that counts the bytes that are read from it.
type counted struct {
	io.Reader
	copied io.Writer // gets the bytes, too
	n      int64
	failed bool // a Read failed before the end
}

// Read reads from Reader, counts the bytes, and also writes them to copied. It sets failed for any
// error but io.EOF.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	c.failed = c.failed || err != nil && !access.IsEnd(err)
	_, _ = c.copied.Write(b[:n])
	return n, err
}

// HasFolders reports whether the URLs of u's scheme name files in folders.
func HasFolders(u url.URL) bool { return tree.HasFolders(u) }

// IsFolder reports whether u names a folder by its text: in a scheme with folders its path ends
// in "/", before a type code.
func IsFolder(u url.URL) bool {
	path, _, _ := strings.Cut(u.Path(), ";")
	return strings.HasSuffix(path, "/") && HasFolders(u)
}

// FileIn returns the URL of the file to write, for a target and the name of a source. If to is a
// folder, that is the file with this name in it, with the type code and the query of to: see
// [IsFolder]. If to is not a folder, FileIn returns to. A folder needs a name, so "" is an error.
func FileIn(to url.URL, name string) (url.URL, error) {
	if !IsFolder(to) {
		return to, nil
	}
	if name == "" {
		return url.URL{}, access.WithRemedy(
			fmt.Errorf("%s: it is a folder, and the source has no name", to.Redacted()),
			access.Advice("end the URL with a name"),
		)
	}
	parts := to.Parts()
	path, code, _ := strings.Cut(parts.Path, ";")
	parts.Path = path + url.Escape(name, url.RFC3986.Unreserved())
	if code != "" {
		parts.Path += ";" + code
	}
	return url.RFC3986.Build(parts)
}
