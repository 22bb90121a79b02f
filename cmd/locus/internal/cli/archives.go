package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"locus/archive"
	"locus/cmd/locus/internal/buildinfo"
	"locus/url"
)

// Archives lets client record what it fetches, or open an archive, as the options ask. The
// caller calls done when nothing is fetched any more, with the error of the verb. It closes
// the archive, and returns that error, or if there is none that of closing.
func (e *Env) Archives(client *Client, recording Recording, replay Replay) (done func(error) error, err error) {
	switch {
	case recording.WARC != "" && replay.From != "":
		return nil, Misuse("--warc and --from-warc exclude each other")
	case recording.WARC == "" && recording.WARCSize > 0:
		return nil, Misuse("--warc-size is for --warc")
	case recording.WARC == "":
		return func(err error) error { return err }, e.OpenArchive(client, replay)
	}
	if !strings.HasSuffix(recording.WARC, archive.Suffix) && !strings.HasSuffix(recording.WARC, archive.PlainSuffix) {
		return nil, &UsageError{Text: "--warc wants a file whose name ends in " + archive.Suffix + " or " + archive.PlainSuffix, Hint: "--warc " + recording.WARC + archive.Suffix}
	}
	root, err := e.OpenRoot(filepath.Dir(recording.WARC))
	if err != nil {
		return nil, err
	}
	info, _ := debug.ReadBuildInfo() // nil: unknown
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

// OpenArchive lets client open an archive instead of the network and of files, if o asks for
// that. It says so if the archive is damaged at its end.
func (e *Env) OpenArchive(client *Client, o Replay) error {
	if o.From == "" {
		return nil
	}
	if client.hasProxy {
		return Misuse("--from-warc and --proxy exclude each other")
	}
	root, err := e.OpenRoot(filepath.Dir(o.From))
	if err != nil {
		return err
	}
	from, err := archive.Open(root, filepath.Base(o.From)) // root stays open as long as the process
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, os.ErrNotExist) {
		pathErr.Path = o.From
	}
	if err != nil {
		root.Close()
		return err
	}
	client.Archive, client.Engines.Files = from, from
	if damage := from.Damage(); damage != nil && !e.Quiet {
		e.Say(damage.Error() + "; what comes before is opened")
	}
	return nil
}

// IsArchiveTemplate reports whether text has {url}, and is a URL with a scheme once {url} is
// replaced.
func IsArchiveTemplate(text string) bool {
	u, err := url.Parse(strings.ReplaceAll(text, "{url}", "x"))
	return err == nil && u.IsAbs() && strings.Contains(text, "{url}")
}
