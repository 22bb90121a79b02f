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
	var all []entry
	var damage error
	err := eachFile(root, name, func(f *os.File, name string) error {
		return readEntries(f, name, func(e entry) { all = append(all, e) }, func(found *DamagedError) {
			if damage == nil {
				damage = fmt.Errorf("read the archive %q: %w", name, found)
			}
		})
	})
	if err != nil {
		return err
	}
	return errors.Join(writeCDXJ(w, all), damage)
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

// writeCDXJ writes the index of the entries to w, sorted, with a line for each. It leaves out
// metadata records, which hold attributes and the redirects of protocols other than HTTP, and
// responses to methods other than GET.
func writeCDXJ(w io.Writer, all []entry) error {
	lines := make([]string, 0, len(all))
	for _, e := range all {
		if e.method != "" || e.kind == typeMetadata { // because a player would take it for the resource of the URL
			continue
		}
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
			return err
		}
		lines = append(lines, surt(e.target)+" "+e.date.UTC().Format("20060102150405")+" "+string(text)+"\n")
	}
	slices.Sort(lines)
	out := bufio.NewWriter(w)
	for _, line := range lines {
		if _, err := out.WriteString(line); err != nil {
			return err
		}
	}
	return out.Flush()
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
