package check

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"locus/check"
	"locus/cmd/locus/internal/checkfiles"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/console"
)

// prepareReader sets the fields of k.reader according to the options, and connects the reader with
// k.Checker.
func (k *checker) prepareReader() error {
	o := k.options
	r := &k.reader
	r.Open, r.Stat, r.Report = k.Open, k.Stat, k.Report
	r.Links, k.Pages, k.Checker.Sources = k.Read, &r.Pages, r.SourcesOf
	r.IsFiltered = len(o.Walk.Include) > 0
	var err error
	if r.Dir, err = k.Abs("."); err != nil {
		return err
	}
	if r.Base, err = cli.ParseBase(o.Base); err != nil {
		return err
	}
	walker, err := o.Walker()
	if err != nil {
		return err
	}
	walker.Links = true // links to files are followed, because hosts serve the files
	r.Walk = func(folder string, do checkfiles.WalkedFile) error { return k.EachFile(walker, folder, do) }
	return nil
}

// addSites sets k.Sites to the folder of --root, or to the sites among the arguments, and lets
// k.Engine open their files. It reports faults in the sites' files; the report is then incomplete.
// It returns an error if the folder of --root does not exist.
func (k *checker) addSites() (err error) {
	o := k.options
	k.Engine, k.Sites, err = k.reader.AddSites(k.Engine, checkfiles.SiteOptions{Folders: o.Args, Root: o.Root, Index: o.Index, Extensions: o.Extension})
	for _, fault := range k.reader.Faults() {
		k.Report(fault)
		k.isFaulty = true
	}
	if err != nil {
		return fmt.Errorf("--root: %w", err)
	}
	return nil
}

// addArgument adds the links in an argument to q: in stdin, a file, or the files of a folder. The
// URL of a page is added itself, and the checker reads the page later. The error is ErrReported if
// a file in a folder could not be read.
func (k *checker) addArgument(ctx context.Context, q check.Queue, arg string) error {
	if arg == "-" {
		return k.reader.Text(ctx, q, "-", console.UntilDone(ctx, k.Stdin))
	}
	if page, ok := k.ArgumentURL(arg); ok {
		return check.Start(ctx, q, page)
	}
	info, err := k.Stat(arg)
	switch {
	case err != nil && isHostPort(arg):
		return &cli.Hinted{Err: err, Hint: "the URL of a page begins with its scheme: http://" + arg}
	case err != nil:
		return err
	case !info.IsDir():
		return k.reader.File(ctx, q, arg)
	}
	isWhole, err := k.reader.Folder(ctx, q, arg)
	if err == nil && !isWhole {
		err = cli.ErrReported
	}
	return err
}

// isHostPort reports whether an argument begins with HOST:PORT, with a numeric port, and then ends
// or has a path.
func isHostPort(arg string) bool {
	first, _, _ := strings.Cut(arg, "/")
	host, port, err := net.SplitHostPort(first)
	_, portErr := strconv.ParseUint(port, 10, 16)
	return err == nil && portErr == nil && host != ""
}

// saySkipped tells the user which files were skipped although they may have links.
func (k *checker) saySkipped() {
	binary, compressed, reports := k.reader.Skipped()
	k.saySome(binary, "binary file with the name of a document", "binary files with names of documents")
	k.saySome(compressed, "compressed file", "compressed files")
	k.saySome(reports, "report of an earlier run", "reports of earlier runs")
}

// saySome tells the user how many files were skipped, and the name of the first. one and several
// are nouns for the files, in the singular and the plural.
func (k *checker) saySome(s checkfiles.Skipped, one, several string) {
	switch s.Count {
	case 0:
	case 1:
		k.Say(fmt.Sprintf("skipped 1 %s: %s", one, s.First))
	default:
		k.Say(fmt.Sprintf("skipped %d %s, such as %s", s.Count, several, s.First))
	}
}

// hintAtBase suggests --base if a dead link begins with the address of a site, because the page may
// be among the site's files.
func (k *checker) hintAtBase(report *check.Report) error {
	if k.options.Base != nil || report.Counts[check.Dead] == 0 {
		return nil
	}
	for _, site := range k.Sites {
		address, ok := site.Canonical()
		if !ok {
			continue
		}
		for f, err := range report.Findings {
			if err != nil {
				return err
			}
			if f.Status == check.Dead && strings.HasPrefix(f.Link, address.String()) {
				k.Say(fmt.Sprintf("hint: some dead links begin with %[1]s, the address of this site; to look for them in its files, use --base %[1]s", address))
				break
			}
		}
	}
	return nil
}
