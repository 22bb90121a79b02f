package checkfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"locus/access"
	"locus/check/site"
)

// SiteOptions say which folders are sites, and how they are served.
type SiteOptions struct {
	Folders []string // the folders to read; a folder with an index page, or with the sources of a manual, is a site
	Root    string   // the folder that is the only site; "": found among Folders

	Index, Extensions []string // see site.Site
}

// manuals are the folders of a project in which a conf.py shows that they have the sources of a manual.
var manuals = []string{"docs", "doc", "docs/source", "doc/source", "source"}

// AddSites finds the sites among o.Folders, or the one site o.Root if it is set, and returns them for the Checker. The
// engine that it returns opens the files of the sites and the files in books, and uses engine for all other URLs. Call
// AddSites once, before the first file is read. It fails if o.Root does not exist.
func (r *Reader) AddSites(engine access.Engine, o SiteOptions) (access.Engine, []*site.Site, error) {
	r.sources.tops = []string{r.Dir}
	for _, folder := range o.Folders {
		if r.isFolder(folder) {
			r.sources.tops = append(r.sources.tops, r.path(folder))
		}
	}
	engine = &site.Generated{Engine: engine, Project: r.sources.project}
	engine = &site.Site{Engine: engine} // in names of files, "?" does not begin a query
	candidates := []string{o.Root}
	if o.Root == "" {
		candidates = r.withManuals(o.Folders)
	} else if _, err := r.Stat(o.Root); err != nil {
		return nil, nil, err
	}
	for _, folder := range candidates {
		if !r.isFolder(folder) {
			continue
		}
		site := r.newSite(folder, engine, o)
		if o.Root == "" && !isSite(site) {
			continue
		}
		for _, fault := range site.Faults() {
			r.faults = append(r.faults, fmt.Errorf("%s:%d: %s", filepath.Join(folder, "_redirects"), fault.Line, fault.Why))
		}
		r.sites = append(r.sites, site)
		engine = site
	}
	return &bookEngine{engine, r}, r.sites, nil
}

// isSite reports whether a folder is read as a site: because it has the sources of a manual, or because it has an
// index page and is not the input of a site generator.
func isSite(s *site.Site) bool {
	if !s.HasIndex() || s.IsManual() {
		return s.IsManual()
	}
	generator, _ := site.GeneratorIn(s.Files)
	return !generator.Makes()
}

// Faults returns an error for each line of a file _redirects that is not obeyed, see
// [site.Site.Faults].
func (r *Reader) Faults() []error { return r.faults }

// withManuals returns folders, followed by the folders in them, such as doc, that have the sources of a manual.
func (r *Reader) withManuals(folders []string) []string {
	all := slices.Clone(folders)
	for _, folder := range folders {
		for _, manual := range manuals {
			conf := filepath.Join(folder, manual, "conf.py")
			if _, err := r.Stat(conf); err == nil {
				all = append(all, filepath.Dir(conf))
			}
		}
	}
	return all
}

// isFolder reports whether name is a folder that exists.
func (r *Reader) isFolder(name string) bool {
	info, err := r.Stat(name)
	return err == nil && info.IsDir()
}

// newSite returns a site with the files of a folder. engine opens the URLs that are not in the folder.
func (r *Reader) newSite(folder string, engine access.Engine, o SiteOptions) *site.Site {
	at := r.fileURL(folder)
	if with, err := at.JoinPath(""); err == nil {
		at = with
	}
	return &site.Site{
		Engine: engine, Folder: at, Files: os.DirFS(r.path(folder)), Base: r.Base, Index: o.Index, Extensions: o.Extensions,
	}
}
