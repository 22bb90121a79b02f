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
	"locus/proto/internal/mediatype"
	"locus/scheme"
	"locus/url"
)

// A Line is the Sys of an entry: its line in the listing, without the line end.
// It has what [access.Entry] has no field for, such as owner, permissions and
// link target.
type Line string

// unique returns the value of the fact "unique" (RFC 3659 §7.5.2): two entries of a
// server with the same value are the same file or directory. It returns "" if the
// server does not tell.
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

// maxLine limits a line of a listing, its end included.
const maxLine = 16 << 10

// A listing is the Body of a directory.
type listing struct {
	*stream
	lines     *bufio.Reader
	dir       scheme.FTP // the listed directory
	parse     parser
	firstHalf string // a line whose entry continues on the next line
}

// openDirectory opens the listing of the current directory, with the best
// command that the server has.
func (s *session) openDirectory() (*access.Resource, error) {
	mlsd, err := s.hasFeature("MLST") // a server that lists MLST has MLSD too (RFC 3659 §7.8)
	if err != nil {
		return nil, err
	}
	ways := []struct {
		command string
		parse   parser
	}{
		{"MLSD", parseMLSD}, {s.listCommand(), parseLine}, {"NLST", parseName},
	}
	if !mlsd {
		ways = ways[1:]
	}
	var r *access.Resource
	for _, way := range ways {
		r, err = s.openListing(way.command, way.parse)
		if !errors.Is(err, errors.ErrUnsupported) {
			break
		}
	}
	return r, err
}

// listCommand returns the LIST command for the current directory.
//
// QUIRK: vsftpd leaves out names that start with a dot, unless asked by an option of ls.
func (c *control) listCommand() string {
	if c.vsftpd {
		return "LIST -a"
	}
	return "LIST"
}

// openListing sends a command that lists a directory. parse reads the lines of its answer.
func (s *session) openListing(command string, parse parser) (*access.Resource, error) {
	l, err := s.list(command, parse)
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: s.req.URL, Size: -1}, Body: l, List: l}, nil
}

// list sends a listing command. It sets type A (RFC 959 §5.3.2) if the type was
// changed: a new connection already has it.
func (s *session) list(command string, parse parser) (*listing, error) {
	if s.currentType != "" {
		if err := s.setType("A"); err != nil {
			return nil, err
		}
	}
	st, err := s.startDownload(command, 0)
	switch {
	case err == nil:
		keepAlive(st.data)
	case isEmptyDirectory(err):
		st = s.emptyStream()
	default:
		return nil, err
	}
	return &listing{stream: st, lines: bufio.NewReaderSize(st, maxLine), dir: s.listedDir(), parse: parse}, nil
}

// isEmptyDirectory reports whether a refusal means an empty directory.
//
// QUIRK: wu-ftpd and its descendants answer NLST of an empty directory with
// "550 No files found.". Old versions of proftpd used 450.
func isEmptyDirectory(err error) bool {
	refused, ok := errors.AsType[*access.Refusal](err)
	if !ok || refused.Reply.Code != 550 && refused.Reply.Code != 450 {
		return false
	}
	return strings.Contains(strings.ToLower(refused.Reply.Text), "no files found")
}

// emptyStream returns a complete transfer without data.
func (s *session) emptyStream() *stream {
	data, end := net.Pipe()
	end.Close()
	return &stream{session: s, data: s.dataDialer.Wrap(s.dataContext(), data), wantSize: -1, hasFinalReply: true}
}

// listedDir returns the directory that a listing is of, for the URLs of its
// entries. It has no password.
func (s *session) listedDir() scheme.FTP {
	here := s.view
	here.Password = url.Part{}
	here.Type = ""
	if here.Name != "" && s.view.Type == "d" {
		here.Dirs = append(slices.Clip(here.Dirs), here.Name)
	}
	here.Name = ""
	return here
}

// Next returns the next entry. It skips ".", ".." and lines that are no entries. An entry may
// have two lines.
func (l *listing) Next() (access.Entry, error) {
	for {
		line, err := l.readLine()
		if access.IsEnd(err) && l.firstHalf != "" {
			line, l.firstHalf = l.firstHalf, ""
			return l.entry(line, access.Entry{Title: line, Size: -1}), nil
		}
		if err != nil {
			return access.Entry{}, err
		}
		if l.firstHalf != "" {
			line, l.firstHalf = l.firstHalf+" "+line, ""
		}
		found, v := l.parse(line, l.now())
		if v == needsNextLine {
			l.firstHalf = line
		}
		if v == isEntry && found.Title != "" && found.Title != "." && found.Title != ".." {
			return l.entry(line, found), nil
		}
	}
}

// entry completes the entry that was parsed from a line.
func (l *listing) entry(line string, e access.Entry) access.Entry {
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

func (l *listing) now() time.Time {
	if l.client.Now == nil {
		return time.Now().UTC()
	}
	return l.client.Now().UTC()
}

// readLine returns the next line without its end.
func (l *listing) readLine() (string, error) {
	raw, err := l.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", l.fail(fmt.Errorf("%w: a listing line of more than %d bytes", access.ErrTooLong, maxLine))
	}
	if access.IsEnd(err) && len(raw) > 0 {
		return "", l.fail(fmt.Errorf("%w: the listing ends within a line", io.ErrUnexpectedEOF))
	}
	if err != nil {
		return "", err
	}
	return l.client.decodeName(string(bytes.TrimRight(raw, "\r\n"))), nil
}
