package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"locus/access"
	"locus/check"
)

// manuals are the folders of a project that may have the sources of a manual, with a conf.py.
var manuals = []string{"docs", "doc", "docs/source", "doc/source", "source"}

// addSites makes a site of the folder of --root, or of each argument that is a folder
// with an index page, or with the sources of a manual that Sphinx makes. The engine then
// opens their URLs, too.
func (k *checker) addSites() error {
	folders := []string{k.options.Root}
	if k.options.Root == "" {
		folders = slices.Clone(k.options.Args)
		for _, arg := range k.options.Args {
			for _, manual := range manuals {
				conf := filepath.Join(arg, manual, "conf.py")
				if _, err := k.Stat(conf); err == nil {
					folders = append(folders, filepath.Dir(conf))
				}
			}
		}
	}
	k.reader.sources.tops = []string{k.reader.here}
	for _, arg := range k.options.Args {
		folder, err := k.Abs(arg)
		if info, statErr := k.Stat(arg); err == nil && statErr == nil && info.IsDir() {
			k.reader.sources.tops = append(k.reader.sources.tops, folder)
		}
	}
	k.Engine = &check.Generated{Engine: k.Engine, Config: k.reader.sources.config}
	k.Engine = &check.Site{Engine: k.Engine} // names of files have no queries
	for _, folder := range folders {
		if _, isURL := k.ArgumentURL(folder); isURL {
			continue
		}
		info, err := k.Stat(folder)
		if err != nil && k.options.Root != "" {
			return err
		}
		if err != nil || !info.IsDir() {
			continue // the argument's reader says what is wrong with it
		}
		site := k.newSite(folder, k.Engine)
		if k.options.Root == "" && !site.HasIndex() && !site.IsManual() {
			continue
		}
		for _, fault := range site.Faults() {
			k.Report(fmt.Errorf("%s:%d: %s", filepath.Join(folder, "_redirects"), fault.Line, fault.Why))
			k.isFaulty = true
		}
		k.reader.sites = append(k.reader.sites, site)
		k.Sites = k.reader.sites
		k.Engine = site
	}
	return nil
}

func (k *checker) newSite(folder string, engine access.Engine) *check.Site {
	at := k.FileURL(folder)
	if with, err := at.JoinPath(""); err == nil {
		at = with
	}
	return &check.Site{
		Engine: engine, Folder: at, Files: os.DirFS(k.Path(folder)),
		Base: k.reader.base, Index: k.options.Index, Extensions: k.options.Extension,
	}
}

// hintAtBase says what --base does, if a dead link leads to the address of a site.
func (k *checker) hintAtBase(report *check.Report) error {
	if k.options.Base != nil || report.Counts[check.Dead] == 0 {
		return nil
	}
	for _, site := range k.reader.sites {
		address, ok := site.Address()
		if !ok {
			continue
		}
		for f, err := range report.Findings {
			if err != nil {
				return err
			}
			if f.Status == check.Dead && strings.HasPrefix(f.Link, address.String()) {
				k.Say(fmt.Sprintf("hint: dead links begin with %[1]s, the address of this site; --base %[1]s looks for them in its files", address))
				break
			}
		}
	}
	return nil
}
