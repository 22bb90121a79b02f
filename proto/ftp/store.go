package ftp

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/url"
)

// put replaces the file that the URL names. With Request.Offset it continues an upload instead.
func (b *boundConn) put() error {
	body, err := b.prepareUpload()
	if err != nil {
		return err
	}
	name := b.temporaryName()
	if name == b.sent.Name && b.req.Offset > 0 {
		return b.resume(body)
	}
	if name != b.sent.Name {
		if err := b.checkRename(); err != nil {
			return err
		}
	}
	return b.storeAs(name, body)
}

// temporaryName returns the name of the file while it is incomplete. It is the file's own name with
// Client.Direct, and if the upload continues without Request.Part.
func (b *boundConn) temporaryName() string {
	switch {
	case b.client.Direct, b.req.Part == "" && b.req.Offset > 0:
		return b.sent.Name
	case b.req.Part != "":
		return engine.PartName(b.sent.Name, b.req.Part)
	}
	return engine.PartName(b.sent.Name, engine.NewPart())
}

// prepareUpload sets the type, which is I unless the URL has a type code, because a guess could
// change bytes. It checks the conditions, and returns a reader of the bytes to send.
func (b *boundConn) prepareUpload() (io.Reader, error) {
	code := cmp.Or(b.view.Type, "i")
	body := engine.Content(b.req)
	if b.content != nil {
		body = bytes.NewReader(b.content)
	}
	if code[0] == 'a' {
		body = &crlfReader{r: bufio.NewReader(body)}
	}
	if err := b.setType(typeArgument(code)); err != nil {
		return nil, err
	}
	return body, b.checkConditions()
}

// checkConditions returns an error unless the file meets IfAbsent and IfMatch. The error is fs.ErrExist or ErrChanged.
func (b *boundConn) checkConditions() error {
	if b.req.IfAbsent {
		exists, err := b.exists(false)
		if err != nil {
			return err
		}
		if exists {
			return fs.ErrExist
		}
	}
	if b.req.IfMatch.IsZero() {
		return nil
	}
	modTime, err := b.modTime()
	if err == nil && !b.req.IfMatch.HasTime(modTime) {
		return access.ErrChanged
	}
	return err
}

// storeAs uploads body to the file name. If name is temporary, storeAs then gives the file its
// final name. If a step fails after the upload has started, storeAs deletes the file, unless a
// later request may continue the upload.
func (b *boundConn) storeAs(name string, body io.Reader) error {
	if err := b.checkOffset(name); err != nil {
		return err
	}
	up, err := b.uploadChecked(name, body)
	isTemporary := name != b.sent.Name
	if err == nil && isTemporary {
		if err = withRemedy(b.doExpect(2, "RNTO "+b.sent.Name), access.WriteInPlace); err == nil {
			return b.checkFinalName()
		}
	}
	if err != nil {
		b.endRename(name)
	}
	if err != nil && up.started && !b.keepsPart(up, err) {
		return b.removePartial(name, err)
	}
	return err
}

// endRename ends a rename if RNFR has begun one. It renames the file to the name that the file has already.
//
// QUIRK: proftpd refuses all commands but RNTO after RNFR, so it would refuse to delete the file.
func (b *boundConn) endRename(name string) {
	if b.renames && !b.broken && b.ctx.Err() == nil {
		_, _ = b.do("RNTO " + name) // the upload has failed with another error
	}
}

// uploadChecked uploads body to a file of that name, checks the size and the name of the file, and sets its time and
// mode. If the name is temporary, uploadChecked begins the rename with RNFR.
func (b *boundConn) uploadChecked(name string, body io.Reader) (uploadResult, error) {
	if b.pipelinesUpload(name) {
		after := b.finishQueries(name, b.req.Size)
		if fitsSegment(append(commandsOf(after), "STOR "+name, "EPSV")) {
			return b.uploadPipelined("STOR "+name, body, after)
		}
	}
	up, err := b.uploadRest(name, body)
	if err == nil {
		err = b.checkName(name)
	}
	if err == nil {
		err = b.ask(b.finishQueries(name, b.req.Offset+up.bytesSent)...)
	}
	return up, err
}

// finishQueries returns the finalQueries and, if the name is temporary, the query RNFR, which begins to rename the
// file.
func (b *boundConn) finishQueries(name string, size int64) []query {
	list := b.finalQueries(name, size)
	if name != b.sent.Name {
		list = append(list, query{"RNFR " + name, func(r access.Reply) error { return b.expect(r, 3) }})
	}
	return list
}

// checkFinalName returns errOtherName if RNTO gave the file another name than the name that was sent. It then removes
// the file by the name that was sent, because the server changes that name in the same way again.
func (b *boundConn) checkFinalName() error {
	err := b.checkName(b.sent.Name)
	if errors.Is(err, errOtherName) {
		return b.removePartial(b.sent.Name, err)
	}
	return err
}

// probeSize is the number of bytes that are sent first to continue an upload.
const probeSize = 64 << 10

// uploadRest uploads the body to a file of that name, from Request.Offset. It sends nothing if
// Request.Size is 0, because then no bytes are left.
//
// QUIRK: servers accept REST, but STOR then replaces the file by the bytes that follow. After many bytes, such a file
// could look like a longer part of the upload, which a later request would continue. So uploadRest first sends
// probeSize bytes and checks the size. Callers do not continue a file of so few bytes.
func (b *boundConn) uploadRest(name string, body io.Reader) (up uploadResult, err error) {
	if b.req.Offset == 0 {
		return b.upload("STOR "+name, 0, body)
	}
	if b.req.Size == 0 {
		return uploadResult{started: true}, nil
	}
	if up, err = b.upload("STOR "+name, b.req.Offset, io.LimitReader(body, probeSize)); err != nil || up.bytesSent < probeSize {
		return up, err
	}
	if err := b.ask(b.sizeCheck(name, b.req.Offset+probeSize)); err != nil {
		return up, err
	}
	up, err = b.upload("STOR "+name, b.req.Offset+probeSize, body)
	up.started = true
	up.bytesSent += probeSize
	return up, err
}

// keepsPart reports whether a later request may continue an upload that failed with err. It is false without
// Request.Part and with Client.Direct.
func (b *boundConn) keepsPart(up uploadResult, err error) bool {
	const aborted = 426 // another refusal may mean that the disk is full
	if b.req.Part == "" || b.client.Direct {
		return false
	}
	if wrong, ok := errors.AsType[*sizeError](err); ok {
		return wrong.has < wrong.wants && (b.req.Offset == 0 || wrong.has > b.req.Offset+probeSize)
	}
	if up.bodyFailed {
		return b.ctx.Err() != nil || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, access.ErrTemporary)
	}
	return b.ctx.Err() != nil || b.broken || up.last.Code == aborted
}

// A sizeError reports that a file on the server has another size than the upload.
type sizeError struct{ has, wants int64 }

// Error returns a text with both sizes.
func (e *sizeError) Error() string {
	return fmt.Sprintf("%v: the server has %d of %d bytes", errBroken, e.has, e.wants)
}

// Unwrap returns errBroken, because the upload is incomplete.
func (e *sizeError) Unwrap() error { return errBroken }

// sizeCheck returns a query for the size of a file. The query returns a sizeError if the server
// reports another size than size.
//
// QUIRK: servers answer "213" without a number for an empty file.
func (b *boundConn) sizeCheck(name string, size int64) query {
	return query{"SIZE " + name, func(r access.Reply) error {
		if got := parseSize(strings.TrimSpace(r.Text)); r.Code == 213 && got >= 0 && got != size {
			return &sizeError{got, size}
		}
		return nil
	}}
}

// checkRename returns an error if the server forbids renames, so that an upload does not start in vain. It checks only
// once for each connection. It sends RNFR for a file that does not exist. A server that forbids renames answers with
// another error than "not found".
//
// QUIRK: Twisted accepts RNFR for every name, and then refuses all commands but RNTO (RFC 959 §4.1.3: RNFR "must be
// immediately followed" by RNTO). So checkRename completes the rename, which the server refuses.
func (b *boundConn) checkRename() error {
	if b.renameAllowed {
		return nil
	}
	probe := engine.PartName(b.sent.Name, engine.NewPart())
	r, err := b.do("RNFR " + probe)
	if err != nil {
		return err
	}
	if r.Code == 350 {
		if _, err := b.do("RNTO " + probe); err != nil {
			return err
		}
		b.renameAllowed = true
		return nil
	}
	refused := b.refusal(r)
	if errors.Is(refused, fs.ErrPermission) || errors.Is(refused, errors.ErrUnsupported) {
		return withRemedy(refused, access.WriteInPlace)
	}
	b.renameAllowed = true
	return nil
}

// finalQueries returns the queries after an upload to a file of that name. They check that it has size bytes, in type I
// only, and set its time and its mode, if these are known.
func (b *boundConn) finalQueries(name string, size int64) []query {
	var list []query
	if b.currentType == "I" {
		list = append(list, b.sizeCheck(name, size))
	}
	if command := b.timeCommand(name); command != "" {
		list = append(list, query{command, func(r access.Reply) error {
			if reply.Is(r, 2) {
				b.storedTime = b.req.ModTime.Truncate(time.Second)
			}
			return nil
		}})
	}
	if mode := b.mode(); mode != "" {
		list = append(list, query{"SITE CHMOD " + mode + " " + name, func(r access.Reply) error { return b.expect(r, 2) }})
	}
	return list
}

// mode returns the permissions to set after an upload, in octal; "" if neither the request nor the
// client has any.
func (b *boundConn) mode() string {
	if perm := b.req.Mode.Perm(); perm != 0 {
		return strconv.FormatUint(uint64(perm), 8)
	}
	return b.client.Mode
}

// timeCommand returns the command that sets a file's time. It returns "" if the request has no
// time, or the server has no command for it.
//
// QUIRK: vsftpd sets the time with MDTM instead of MFMT.
func (b *boundConn) timeCommand(name string) string {
	if b.req.ModTime.IsZero() {
		return ""
	}
	verb := "MFMT"
	if b.vsftpd {
		verb = "MDTM"
	} else if has, err := b.hasFeature(verb); err != nil || !has {
		return ""
	}
	return verb + " " + b.req.ModTime.UTC().Format(timeLayout) + " " + name
}

// resume continues an upload at Request.Offset in the file itself, without a temporary name.
func (b *boundConn) resume(body io.Reader) error {
	if err := b.checkOffset(b.sent.Name); err != nil {
		return err
	}
	if err := b.checkName(b.sent.Name); err != nil {
		return err
	}
	up, err := b.upload("STOR "+b.sent.Name, b.req.Offset, body)
	if err != nil {
		return err
	}
	return b.ask(b.finalQueries(b.sent.Name, b.req.Offset+up.bytesSent)...)
}

// checkOffset returns an error unless the upload can continue at Request.Offset. The file must have
// exactly that size, and the type must be I. If the server does not report sizes, a file that is
// uploaded under its own name passes, and a temporary file does not. An Offset of 0 always passes.
func (b *boundConn) checkOffset(name string) error {
	if b.req.Offset <= 0 {
		return nil
	}
	if b.currentType != "I" {
		return engine.Reason("an upload can be resumed in type I only", errors.ErrUnsupported)
	}
	size, err := b.sizeOf(name)
	switch {
	case err != nil:
		return err
	case size < 0 && name != b.sent.Name: // a temporary file
		return engine.Reason("the server does not tell how much it has", errors.ErrUnsupported)
	case size >= 0 && size < b.req.Offset:
		return access.ErrRange
	case size > b.req.Offset:
		return access.ErrChanged
	}
	return nil
}

// append appends the request's body to the file that the URL names, and returns the zero URL. If the URL names a
// directory, append creates a file with a name that the server chooses, and returns the URL of that file, or the zero
// URL if the server does not report the name.
func (b *boundConn) append() (url.URL, error) {
	body, err := b.prepareUpload()
	if err != nil {
		return url.URL{}, err
	}
	if b.sent.Name == "" {
		return b.storeUnique(body)
	}
	before := int64(-1)
	if b.currentType == "I" {
		if before, err = b.size(); err != nil {
			return url.URL{}, err
		}
	}
	if before >= 0 {
		if err := b.checkName(b.sent.Name); err != nil {
			return url.URL{}, err
		}
	}
	up, err := b.upload("APPE "+b.sent.Name, 0, body)
	if err == nil && before >= 0 {
		return url.URL{}, b.ask(b.finalQueries(b.sent.Name, before+up.bytesSent)...)
	}
	if err == nil {
		err = b.checkName(b.sent.Name)
	}
	if errors.Is(err, errOtherName) && b.currentType == "I" { // APPE has created the file, because SIZE had found none
		err = b.removePartial(b.sent.Name, err)
	}
	return url.URL{}, err
}

// storeUnique uploads body to a new file whose name the server picks (STOU). It returns the URL of the file, or the
// zero URL if the server does not report the name. After an error it deletes the file if it knows the name.
func (b *boundConn) storeUnique(body io.Reader) (url.URL, error) {
	up, err := b.upload("STOU", 0, body)
	name := uniqueName(up)
	if err == nil && name != "" {
		err = b.ask(b.finalQueries(name, up.bytesSent)...)
	}
	if err != nil && name != "" {
		return url.URL{}, b.removePartial(name, err)
	}
	if err != nil || name == "" {
		return url.URL{}, err
	}
	here := b.listedDir()
	here.Name = b.client.decodeName(name)
	return here.URL(), nil
}

// uniqueName returns the name that the server has picked, as in "150 FILE: name" (RFC 1123
// §4.1.2.9). It returns "" if the server does not report the name.
//
// QUIRK: others report it after the transfer: "226 Transfer complete (unique file name:name)".
func uniqueName(up uploadResult) string {
	for _, r := range []access.Reply{up.first, up.last} {
		if _, name, ok := strings.Cut(r.Text, "FILE: "); ok {
			return localName(name)
		}
		if _, rest, ok := strings.Cut(r.Text, "unique file name:"); ok {
			name, _, _ := strings.Cut(rest, ")")
			return localName(strings.TrimSpace(name))
		}
	}
	return ""
}

// localName returns name without a line end. It returns "" if name has a "/", LF or NUL, because a server could use
// them to make the client name another file.
func localName(name string) string {
	name = strings.TrimRight(name, "\r\n")
	if strings.ContainsAny(name, "/\n\x00") {
		return ""
	}
	return name
}

// A crlfReader reads r and adds a CR before each LF that has no CR (RFC 959 §3.1.1.1).
type crlfReader struct {
	r         *bufio.Reader
	last      byte
	pendingLF bool  // the next byte is the LF after an added CR
	err       error // the error of r, which Read returns after the bytes before it
}

// Read returns the text with CR LF in place of each LF that does not follow a CR.
func (l *crlfReader) Read(p []byte) (n int, err error) {
	for n < len(p) && l.err == nil {
		c := byte('\n')
		if l.pendingLF {
			l.pendingLF = false
		} else if c, l.err = l.r.ReadByte(); l.err != nil { // ReadByte returns an error only once
			break
		} else if c == '\n' && l.last != '\r' {
			c, l.pendingLF = '\r', true
		}
		p[n], l.last = c, c
		n++
	}
	if n > 0 {
		return n, nil
	}
	return 0, l.err
}
