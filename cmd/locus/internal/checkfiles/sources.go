package checkfiles

import (
	"cmp"
	"maps"
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
// up to maxFolders folders, and for all folders with a configuration. Several goroutines may use them at once.
type sources struct {
	// tops are the current folder and the folders among the arguments. The folders above them are ignored
	// outside of a repository, because their configuration may belong to another project.
	tops []string

	mu         sync.Mutex
	folders    map[string]source
	configured int // the number of folders with a configuration
}

// maxFolders is how many folders without a configuration are remembered. It is small because the links to missing files
// may name a million of them, and most links to one folder follow each other.
const maxFolders = 1 << 12

// A source has the repository and the site generator of the files in a folder.
type source struct {
	repository string        // the folder of the repository; "" outside of a repository
	project    *site.Project // with the generator that is configured; nil if there is none
	host       *site.Project // with the host that shows the files; nil if it is not known

	isConfigured bool // the folder itself configures the generator or the host, whose Project has a cache of its own
}

// sourceOf returns the source of the files in a folder. A generator or host that the folder does not configure comes
// from the nearest folder above that configures it. In a repository, sourceOf looks up to the top of the repository,
// and elsewhere up to the folder of tops that contains the folder.
func (s *sources) sourceOf(folder string) source {
	s.mu.Lock()
	found, ok := s.folders[folder]
	s.mu.Unlock()
	if ok {
		return found
	}
	found.project, found.host = projectsIn(folder)
	found.isConfigured = found.project != nil || found.host != nil
	switch _, err := os.Lstat(filepath.Join(folder, ".git")); {
	case err == nil:
		found.repository = folder
	case filepath.Dir(folder) != folder:
		above := s.sourceOf(filepath.Dir(folder))
		found.repository = above.repository
		if above.repository != "" || s.isBelowTop(folder) {
			found.project, found.host = cmp.Or(found.project, above.project), cmp.Or(found.host, above.host)
		}
	}
	return s.remember(folder, found)
}

// remember stores found as the source of a folder, and returns it. If another goroutine has stored a source of the
// folder before, remember returns that source. If maxFolders folders without a configuration are stored, remember first
// forgets these folders.
func (s *sources) remember(folder string, found source) source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, ok := s.folders[folder]; ok { // another goroutine was faster, and its projects may have read folders
		return first
	}
	switch {
	case s.folders == nil:
		s.folders = make(map[string]source)
	case len(s.folders)-s.configured >= maxFolders:
		maps.DeleteFunc(s.folders, func(_ string, other source) bool { return !other.isConfigured })
	}
	if found.isConfigured {
		s.configured++
	}
	s.folders[folder] = found
	return found
}

// isBelowTop reports whether a folder is below one of the folders in tops.
func (s *sources) isBelowTop(folder string) bool {
	return slices.ContainsFunc(s.tops, func(top string) bool {
		inside, err := filepath.Rel(top, folder)
		return err == nil && inside != "." && filepath.IsLocal(inside)
	})
}

// projectsIn returns the project of the site generator that folder configures (made), and the project of the web host
// that it configures (shown). Each is nil if folder lacks such a configuration.
func projectsIn(folder string) (made, shown *site.Project) {
	files := os.DirFS(folder)
	generator, host := site.GeneratorIn(files)
	if generator.Config == "" && host.Config == "" {
		return nil, nil
	}
	view, err := scheme.LocalFile(runtime.GOOS, folder)
	if err != nil {
		return nil, nil
	}
	at, err := view.URL().JoinPath("")
	if err != nil {
		return nil, nil
	}
	if generator.Config != "" {
		made = &site.Project{Generator: generator, Folder: at, Files: files}
	}
	if host.Config != "" {
		shown = &site.Project{Generator: host, Folder: at, Files: files}
	}
	return made, shown
}

// project returns the project with the generator of a file; nil if the URL is not a local file, or if no generator is
// configured for it.
func (s *sources) project(file url.URL) *site.Project {
	name, ok := localPath(file)
	if !ok {
		return nil
	}
	return s.sourceOf(filepath.Dir(name)).project
}

// localPath returns the path of the local file that a file URL names. ok is false for all other URLs.
func localPath(file url.URL) (name string, ok bool) {
	view, err := scheme.ParseFile(file)
	if err != nil {
		return "", false
	}
	name, err = view.LocalPath(runtime.GOOS)
	return name, err == nil
}

// readerOf returns the LinkReader for the links of a file: r.Links with the sources of the site to which the file
// belongs. For a file of a built site it lacks sources, because such a file is not a source.
func (r *Reader) readerOf(name string, site *site.Site) check.LinkReader {
	read := r.Links
	if site.Files != nil {
		return read
	}
	read.Sources = r.sourcesOf(r.path(name))
	return read
}

// SourcesOf returns the sources of a file, or the zero Sources if the URL is not a local file. It is for
// [check.Checker.Sources].
func (r *Reader) SourcesOf(file url.URL) site.Sources {
	name, ok := localPath(file)
	if _, isInBook := bookIn(file); !ok || isInBook {
		return site.Sources{}
	}
	return r.sourcesOf(name)
}

// sourcesOf returns the repository and the site generator or host of the file at an absolute path.
func (r *Reader) sourcesOf(name string) site.Sources {
	found := r.sources.sourceOf(filepath.Dir(name))
	all := site.Sources{Project: found.host}
	if found.project != nil && found.project.Reads(r.fileURL(name)) {
		all.Project = found.project
	}
	if found.repository != "" {
		if folder, err := r.fileURL(found.repository).JoinPath(""); err == nil {
			all.Repository = folder
		}
	}
	return all
}
