package checkfiles

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"locus/check"
	"locus/check/site"
	"locus/scheme"
	"locus/url"
)

// sources find the repository and the site generator of a file outside of all sites. They remember both for
// each folder. Several goroutines may use them at once.
type sources struct {
	// tops are the current folder and the folders among the arguments. The folders above them are ignored
	// outside of a repository, because their configuration may belong to another project.
	tops []string

	mu      sync.Mutex
	folders map[string]source
}

// A source has the repository and the site generator of the files in a folder.
type source struct {
	repository string         // the folder of the repository; "" outside of a repository
	generator  site.Generator // the zero Generator if no generator is configured
}

// of returns the source of the files in a folder. If the folder has no configuration of a
// generator, of looks for a configuration in the folders above it: in the same repository or,
// outside of a repository, in the same folder of tops.
func (s *sources) of(folder string) source {
	s.mu.Lock()
	found, ok := s.folders[folder]
	s.mu.Unlock()
	if ok {
		return found
	}
	found.generator = site.GeneratorIn(os.DirFS(folder))
	switch _, err := os.Lstat(filepath.Join(folder, ".git")); {
	case err == nil:
		found.repository = folder
	case filepath.Dir(folder) != folder:
		above := s.of(filepath.Dir(folder))
		found.repository = above.repository
		if found.generator.Config == "" && (above.repository != "" || s.isBelowTop(folder)) {
			found.generator = above.generator
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folders == nil {
		s.folders = map[string]source{}
	}
	s.folders[folder] = found
	return found
}

// isBelowTop reports whether a folder is in one of tops.
func (s *sources) isBelowTop(folder string) bool {
	return slices.ContainsFunc(s.tops, func(top string) bool {
		inside, err := filepath.Rel(top, folder)
		return err == nil && inside != "." && filepath.IsLocal(inside)
	})
}

// config returns the name of the file that configures the site generator of a file, or "" if no
// generator is configured.
func (s *sources) config(file url.URL) string {
	name, ok := localPath(file)
	if !ok {
		return ""
	}
	g := s.of(filepath.Dir(name)).generator
	if !g.Makes() {
		return ""
	}
	return g.Config
}

// localPath returns the path of the file that a URL names.
func localPath(file url.URL) (name string, ok bool) {
	view, err := scheme.ParseFile(file)
	if err != nil {
		return "", false
	}
	name, err = view.LocalPath(runtime.GOOS)
	return name, err == nil
}

// readerOf returns the reader for the links of a file. Files of a built site are not sources, so their reader is Links
// unchanged.
func (r *Reader) readerOf(name string, site *site.Site) check.LinkReader {
	read := r.Links
	if site.Files != nil {
		return read
	}
	read.Sources = r.sourcesOf(r.path(name))
	return read
}

// SourcesOf is a [check.Checker.Sources].
func (r *Reader) SourcesOf(file url.URL) site.Sources {
	name, ok := localPath(file)
	if !ok {
		return site.Sources{}
	}
	return r.sourcesOf(name)
}

// sourcesOf describes a file with an absolute name.
func (r *Reader) sourcesOf(name string) site.Sources {
	found := r.sources.of(filepath.Dir(name))
	all := site.Sources{Generator: found.generator}
	if found.repository != "" {
		if folder, err := r.fileURL(found.repository).JoinPath(""); err == nil {
			all.Repository = folder
		}
	}
	return all
}
