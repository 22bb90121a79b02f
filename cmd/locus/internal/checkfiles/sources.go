package checkfiles

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
	repository string // the folder of the repository; "" outside of a repository
	config     string // the name of the file that configures the site generator; "" if there is no such file
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
	found.config = generatorIn(folder)
	switch _, err := os.Lstat(filepath.Join(folder, ".git")); {
	case err == nil:
		found.repository = folder
	case filepath.Dir(folder) != folder:
		above := s.of(filepath.Dir(folder))
		found.repository = above.repository
		if found.config == "" && (above.repository != "" || s.isBelowTop(folder)) {
			found.config = above.config
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
	view, err := scheme.ParseFile(file)
	if err != nil {
		return ""
	}
	name, err := view.LocalPath(runtime.GOOS)
	if err != nil {
		return ""
	}
	return s.of(filepath.Dir(name)).config
}

// generators are the names of the files and folders that configure site generators. A name may have one more
// extension, such as ".js".
var generators = []string{
	"_config.yml", "_config.yaml", "mkdocs.yml", "mkdocs.yaml", "docusaurus.config", "astro.config", "eleventy.config",
	".eleventy.js", "gatsby-config", "pelicanconf.py", "antora.yml", "conf.py", ".vitepress",
}

// formats are the extensions of the configurations of Hugo and Zola.
var formats = []string{".toml", ".yaml", ".yml", ".json"}

// generatorIn returns the name of the file in a folder that configures a site generator, or "" if
// the folder does not have such a file. The configurations of Hugo and Zola have common names, so
// they count only beside a folder "content".
func generatorIn(folder string) string {
	entries, _ := os.ReadDir(folder)
	hasContent := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "content" && e.IsDir() })
	for _, e := range entries {
		name := e.Name()
		bare := strings.TrimSuffix(name, filepath.Ext(name))
		switch {
		case slices.Contains(generators, name), slices.Contains(generators, bare),
			hasContent && !e.IsDir() && (bare == "hugo" || bare == "config") && slices.Contains(formats, filepath.Ext(name)):
			return name
		}
	}
	return ""
}

// readerOf returns the reader for the links of a file. Files of a built site are not sources, so their reader is Links
// unchanged.
func (r *Reader) readerOf(name string, site *site.Site) check.LinkReader {
	read := r.Links
	if site.Files != nil {
		return read
	}
	found := r.sources.of(filepath.Dir(r.path(name)))
	read.Sources.IsGenerated = found.config != ""
	if found.repository != "" {
		if folder, err := r.fileURL(found.repository).JoinPath(""); err == nil {
			read.Sources.Repository = folder
		}
	}
	return read
}
