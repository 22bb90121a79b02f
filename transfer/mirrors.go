package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// A File is a file that may have several URLs. [GetFile] fetches it.
type File struct {
	URL    url.URL
	Name   string    // of the file below the root
	Others []url.URL // other URLs of the same bytes, for when URL fails
	Digest Digest    // that it must have; the zero Digest: any
	Size   int64     // that it must have; 0: any

	PublicOnly bool          // connect only to public addresses, because a stranger wrote the URLs
	Timeout    time.Duration // for each URL; 0: the default, no limit, negative: no limit

	// Login is for URL, and OtherLogin for the Others and the mirrors that a server names. Either
	// may be nil. See access.Request.
	Login, OtherLogin access.Login

	// Note, if not nil, is called with each error after which another URL is tried, and if a server
	// names a Metalink that cannot be read.
	Note func(error)
}

// GetFile is [Get] of a file that may have several URLs. It takes Digest and Size from f, and not
// from o. If URL fails, it tries the Others in their order. Without Others it tries the mirrors
// that the web server of URL named (RFC 6249), but only if a digest of the file is known. The
// mirrors that a public server names must be at public addresses. It stops after a failure of this
// machine, such as a full disk ([ErrLocal]), because every other URL would fail, too, and when ctx
// has ended. It returns the error of the last URL.
func GetFile(ctx context.Context, engine access.Engine, root *os.Root, f File, o Options) error {
	o.Digest, o.Size = f.Digest, f.Size
	result, err := f.getFrom(ctx, engine, root, f.URL, f.Login, o)
	if err != nil && !errors.Is(err, ErrLocal) && ctx.Err() == nil && len(f.Others) == 0 {
		f, o.Digest = f.linked(ctx, engine, result.Linked)
	}
	for _, u := range f.Others {
		if err == nil || errors.Is(err, ErrLocal) || ctx.Err() != nil {
			break
		}
		f.note(fmt.Errorf("%w; trying %s", err, u.Redacted()))
		_, err = f.getFrom(ctx, engine, root, u, f.OtherLogin, o)
	}
	return err
}

// note calls f.Note with err, if f.Note is not nil.
func (f File) note(err error) {
	if f.Note != nil {
		f.Note(err)
	}
}

// getFrom fetches f from u with Get, and stops after f.Timeout. The error and the events of a fetch
// that took too long have a limit.TimeoutError.
func (f File) getFrom(ctx context.Context, engine access.Engine, root *os.Root, u url.URL, login access.Login, o Options) (result Result, err error) {
	event := o.Event
	err = limit.Within(ctx, f.Timeout, u, func(own context.Context, u url.URL) error {
		if event != nil {
			o.Event = func(e Event) { // with the error that Within returns
				if e.Err != nil && own.Err() != nil && ctx.Err() == nil {
					e.Err = &limit.TimeoutError{URL: u, Timeout: f.Timeout, Err: e.Err}
				}
				event(e)
			}
		}
		result, err = Get(own, engine, &access.Request{URL: u, Login: login, PublicOnly: f.PublicOnly}, root, f.Name, o)
		return err
	})
	return result, err
}

// linked returns f with Others set to the mirrors that a web server named in l, and the digest that
// the file must have from any of them: f.Digest, or else the digest that the server named. If l
// lacks the mirrors or the digest, linked also reads the Metalink that l names. Others stays empty
// if no digest is known, because strangers may have named the mirrors. PublicOnly is set if the
// server of f.URL may be at a public address.
func (f File) linked(ctx context.Context, engine access.Engine, l Linked) (File, Digest) {
	digest := f.Digest
	if digest.IsZero() {
		digest = l.Digest
	}
	if len(l.Mirrors) == 0 && l.Metalink.IsZero() {
		return f, digest
	}
	engine = limit.Timed{Engine: engine, Timeout: f.Timeout}
	f.PublicOnly = f.PublicOnly || isPublic(ctx, engine, f.URL)
	if !l.Metalink.IsZero() && (digest.IsZero() || len(l.Mirrors) == 0) {
		described, err := f.readMetalink(ctx, engine, l.Metalink)
		if err != nil {
			f.note(fmt.Errorf("read the Metalink %s: %w", l.Metalink.Redacted(), err))
		}
		l.Mirrors = append(l.Mirrors, described.URLs...)
		if digest.IsZero() {
			digest = described.Digest
		}
	}
	if !digest.IsZero() {
		f.Others = l.Mirrors
	}
	return f, digest
}

// isPublic asks for a Stat of u, and reports whether its server may be at a public address. It is
// false only if the address is known not to be public.
func isPublic(ctx context.Context, engine access.Engine, u url.URL) bool {
	r, isPublic, err := doPublic(ctx, engine, &access.Request{Op: access.Stat, URL: u})
	if err == nil {
		r.Body.Close()
	}
	return isPublic
}

// doPublic does req, but connects only to public addresses. isPublic is false only if the server of
// req.URL itself is at another address. It stays true if a redirect led to such an address, for
// which doPublic returns an access.ErrNotPublic.
func doPublic(ctx context.Context, engine access.Engine, req *access.Request) (r *access.Resource, isPublic bool, err error) {
	hasRedirected := false
	public := *req
	public.PublicOnly = true
	public.Moved = func(m *access.Moved, from url.URL) {
		hasRedirected = true
		if req.Moved != nil {
			req.Moved(m, from)
		}
	}
	r, err = engine.Do(ctx, &public)
	return r, hasRedirected || !errors.Is(err, access.ErrNotPublic), err
}

// readMetalink fetches the Metalink at u, and returns its description of f. That is its only file,
// or the file with the name at the end of f.URL. It returns an error if the Metalink has several
// files, but not f.
func (f File) readMetalink(ctx context.Context, engine access.Engine, u url.URL) (MetalinkFile, error) {
	r, err := engine.Do(ctx, &access.Request{URL: u, PublicOnly: f.PublicOnly})
	if err != nil {
		return MetalinkFile{}, err
	}
	defer r.Body.Close()
	all, err := ParseMetalink(r.Body)
	if err != nil {
		return MetalinkFile{}, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	name, err := url.Unescape(path.Base(f.URL.Path()))
	if err != nil {
		return MetalinkFile{}, err
	}
	for _, one := range all {
		if one.Name == name {
			return one, nil
		}
	}
	return MetalinkFile{}, fmt.Errorf("it does not describe %q", name)
}

// GetMetalink fetches the Metalink that req names, by a Get, and returns its files. isPublic
// reports whether its server is at a public address. Such a server may lead only to public
// addresses: a redirect to another address is an access.ErrNotPublic, and the caller sets
// File.PublicOnly of the files.
func GetMetalink(ctx context.Context, engine access.Engine, req *access.Request) (files []MetalinkFile, isPublic bool, err error) {
	r, isPublic, err := doPublic(ctx, engine, req)
	if !isPublic {
		r, err = engine.Do(ctx, req)
	}
	if err != nil {
		return nil, false, err
	}
	defer r.Body.Close()
	if files, err = ParseMetalink(r.Body); err != nil {
		return nil, false, fmt.Errorf("read %q: %w", req.URL.Redacted(), err)
	}
	return files, isPublic, nil
}
