package download

import (
	"context"
	"errors"
	"fmt"
	"path"

	"locus/access"
	"locus/limit"
	"locus/transfer"
	"locus/url"
)

// linked returns file with the mirrors that a web server named for it (RFC 6249), and the digest
// that they must have. The file is one that could not be fetched. Without a digest there are
// no mirrors: they could have any bytes. If the header of the server lacks either, the Metalink
// that it names is read.
func (f *Fetcher) linked(ctx context.Context, file File, l transfer.Linked) (File, transfer.Digest) {
	digest := file.Digest
	if digest.IsZero() {
		digest = l.Digest
	}
	if len(l.Mirrors) == 0 && l.Metalink.IsZero() {
		return file, digest
	}
	file.PublicOnly = file.PublicOnly || f.isPublic(ctx, file.URL)
	if !l.Metalink.IsZero() && (digest.IsZero() || len(l.Mirrors) == 0) {
		described, err := f.readMetalink(ctx, l.Metalink, file)
		if err != nil {
			f.reporter.report(fmt.Errorf("read the Metalink %s: %w", l.Metalink.Redacted(), err))
		}
		l.Mirrors = append(l.Mirrors, described.URLs...)
		if digest.IsZero() {
			digest = described.Digest
		}
	}
	if !digest.IsZero() {
		file.Others = l.Mirrors
	}
	return file, digest
}

// isPublic reports whether what u names may be at a public address. Then it must not lead to
// others.
func (f *Fetcher) isPublic(ctx context.Context, u url.URL) bool {
	r, err := f.timed().Do(ctx, &access.Request{Op: access.Stat, URL: u, PublicOnly: true})
	if err == nil {
		r.Body.Close()
	}
	return !errors.Is(err, access.ErrNotPublic)
}

// timed returns the Engine, which gives each URL no more time than the user allows.
func (f *Fetcher) timed() access.Engine { return limit.Timed{Engine: f.engine, Timeout: f.timeout} }

// readMetalink returns what a Metalink says of file: the only one that it describes, or that
// with the name at the end of the URL.
func (f *Fetcher) readMetalink(ctx context.Context, u url.URL, file File) (transfer.MetalinkFile, error) {
	r, err := f.timed().Do(ctx, &access.Request{URL: u, PublicOnly: file.PublicOnly})
	if err != nil {
		return transfer.MetalinkFile{}, err
	}
	defer r.Body.Close()
	all, err := transfer.ParseMetalink(r.Body)
	if err != nil {
		return transfer.MetalinkFile{}, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	name, err := url.Unescape(path.Base(file.URL.Path()))
	if err != nil {
		return transfer.MetalinkFile{}, err
	}
	for _, one := range all {
		if one.Name == name {
			return one, nil
		}
	}
	return transfer.MetalinkFile{}, fmt.Errorf("it does not describe %q", name)
}
