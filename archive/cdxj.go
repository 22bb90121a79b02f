package archive

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"locus/internal/facts"
	records "locus/internal/record"
	"locus/internal/spill"
	"locus/internal/weburl"
)

// WriteCDXJ reads the archive of that name below root, with the files that follow it, and
// writes an index of it. The index has one line for each record with the resource of a URL,
// sorted, as players such as pywb read it. If records cannot be read, WriteCDXJ writes the
// index of the others, and then returns the *DamagedError of the first.
//
//	org,example)/a 20261123041500 {"url":"https://example.org/a","mime":"text/html",…}
//	\____________/ \____________/
//	key            time
func WriteCDXJ(w io.Writer, root *os.Root, name string) error {
	all := newIndex(nil)
	var damage error
	err := eachFile(root, name, func(f *os.File, name string) error {
		return readEntries(f, name, all.add, func(found *DamagedError) {
			if damage == nil {
				damage = fmt.Errorf("read the archive %q: %w", name, found)
			}
		})
	})
	if err != nil {
		return err
	}
	return errors.Join(all.write(w), damage)
}

// withoutPath returns the reason in err if err is a *fs.PathError, because the caller adds the name
// of the file. Otherwise it returns err.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// eachFile calls do with each file of the named archive below root, in order, and closes the file
// afterwards. If name does not end in Suffix or PlainSuffix, the archive is one file. eachFile
// stops at the first error of do or of opening a file. The first file must exist.
func eachFile(root *os.Root, name string, do func(f *os.File, name string) error) error {
	for number := 0; ; number++ {
		at := fileName(name, number)
		f, err := root.Open(at)
		if number > 0 && errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the archive %q: %w", at, withoutPath(err))
		}
		err = do(f, at)
		f.Close()
		if err != nil {
			return fmt.Errorf("read the archive %q: %w", at, err)
		}
		if _, _, ok := formatOf(name); !ok { // of another program, which numbers its files in another way
			return nil
		}
	}
}

// errTogether says that the records of an archive cannot be opened one by one.
var errTogether = errors.New("its records are compressed together, so that single records cannot be found: decompress the file first")

// readEntries reads the records of the named file from f. It calls add for each capture, and
// damaged for each record that cannot be read. It returns the first damage if all records are
// damaged, but nil if the file only ends in the middle of its first record. It also returns an
// error if the records are compressed together, or if reading f fails.
func readEntries(f io.Reader, name string, add func(entry), damaged func(*DamagedError)) error {
	isRead := false
	var first *DamagedError
	err := NewReader(f).entries(func(e entry) error {
		if e.offset < 0 {
			return errTogether
		}
		isRead = true
		if e.file = name; e.isCapture() {
			add(e)
		}
		return nil
	}, func(damage *DamagedError) {
		if first == nil {
			first = damage
		}
		damaged(damage)
	})
	if err == nil && !isRead && first != nil && !errors.Is(first, io.ErrUnexpectedEOF) {
		return first
	}
	return err
}

// A cdxjLine is the JSON of a line. Numbers are texts, as other programs write them.
type cdxjLine struct {
	URL      string `json:"url"`
	MIME     string `json:"mime"`
	Status   string `json:"status,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Length   string `json:"length"`
	Offset   string `json:"offset"`
	Filename string `json:"filename"`
}

// An index has the lines of a CDXJ file. Some megabytes of lines stay in memory, and the others are in a temporary file.
type index struct {
	lines spill.Sorter[string]
	err   error // the first error of add
}

// newIndex returns an empty index. create makes the temporary file; if it is nil, all lines stay in memory.
func newIndex(create func() (spill.File, error)) *index {
	const header = 16 // bytes of a string besides its text
	x := &index{lines: spill.Sorter[string]{
		Codec: spill.Codec[string]{
			Encode: func(w *records.Writer, line string) { w.Text(line) },
			Decode: func(r *records.Reader, _ string) (string, error) { return r.Text(), nil },
		},
		Compare: strings.Compare,
		Size:    func(line, _ string) int { return len(line) + header },
	}}
	if create != nil {
		x.lines.Spill(create)
	}
	return x
}

// add adds the line of e. It leaves out metadata records, which hold attributes and the redirects of protocols other
// than HTTP, and responses to methods other than GET. write returns the error of add.
func (x *index) add(e entry) {
	if !e.isCapture() || e.method != "" || e.kind == typeMetadata { // because a player would take it for the resource of the URL
		return
	}
	if x.err == nil {
		line, err := lineOf(e)
		if err == nil {
			err = x.lines.Add(line)
		}
		x.err = err
	}
}

// write writes the lines to w, sorted. It is called once, after the last add.
func (x *index) write(w io.Writer) error {
	if x.err == nil {
		x.err = x.lines.End()
	}
	if x.err != nil {
		return fmt.Errorf("sort the index: %w", x.err)
	}
	out := bufio.NewWriter(w)
	for line, err := range x.lines.All() {
		if err != nil {
			return fmt.Errorf("sort the index: %w", err)
		}
		if _, err := out.WriteString(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// close removes the temporary file.
func (x *index) close() error { return x.lines.Close() }

// lineOf returns the line of e, with its line end.
func lineOf(e entry) (string, error) {
	line := cdxjLine{
		URL: e.target, MIME: bareType(e.mime), Digest: e.digest,
		Length: strconv.FormatInt(e.length, 10), Offset: strconv.FormatInt(e.offset, 10), Filename: e.file,
	}
	if e.status > 0 {
		line.Status = strconv.Itoa(e.status)
	}
	if e.kind == typeRevisit {
		line.MIME = "warc/revisit"
	}
	text, err := json.Marshal(line)
	if err != nil {
		return "", err
	}
	return surt(e.target) + " " + e.date.UTC().Format("20060102150405") + " " + string(text) + "\n", nil
}

// bareType returns the media type mime without its parameters; "unk" if it is empty.
func bareType(mime string) string {
	bare, _, _ := strings.Cut(mime, ";")
	return cmp.Or(strings.TrimSpace(bare), "unk")
}

// surt returns the key of a URL in an index, as pywb computes it: the host with its labels in
// reverse, then the path and the query, in lower case and with the pairs of the query sorted. The
// key of a text that is not a URL with a host is the text in lower case. So URLs that probably lead
// to the same page have the same key.
func surt(target string) string {
	u, err := weburl.Parse(target)
	if err != nil {
		return strings.ReplaceAll(strings.ToLower(target), " ", "%20")
	}
	host, ok := u.Host()
	if !ok {
		return strings.ToLower(target)
	}
	host = strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(host, ".")), "www.")
	labels := strings.Split(host, ".")
	if !strings.HasPrefix(host, "[") && strings.Trim(host, "0123456789.") != "" { // a name, not an address
		slices.Reverse(labels)
		host = strings.Join(labels, ",")
	}
	if port, ok := u.Port(); ok && port != "" && port != strconv.Itoa(int(facts.Of(u.Scheme()).Port)) {
		host += ":" + port
	}
	key := host + ")" + cmp.Or(strings.ToLower(u.Path()), "/")
	if query, ok := u.Query(); ok && query != "" {
		pairs := strings.Split(strings.ToLower(query), "&")
		slices.Sort(pairs)
		key += "?" + strings.Join(pairs, "&")
	}
	return key
}
