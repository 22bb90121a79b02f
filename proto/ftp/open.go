package ftp

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
)

// open opens the file that the URL names, or lists the directory.
func (b *boundConn) open() (*access.Resource, error) {
	switch {
	case b.view.Type == "d": // RFC 1738 §3.2.2
		return b.openListing(joinCommand("NLST", b.sent.Name), nameParser(b.view.Name))
	case b.view.Name == "":
		return b.openDirectory()
	}
	return b.openFile()
}

// openFile opens a file for reading. It takes the expected size from Request.Known, from SIZE, or
// from the first reply of the transfer.
func (b *boundConn) openFile() (*access.Resource, error) {
	code := b.typeCode()
	r := &access.Resource{Entry: access.Entry{URL: b.req.URL, Type: mediatype.ByName(b.view.Name), Size: -1}}
	if code == "i" {
		r.Offset = b.req.Offset
	}
	if err := b.askAttributes(r, code); err != nil {
		return nil, err
	}
	if err := engine.CheckTime(b.req, r.ModTime); err != nil {
		return nil, err
	}
	if r.Offset > 0 && r.Size >= 0 && r.Offset >= r.Size {
		return nil, access.ErrRange
	}
	st, err := b.startDownload("RETR "+b.sent.Name, r.Offset)
	if errors.Is(err, errNotFile) || errors.Is(err, fs.ErrNotExist) && r.Size < 0 {
		return nil, withRemedy(err, access.NeedSlash)
	}
	if err != nil {
		return nil, err
	}
	if r.Size < 0 && code == "i" && b.vsftpd {
		r.Size = parseAnnouncedSize(st.first.Text)
	}
	if r.Size >= 0 {
		st.wantSize = r.Size - r.Offset
		st.sizeFromCaller = b.req.Known != nil && b.req.Known.Size == r.Size
	}
	st.sizeRefused = r.Size < 0 && code == "i"
	if st.wantSize < 0 || st.wantSize > smallFile {
		keepAlive(st.data)
	}
	r.Body = st
	if b.client.UnixText && code[0] == 'a' {
		r.Body = struct {
			io.Reader
			io.Closer
		}{&lfReader{r: bufio.NewReaderSize(st, copyBufferSize)}, st}
	}
	return r, nil
}

// An lfReader reads r and leaves out each CR before an LF.
type lfReader struct {
	r *bufio.Reader
}

// Read reads text in which each CR LF has become LF. A CR alone stays.
func (l *lfReader) Read(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || l.r.Buffered() > 0) {
		c, err := l.r.ReadByte()
		if err != nil {
			return n, err
		}
		if c == '\r' {
			next, _ := l.r.Peek(1) // r returns its error again
			if string(next) == "\n" {
				continue
			}
		}
		p[n] = c
		n++
	}
	return n, nil
}

// smallFile is the size up to which keep-alive is not worth its system call.
const smallFile = 64 << 10

// askAttributes sets the type for the type code, and the size and the time of r, for which it asks
// the server unless the caller knows them. It also asks for a data port if the server accepts
// several commands at once. If the port is known, and no condition depends on the answers, the
// queries are not sent yet: sendTransfer sends them together with RETR.
//
// QUIRK: vsftpd reports the size in its reply to RETR, so SIZE is left out.
func (b *boundConn) askAttributes(r *access.Resource, code string) error {
	argument := typeArgument(code)
	if len(argument) > 1 || argument == "E" { // sent alone because few servers know these
		if err := b.setType(argument); err != nil {
			return err
		}
	}
	portKnown := len(b.queued) > 0 || b.nextDataPort != 0
	atOnce := portKnown && b.currentType == argument && b.req.Offset == 0 && b.req.IfChanged.IsZero()
	var list []query
	if b.currentType != argument {
		list = append(list, b.typeQuery(argument))
	}
	known := b.req.Known
	if known == nil {
		known = &access.Entry{Size: -1}
	}
	if code == "i" {
		r.Size = known.Size
		if r.Size < 0 && !(atOnce && b.vsftpd) {
			list = append(list, b.sizeQuery(b.sent.Name, &r.Size))
		}
	}
	if r.ModTime = known.ModTime; r.ModTime.IsZero() {
		list = append(list, b.timeQuery(&r.ModTime))
	}
	if atOnce {
		b.pendingQueries = list
		return nil
	}
	if b.pipelines && b.client.Listen == nil && !b.noEPSV && !portKnown {
		list = append(list, query{"EPSV", b.keepPort})
	}
	return b.ask(list...)
}

// parseAnnouncedSize returns the size in vsftpd's "Opening BINARY mode data connection for name
// (4096 bytes).". It returns -1 if the text has another form.
func parseAnnouncedSize(text string) int64 {
	i := strings.LastIndexByte(text, '(')
	digits, ok := strings.CutSuffix(text[i+1:], " bytes).")
	if i < 0 || !ok {
		return -1
	}
	return parseSize(digits)
}

// sizeQuery returns a query for the size of the file in the current type (RFC 3659 §4). The query
// sets *size, to -1 if the server does not report a size.
func (b *boundConn) sizeQuery(name string, size *int64) query {
	return query{"SIZE " + name, func(r access.Reply) error {
		*size = -1
		if r.Code == 213 {
			*size = parseSize(strings.TrimSpace(r.Text))
		}
		return nil
	}}
}

// timeQuery returns a query for the time of the file's last change (RFC 3659 §3). The query sets
// *modTime, to the zero time if the server does not report a time.
func (b *boundConn) timeQuery(modTime *time.Time) query {
	return query{"MDTM " + b.sent.Name, func(r access.Reply) error {
		b.timeCode = r.Code
		*modTime = time.Time{}
		if r.Code == 213 {
			*modTime = parseTime(strings.TrimSpace(r.Text))
		}
		return nil
	}}
}

// size asks for the size of the file that the URL names, in the current type; -1 if the server does
// not report it.
func (b *boundConn) size() (size int64, err error) {
	return b.sizeOf(b.sent.Name)
}

// sizeOf asks for the size of the file of that name, in the current type; -1 if the server does not
// report it.
func (b *boundConn) sizeOf(name string) (size int64, err error) {
	err = b.ask(b.sizeQuery(name, &size))
	return size, err
}

// modTime asks for the time of the file's last change; zero if the server does not report it.
func (b *boundConn) modTime() (modTime time.Time, err error) {
	err = b.ask(b.timeQuery(&modTime))
	return modTime, err
}

// parseSize returns the number that digits denote; -1 if it is negative or invalid.
func parseSize(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// timeLayout is the layout of a time in RFC 3659 §2.3, in UTC.
const timeLayout = "20060102150405"

// parseTime parses a time of RFC 3659 §2.3, such as "20261121020208.5", to the second. It returns
// the zero time if text is invalid.
func parseTime(text string) time.Time {
	text, _, _ = strings.Cut(text, ".")
	t, err := time.Parse(timeLayout, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// typeCode returns the type code of a download, in lower case: the code of the URL. Without a code it
// is "i" with Client.Binary, and otherwise a guess from the file name (RFC 1738 §3.2.3).
func (o *operation) typeCode() string {
	switch {
	case o.view.Type != "":
		return o.view.Type
	case o.client.Binary:
		return "i"
	}
	switch strings.ToLower(path.Ext(o.view.Name)) {
	case ".txt", ".text", ".htm", ".html":
		return "a"
	}
	return "i"
}

// typeArgument returns the argument of TYPE for a type code: "A" for "a", "A N" for "an", "L 8" for
// "l8" (RFC 1630: "The space is omitted from the URL").
func typeArgument(code string) string {
	code = strings.ToUpper(code)
	if len(code) == 1 {
		return code
	}
	return code[:1] + " " + code[1:]
}
