package cli

import (
	"cmp"
	"errors"
	"path/filepath"
	"runtime/debug"
	"strings"

	"locus/archive"
	"locus/cmd/locus/internal/buildinfo"
	"locus/internal/render"
	"locus/url"
)

// Archives makes client record its fetches in an archive for --warc, or open URLs from an archive
// for --from-warc. Flags that do not go together are a UsageError. The caller calls done with the
// error of the verb after the last fetch. done closes the archive, and returns the error of the
// verb, or else the error of closing. If both fail, it reports the error of closing, because the
// caller gets only one.
func (e *Env) Archives(client *Client, recording Recording, replay Replay) (done func(error) error, err error) {
	switch {
	case recording.WARC != "" && replay.From != "":
		return nil, Misuse("--warc and --from-warc cannot be combined")
	case recording.WARC == "" && recording.WARCSize > 0:
		return nil, Misuse("--warc-size needs --warc")
	case recording.WARC == "":
		from, err := e.openArchive(client, replay)
		return func(err error) error {
			e.sayDamage(from) // after the data, so that it is seen
			return err
		}, err
	}
	if !strings.HasSuffix(recording.WARC, archive.Suffix) && !strings.HasSuffix(recording.WARC, archive.PlainSuffix) {
		return nil, &UsageError{Text: "--warc needs a file name that ends in " + archive.Suffix + " or " + archive.PlainSuffix, Hint: "--warc " + render.ShellWord(recording.WARC+archive.Suffix)}
	}
	root, err := e.OpenRoot(filepath.Dir(recording.WARC))
	if err != nil {
		return nil, err
	}
	info, _ := debug.ReadBuildInfo() // nil if the build is unknown
	options := archive.Options{MaxSize: recording.WARCSize, Software: buildinfo.Of(info).Product()}
	w, err := archive.Create(root, filepath.Base(recording.WARC), options)
	if err != nil {
		root.Close()
		return nil, err
	}
	client.Record, client.Writer = w.Record, w
	return func(err error) error {
		closeErr := errors.Join(w.Close(), root.Close())
		if err == nil || closeErr == nil {
			return cmp.Or(err, closeErr)
		}
		e.Report(closeErr)
		return err
	}, nil
}

// OpenArchive makes client open URLs from the archive of --from-warc instead of the network and the
// files of this machine. Without --from-warc it does nothing. If records of the archive cannot be
// read, it warns the user, because the others can be opened.
func (e *Env) OpenArchive(client *Client, o Replay) error {
	from, err := e.openArchive(client, o)
	e.sayDamage(from)
	return err
}

// sayDamage warns the user if records of an archive cannot be read. from may be nil. With --quiet
// it does not warn.
func (e *Env) sayDamage(from *archive.Archive) {
	if from == nil || e.Quiet {
		return
	}
	if damage := from.Damage(); damage != nil {
		e.Say(damage.Error())
	}
}

// openArchive makes client open URLs from the archive of --from-warc, and returns the archive; nil
// without --from-warc. --proxy together with --from-warc is a UsageError. openArchive does not warn
// of records that cannot be read.
func (e *Env) openArchive(client *Client, o Replay) (*archive.Archive, error) {
	if o.From == "" {
		return nil, nil
	}
	if client.hasProxy {
		return nil, Misuse("--from-warc and --proxy cannot be combined")
	}
	root, err := e.OpenRoot(filepath.Dir(o.From))
	if err != nil {
		return nil, FileError("--from-warc", err)
	}
	from, err := archive.Open(root, filepath.Base(o.From)) // root stays open until the process ends, because from reads through it
	if err != nil {
		root.Close()
		return nil, FileError("--from-warc", err)
	}
	client.Archive, client.Engines.Files = from, from
	return from, nil
}

// IsArchiveTemplate reports whether text has {url}, and is a URL with a scheme once {url} is
// replaced.
func IsArchiveTemplate(text string) bool {
	u, err := url.Parse(strings.ReplaceAll(text, "{url}", "x"))
	return err == nil && u.IsAbs() && strings.Contains(text, "{url}")
}
