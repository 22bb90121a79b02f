package extract

import (
	"iter"
	"os"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/lines"
	"locus/extract"
	"locus/extract/document"
	"locus/internal/walk"
)

// pageSize is the number of bytes of output after which a page of a file ends.
const pageSize = 32 << 10

// long is the size in bytes from which a plain text is searched in parts, by several workers.
const long = 8 << 20

// file yields the URLs in a file, as pages, or an error page if the file cannot be opened. If
// inFolder is set, it skips a binary file. A long text is searched by several workers at once.
func (x *extractor) file(name string, inFolder bool, workers int) iter.Seq[*lines.Page] {
	return func(yield func(*lines.Page) bool) {
		file, err := x.Open(name)
		if err != nil {
			x.out.ErrorPage(err)(yield)
			return
		}
		defer file.Close()
		in := x.input(name, file, document.ByName(name), x.FileURL(name))
		info, err := file.Stat()
		if err != nil || !info.Mode().IsRegular() {
			x.read(in, 0)(yield)
			return
		}
		in.at = file
		start := make([]byte, 8<<10)
		n, _ := file.ReadAt(start, 0)
		if in.mode == document.Text && x.options.As == "" {
			in.mode = document.ByContent(start[:n])
		}
		foreign := document.ForeignIn(start[:n])
		if inFolder && (cli.IsBinary(start[:n]) || foreign.IsPacked) {
			return
		}
		if foreign.Name == "" && in.mode == document.Text && info.Size() >= long && workers > 1 {
			pages := func(part iter.Seq2[extract.Match, error]) iter.Seq[*lines.Page] {
				return x.out.Pages(in.text(), part, pageSize)
			}
			extract.Parallel(file, info.Size(), in.options.Find, workers, pages)(yield)
			return
		}
		x.read(in, pageSize)(yield)
	}
}

// waiting is the number of pages of a file that may wait until the pages before them are written.
const waiting = 8

// folder yields the URLs in the files below a folder, as pages in the order of the file names. It
// reads several files at once, but long files one at a time.
func (x *extractor) folder(root string) iter.Seq[*lines.Page] {
	r := walk.Reader[*lines.Page]{
		Workers: x.workers, Waiting: waiting,
		IsAlone: func(name string) bool {
			info, err := os.Lstat(x.Path(name))
			return err != nil || info.Size() >= long
		},
		Read: func(name string, err error, isAlone bool) iter.Seq[*lines.Page] {
			switch {
			case err != nil:
				return x.out.ErrorPage(err)
			case isAlone:
				return x.file(name, true, x.workers)
			}
			return x.file(name, true, 1)
		},
	}
	return r.All(func(do func(string, error) error) error { return x.EachFile(x.walker, root, do) })
}
