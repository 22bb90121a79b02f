package ftp

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/hex"
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

// put replaces the file that the URL names, or writes the rest of it.
func (s *session) put() error {
	body, err := s.prepareUpload()
	if err != nil {
		return err
	}
	name := s.temporaryName()
	if name == s.sent.Name && s.req.Offset > 0 {
		return s.resume(body)
	}
	if name != s.sent.Name {
		if err := s.checkRename(); err != nil {
			return err
		}
	}
	return s.storeAs(name, body)
}

// temporaryName returns the name of the file until it is complete. Without one, and to
// continue an upload that has none, it is the name itself.
func (s *session) temporaryName() string {
	switch {
	case s.client.Direct, s.req.Part == "" && s.req.Offset > 0:
		return s.sent.Name
	case s.req.Part != "":
		return engine.PartName(s.sent.Name, s.req.Part)
	}
	return engine.PartName(s.sent.Name, partMark+randomDigits())
}

// prepareUpload sets the type, which is I unless the URL has a type code: a
// guess could change bytes. It checks the conditions, and returns the bytes to
// send.
func (s *session) prepareUpload() (io.Reader, error) {
	code := cmp.Or(s.view.Type, "i")
	body := engine.Content(s.req)
	if code[0] == 'a' {
		body = &crlfReader{r: bufio.NewReader(body)}
	}
	if err := s.setType(typeArgument(code)); err != nil {
		return nil, err
	}
	return body, s.checkConditions()
}

// checkConditions fails unless the file meets IfAbsent and IfMatch.
func (s *session) checkConditions() error {
	if s.req.IfAbsent {
		there, err := s.exists(false)
		if err != nil {
			return err
		}
		if there {
			return fs.ErrExist
		}
	}
	if s.req.IfMatch.IsZero() {
		return nil
	}
	modTime, err := s.modTime()
	if err == nil && !s.req.IfMatch.HasTime(modTime) {
		return access.ErrChanged
	}
	return err
}

// storeAs uploads to a name, and renames that if it is temporary. After a
// failure it deletes the file, unless a later request may continue it.
func (s *session) storeAs(name string, body io.Reader) error {
	if err := s.checkOffset(name); err != nil {
		return err
	}
	isTemporary := name != s.sent.Name
	up, err := s.uploadRest(name, body)
	if err == nil {
		err = s.checkName(name)
	}
	if err == nil {
		queries := s.finalQueries(name, s.req.Offset+up.bytesSent)
		if isTemporary {
			queries = append(queries, query{"RNFR " + name, func(r access.Reply) error { return s.expect(r, 3) }})
		}
		err = s.ask(queries...)
	}
	if err == nil && isTemporary {
		err = withRemedy(s.doExpect(2, "RNTO "+s.sent.Name), access.WriteInPlace)
	}
	if err != nil && up.started && !s.keepsPart(up, err) {
		return s.removePartial(name, err)
	}
	return err
}

// probeSize is how many bytes are sent first to continue an upload.
const probeSize = 64 << 10

// uploadRest uploads the body to a name, from Request.Offset. If there is nothing left to
// upload it does nothing.
//
// QUIRK: servers take REST, and STOR then replaces the file nonetheless. If that broke off,
// the size could not tell. So a few bytes go first, and the size must be right then. A caller
// never continues a file that small.
func (s *session) uploadRest(name string, body io.Reader) (up uploadResult, err error) {
	if s.req.Offset == 0 {
		return s.upload("STOR "+name, 0, body)
	}
	if s.req.Size == 0 {
		return uploadResult{started: true}, nil
	}
	if up, err = s.upload("STOR "+name, s.req.Offset, io.LimitReader(body, probeSize)); err != nil || up.bytesSent < probeSize {
		return up, err
	}
	if err := s.ask(s.sizeCheck(name, s.req.Offset+probeSize)); err != nil {
		return up, err
	}
	up, err = s.upload("STOR "+name, s.req.Offset+probeSize, body)
	up.started = true
	up.bytesSent += probeSize
	return up, err
}

// keepsPart reports whether a later request may continue an upload that failed.
func (s *session) keepsPart(up uploadResult, err error) bool {
	const aborted = 426 // another refusal may mean that the disk is full
	if s.req.Part == "" || s.client.Direct {
		return false
	}
	if wrong, ok := errors.AsType[*sizeError](err); ok {
		return wrong.has < wrong.wants && (s.req.Offset == 0 || wrong.has > s.req.Offset+probeSize)
	}
	if up.bodyFailed {
		return s.ctx.Err() != nil || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, access.ErrTemporary)
	}
	return s.ctx.Err() != nil || s.broken || up.last.Code == aborted
}

// A sizeError says that the server has another size than was sent.
type sizeError struct{ has, wants int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("%v: the server has %d of %d bytes", errBroken, e.has, e.wants)
}

func (e *sizeError) Unwrap() error { return errBroken }

// sizeCheck asks for the size of a file, if the server has SIZE. Another one is a sizeError.
func (s *session) sizeCheck(name string, size int64) query {
	return query{"SIZE " + name, func(r access.Reply) error {
		if got := parseSize(strings.TrimSpace(r.Text)); r.Code == 213 && got != size {
			return &sizeError{got, size}
		}
		return nil
	}}
}

// partMark is before the random end of a temporary name.
const partMark = ".part-"

func randomDigits() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// checkRename checks before the upload whether the server allows renames. It
// sends RNFR for a file that does not exist. Servers that forbid renames answer
// with another error than "not found".
func (s *session) checkRename() error {
	if s.renameAllowed {
		return nil
	}
	r, err := s.do("RNFR " + engine.PartName(s.sent.Name, partMark+randomDigits()))
	if err != nil {
		return err
	}
	refused := s.refusal(r)
	if errors.Is(refused, fs.ErrPermission) || errors.Is(refused, errors.ErrUnsupported) {
		return withRemedy(refused, access.WriteInPlace)
	}
	s.renameAllowed = true
	return nil
}

// finalQueries returns the queries after an upload. They check the size, and
// set time and mode.
func (s *session) finalQueries(name string, size int64) []query {
	var list []query
	if s.currentType == "I" {
		list = append(list, s.sizeCheck(name, size))
	}
	if command := s.timeCommand(name); command != "" {
		list = append(list, query{command, func(r access.Reply) error {
			if reply.Is(r, 2) {
				s.storedTime = s.req.ModTime.Truncate(time.Second)
			}
			return nil
		}})
	}
	if mode := s.mode(); mode != "" {
		list = append(list, query{"SITE CHMOD " + mode + " " + name, func(r access.Reply) error { return s.expect(r, 2) }})
	}
	return list
}

// mode returns the permissions to set after an upload; "" if there are none.
func (s *session) mode() string {
	if perm := s.req.Mode.Perm(); perm != 0 {
		return strconv.FormatUint(uint64(perm), 8)
	}
	return s.client.Mode
}

// timeCommand returns the command that sets a file's time. It returns "" if the
// request has no time, or the server no command.
//
// QUIRK: vsftpd sets the time with MDTM instead of MFMT.
func (s *session) timeCommand(name string) string {
	if s.req.ModTime.IsZero() {
		return ""
	}
	verb := "MFMT"
	if s.vsftpd {
		verb = "MDTM"
	} else if has, err := s.hasFeature(verb); err != nil || !has {
		return ""
	}
	return verb + " " + s.req.ModTime.UTC().Format(timeLayout) + " " + name
}

// resume continues an upload that had no temporary name.
func (s *session) resume(body io.Reader) error {
	if err := s.checkOffset(s.sent.Name); err != nil {
		return err
	}
	if err := s.checkName(s.sent.Name); err != nil {
		return err
	}
	up, err := s.upload("STOR "+s.sent.Name, s.req.Offset, body)
	if err != nil {
		return err
	}
	return s.ask(s.finalQueries(s.sent.Name, s.req.Offset+up.bytesSent)...)
}

// checkOffset returns an error if an upload cannot continue at Request.Offset: the
// file of that name has another size, or the type is not I. If the server does not
// tell sizes, only a part cannot continue. An Offset of 0 always passes.
func (s *session) checkOffset(name string) error {
	if s.req.Offset <= 0 {
		return nil
	}
	if s.currentType != "I" {
		return engine.Reason("an upload can be resumed in type I only", errors.ErrUnsupported)
	}
	size, err := s.sizeOf(name)
	switch {
	case err != nil:
		return err
	case size < 0 && name != s.sent.Name:
		return engine.Reason("the server does not tell how much it has", errors.ErrUnsupported)
	case size >= 0 && size < s.req.Offset:
		return access.ErrRange
	case size > s.req.Offset:
		return access.ErrChanged
	}
	return nil
}

// append appends to the file that the URL names, or creates one in a directory.
func (s *session) append() (url.URL, error) {
	body, err := s.prepareUpload()
	if err != nil {
		return url.URL{}, err
	}
	if s.sent.Name == "" {
		return s.storeUnique(body)
	}
	before := int64(-1)
	if s.currentType == "I" {
		if before, err = s.size(); err != nil {
			return url.URL{}, err
		}
	}
	if before >= 0 {
		if err := s.checkName(s.sent.Name); err != nil {
			return url.URL{}, err
		}
	}
	up, err := s.upload("APPE "+s.sent.Name, 0, body)
	if err == nil && before >= 0 {
		return url.URL{}, s.ask(s.finalQueries(s.sent.Name, before+up.bytesSent)...)
	}
	if err == nil {
		err = s.checkName(s.sent.Name)
	}
	if errors.Is(err, errOtherName) && s.currentType == "I" { // SIZE had found no file of that name
		err = s.removePartial(s.sent.Name, err)
	}
	return url.URL{}, err
}

func (s *session) storeUnique(body io.Reader) (url.URL, error) {
	up, err := s.upload("STOU", 0, body)
	name := uniqueName(up)
	if err == nil && name != "" {
		err = s.ask(s.finalQueries(name, up.bytesSent)...)
	}
	if err != nil && name != "" {
		return url.URL{}, s.removePartial(name, err)
	}
	if err != nil || name == "" {
		return url.URL{}, err
	}
	here := s.listedDir()
	here.Name = s.client.decodeName(name)
	return here.URL(), nil
}

// uniqueName returns the name that the server picked: "150 FILE: name" (RFC
// 1123 §4.1.2.9). It returns "" if the server does not report it.
//
// QUIRK: others report it after the transfer: "226 Transfer complete (unique
// file name:name)".
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

// localName returns name, or "" if it has a directory in it.
func localName(name string) string {
	name = strings.TrimRight(name, "\r\n")
	if strings.ContainsAny(name, "/\n\x00") {
		return ""
	}
	return name
}

// A crlfReader reads r and adds a CR before each LF that has none (RFC 959
// §3.1.1.1).
type crlfReader struct {
	r         *bufio.Reader
	last      byte
	pendingLF bool  // the LF after an added CR comes next
	err       error // of r, returned after all bytes before it
}

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
