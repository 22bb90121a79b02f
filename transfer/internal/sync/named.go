package sync

import (
	"errors"
	"path"

	"locus/access"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// typedName returns the local name of the file t, now that its media type is known. In a tree that
// names its entries the name has the extension of that type. claimed is the name that the file has
// claimed before. If the new name differs, typedName releases claimed and claims the new name.
func (m *walk) typedName(t task, claimed, mediaType string) (string, error) {
	if m.tree.Name == nil {
		return t.name, nil
	}
	name := tree.WithExtension(t.name, mediaType)
	if name == claimed {
		return name, nil
	}
	m.names.release(claimed)
	_ = m.countFile(-1) // a smaller count cannot fail
	return name, m.claimFile(name, m.identity(t))
}

// rememberName sets the title of s to the local path of the entry e, below the directory that lists
// it, if the tree names its entries by Tree.Name. Otherwise it does nothing. It returns an error if
// the name cannot be a local name.
func (m *walk) rememberName(s *task, e access.Entry) error {
	if m.tree.Name == nil {
		return nil
	}
	local, err := m.naming.Path(m.tree.Name(e))
	s.title = local
	return err
}

var errOtherDir = errors.New("it is a directory on another server")

// isFileElsewhere reports whether e, an entry of the directory t, is a file of another server that
// OtherHosts allows. It is false unless the tree names its entries. It reports an entry of another
// server that is not copied as omitted.
func (m *walk) isFileElsewhere(t, e task) bool {
	if m.tree.Name == nil || !tree.IsFetched(e.url) {
		return false
	}
	_, allowed := m.matchHost(e.url)
	switch {
	case !allowed:
		m.omit(e.url, path.Join(t.name, e.title), ErrOtherHost)
		return false
	case e.kind == access.Directory:
		m.omit(e.url, path.Join(t.name, e.title), errOtherDir)
		return false
	}
	return true
}

// omit counts and reports an entry of a listing that is not in the copy for the reason why. It does
// not count as a failure.
func (m *walk) omit(u url.URL, name string, why error) {
	m.update(func() {
		m.report.Omitted++
		if errors.Is(why, ErrOtherHost) {
			m.report.OmittedElsewhere++
		}
	})
	m.Event(fetch.Event{Kind: fetch.Omitted, URL: u, Name: name, Size: -1, Err: why})
}
