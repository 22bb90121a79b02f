package ftp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
	"locus/scheme"
	"locus/url"
)

// A Line is the Sys of an entry: its line in the listing, without the line end. The line may
// contain facts for which [access.Entry] has no field, such as owner, permissions and link target.
type Line string

// unique returns the value of the fact "unique" (RFC 3659 §7.5.2), which is equal for two entries
// of a server if they are the same file or directory. It returns "" if the line has no such fact.
func (l Line) unique() string {
	facts, _, ok := strings.Cut(strings.TrimLeft(string(l), " "), " ")
	if !ok || !strings.HasSuffix(facts, ";") {
		return ""
	}
	for fact := range strings.SplitSeq(facts, ";") {
		if key, value, _ := strings.Cut(fact, "="); strings.EqualFold(key, "unique") {
			return value
		}
	}
	return ""
}

// maxLine limits a line of a listing, including its end.
const maxLine = 16 << 10

// A listing is the Body and the List of a directory.
type listing struct {
	*stream
	lines      *bufio.Reader
	dir        scheme.FTP // the listed directory
	parse      parser     // parses a line
	firstHalf  string     // a line whose entry continues on the next line
	endsLines  bool       // every line has an end
	incomplete error      // why the listing may lack an entry; nil if it is whole

	mayPad  bool  // the names may begin with blanks that do not belong to them
	padding int   // the number of these blanks
	held    []row // rows that were read to find the padding, in order
	heldErr error // the error after the held rows; nil if there may be more rows
}

// A row is the entry of a line, without a URL.
type row struct {
	line  string
	entry access.Entry
}

// openDirectory opens the listing of the current directory, with the first of MLSD, LIST and NLST
// that the server supports. If it supports none of them, the error wraps errors.ErrUnsupported.
func (b *boundConn) openDirectory() (*access.Resource, error) {
	mlsd, err := b.hasFeature("MLST") // a server that lists MLST has MLSD too (RFC 3659 §7.8)
	if err != nil {
		return nil, err
	}
	ways := []struct {
		command string
		parse   parser
	}{
		{"MLSD", parseMLSD}, {b.listCommand(), parseLine}, {"NLST", parseName},
	}
	if !mlsd {
		ways = ways[1:]
	}
	var r *access.Resource
	for _, way := range ways {
		r, err = b.openListing(way.command, way.parse)
		if !errors.Is(err, errors.ErrUnsupported) {
			break
		}
	}
	return r, err
}

// listCommand returns the LIST command for the current directory.
//
// QUIRK: vsftpd leaves out names that start with a dot, unless asked by an option of ls.
func (c *controlConn) listCommand() string {
	if c.vsftpd {
		return "LIST -a"
	}
	return "LIST"
}

// openListing sends a command that lists a directory, and returns the Resource of the listing. parse parses its lines.
func (b *boundConn) openListing(command string, parse parser) (*access.Resource, error) {
	l, err := b.list(command, parse)
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: b.req.URL, Size: -1}, Body: l, List: l}, nil
}

// list sends a listing command and returns the listing, whose lines parse parses. The listing is empty if the server
// refuses to list an empty directory. list sets type A (RFC 959 §5.3.2) if the type was changed; a new connection
// already has type A.
func (b *boundConn) list(command string, parse parser) (*listing, error) {
	if b.currentType != "" {
		if err := b.setType("A"); err != nil {
			return nil, err
		}
	}
	st, err := b.startDownload(command, 0)
	switch {
	case err == nil:
		keepAlive(st.data)
	case isEmptyDirectory(err):
		st = b.emptyStream()
	default:
		return nil, err
	}
	return &listing{
		stream: st, lines: bufio.NewReaderSize(st, maxLine), dir: b.listedDir(), parse: parse,
		endsLines: strings.HasPrefix(command, "MLSD"), mayPad: strings.HasPrefix(command, "LIST"),
	}, nil
}

// isEmptyDirectory reports whether err is a refusal that means an empty directory.
//
// QUIRK: wu-ftpd and its descendants answer NLST of an empty directory with "550 No files found.".
// Old versions of proftpd used 450.
func isEmptyDirectory(err error) bool {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || refused.Reply.Code != 550 && refused.Reply.Code != 450 {
		return false
	}
	return strings.Contains(strings.ToLower(refused.Reply.Text), "no files found")
}

// emptyStream returns the stream of a complete transfer without data.
func (b *boundConn) emptyStream() *stream {
	data, end := net.Pipe()
	end.Close()
	return &stream{boundConn: b, data: b.dataDialer.Wrap(b.dataContext(), data), wantSize: -1, hasFinalReply: true}
}

// listedDir returns the parts of the URL of the listed directory, without the password. The URLs of the entries are
// made from it.
func (b *boundConn) listedDir() scheme.FTP {
	here := b.view
	here.Password = url.Part{}
	here.Type = ""
	if here.Name != "" && b.view.Type == "d" {
		here.Dirs = append(slices.Clip(here.Dirs), here.Name)
	}
	here.Name = ""
	return here
}

// Next returns the next entry, and io.EOF after the last. It skips ".", ".." and lines without an entry. If it had to
// skip a line that is too long, the last entry says so.
func (l *listing) Next() (access.Entry, error) {
	if l.mayPad {
		l.mayPad = false
		l.findPadding()
	}
	for {
		r, err := l.nextHeld()
		if access.IsEnd(err) && l.incomplete != nil {
			e := access.Entry{Kind: access.Info, Title: l.incomplete.Error(), Size: -1, Incomplete: l.incomplete}
			l.incomplete = nil
			return e, nil //nolint:nilerr // Next returns the error again after this entry
		}
		if err != nil {
			return access.Entry{}, err
		}
		if r.entry.Kind != access.Info {
			r.entry.Title = r.entry.Title[min(l.padding, leadingBlanks(r.entry.Title)):]
		}
		if title := r.entry.Title; title != "" && title != "." && title != ".." {
			return l.complete(r.line, r.entry), nil
		}
	}
}

// nextHeld returns the next row: the first held row, or the next row of the listing if no row is held.
func (l *listing) nextHeld() (row, error) {
	if len(l.held) > 0 {
		r := l.held[0]
		l.held = l.held[1:]
		return r, nil
	}
	if l.heldErr != nil {
		return row{}, l.heldErr
	}
	return l.nextRow()
}

// maxHeld limits the rows that are held to find the padding.
const maxHeld = 1000

// findPadding sets padding to the number of blanks with which every name begins, if there are at least two names.
//
// QUIRK: servers align the names with more than one blank after the date. A single name with blanks is more likely to
// have them itself.
func (l *listing) findPadding() {
	names, least := 0, 0
	for len(l.held) < maxHeld {
		r, err := l.nextRow()
		if err != nil {
			l.heldErr = err
			break
		}
		l.held = append(l.held, r)
		if r.entry.Kind == access.Info {
			continue
		}
		n := leadingBlanks(r.entry.Title)
		if names == 0 || n < least {
			least = n
		}
		if names++; least == 0 {
			return
		}
	}
	if names > 1 {
		l.padding = least
	}
}

// leadingBlanks returns the number of spaces at the start of name.
func leadingBlanks(name string) int { return len(name) - len(strings.TrimLeft(name, " ")) }

// nextRow reads lines up to the next entry and parses it. An entry may take two lines.
func (l *listing) nextRow() (row, error) {
	for {
		line, err := l.readLine()
		if access.IsEnd(err) && l.firstHalf != "" {
			line, l.firstHalf = l.firstHalf, ""
			return row{line, access.Entry{Title: line, Size: -1}}, nil
		}
		if err != nil {
			return row{}, err
		}
		if l.firstHalf != "" {
			line, l.firstHalf = l.firstHalf+" "+line, ""
		}
		found, v := l.parse(line, l.now())
		if v == needsNextLine {
			l.firstHalf = line
		}
		if v == isEntry {
			return row{line, found}, nil
		}
	}
}

// complete returns e, which was parsed from line, with its ID and Sys set. It also sets the URL, except for an
// access.Info, and the Type of an access.Object.
func (l *listing) complete(line string, e access.Entry) access.Entry {
	e.ID, e.Sys = Line(line).unique(), Line(line)
	here := l.dir
	switch e.Kind {
	case access.Info:
		return e
	case access.Directory:
		here.Dirs = append(slices.Clip(here.Dirs), e.Title)
	default:
		here.Name = e.Title
	}
	if e.Kind == access.Object {
		e.Type = mediatype.ByName(e.Title)
	}
	e.URL = here.URL()
	return e
}

// maxSkipped limits the bytes of a line that is skipped.
const maxSkipped = 256 << 10

// skipLine reads the rest of a line that is longer than maxLine, and sets incomplete. The error is access.ErrTooLong
// for a line longer than maxSkipped.
func (l *listing) skipLine() error {
	l.incomplete = fmt.Errorf("%w: a listing line of more than %d bytes was left out", access.ErrTooLong, maxLine)
	for size := maxLine; size < maxSkipped; {
		raw, err := l.lines.ReadSlice('\n')
		size += len(raw)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if access.IsEnd(err) {
				return nil // the next read returns it again
			}
			return err
		}
	}
	return l.fail(fmt.Errorf("%w: a listing line of more than %d bytes", access.ErrTooLong, maxSkipped))
}

// now returns the time of Client.Now, or the current time if Now is nil, in UTC.
func (l *listing) now() time.Time {
	if l.client.Now == nil {
		return time.Now().UTC()
	}
	return l.client.Now().UTC()
}

// readLine returns the next line without its end, with its name in UTF-8. For a line longer than maxLine it returns ""
// and sets incomplete. A last line without an end is an error in a listing of MLSD, whose lines all have an end (RFC
// 3659 §7.2). In any other listing readLine returns it and sets incomplete, because a device between the server and the
// client may have cut it off.
func (l *listing) readLine() (string, error) {
	raw, err := l.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", l.skipLine()
	case access.IsEnd(err) && len(raw) > 0 && l.endsLines:
		return "", l.fail(fmt.Errorf("%w: the listing ends within a line", io.ErrUnexpectedEOF))
	case access.IsEnd(err) && len(raw) > 0:
		l.incomplete = fmt.Errorf("%w: the listing ends within a line, so the name may be cut off", io.ErrUnexpectedEOF)
	case err != nil:
		return "", err
	}
	return l.client.decodeName(string(bytes.TrimRight(raw, "\r\n"))), nil
}
