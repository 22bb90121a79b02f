package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"locus/internal/sentinel"
	"locus/proto/internal/message"
)

// An Outgoing is a message that is ready to send. It can be read once.
type Outgoing struct {
	From string   // the address to which delivery errors are sent
	To   []string // all recipients, without duplicates

	header []byte
	text   io.Reader    // the message after its header
	rewind func() error // seeks to the start of text; nil if that is impossible
}

// Errors of messages that cannot be sent.
var (
	ErrNoSender     = errors.New("the message has no From")
	ErrNoRecipients = errors.New("the message has no recipient: no To, Cc or Bcc")
)

// ReadOutgoing reads the header of a message (RFC 5322) and prepares it for sending. The Outgoing's
// From is sender, or else Sender or From of the message. Its To has the addresses in To, Cc and
// Bcc. Bcc and Resent-Bcc are removed. A missing date or message-id is added, with host. The text
// is read when the message is sent. The error is ErrNoSender or ErrNoRecipients if the message
// lacks addresses.
//
// If r is an [io.Seeker] and can seek, the text may be read twice, so that a server with the SIZE
// extension gets the size first.
func ReadOutgoing(r io.Reader, sender string, now time.Time, host string) (*Outgoing, error) {
	seeker, begin := seekable(r)
	rest := bufio.NewReaderSize(r, bufferSize)
	h, err := message.ReadHeader(rest, nil)
	if err != nil {
		return nil, err
	}
	m := &Outgoing{text: rest}
	if seeker != nil {
		m.rewind = func() error {
			_, err := seeker.Seek(begin+int64(len(h)), io.SeekStart)
			rest.Reset(r)
			return err
		}
	}
	if m.header, err = withoutBcc(h); err != nil {
		return nil, err
	}
	if m.From, err = envelopeSender(h, sender); err != nil {
		return nil, err
	}
	for _, name := range []string{"To", "Cc", "Bcc"} {
		list, err := fieldAddresses(h, name)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if !slices.Contains(m.To, a) {
				m.To = append(m.To, a)
			}
		}
	}
	if len(m.To) == 0 {
		return nil, ErrNoRecipients
	}
	if h.Get("Date") == "" {
		m.addField("Date", now.Format(time.RFC1123Z))
	}
	if h.Get("Message-Id") == "" {
		m.addField("Message-ID", "<"+rand.Text()+"@"+host+">")
	}
	return m, nil
}

// seekable returns r as a Seeker, and its current position at. s is nil if r cannot seek.
func seekable(r io.Reader) (s io.Seeker, at int64) {
	s, ok := r.(io.Seeker)
	if !ok {
		return nil, 0
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0
	}
	return s, at
}

// addField adds a field at the start of the header. name and value must be valid in a header.
func (m *Outgoing) addField(name, value string) {
	m.header = append([]byte(name+": "+value+"\r\n"), m.header...)
}

// withoutBcc returns the header h without its Bcc and Resent-Bcc fields, and with an empty line at
// its end. An invalid line is an error, because a server could read the next line as a header
// field.
func withoutBcc(h message.Header) ([]byte, error) {
	var b bytes.Buffer
	for f := range h.Fields() {
		name, _, ok := bytes.Cut(f, []byte(":"))
		if !ok || len(name) == 0 || bytes.ContainsFunc(bytes.TrimRight(name, " \t"), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return nil, fmt.Errorf("%q is not a header field", shorten(strings.TrimRight(string(f), "\r\n")))
		}
		if text := bytes.ReplaceAll(f, []byte("\r\n"), nil); bytes.ContainsAny(text, "\r\x00") {
			return nil, fmt.Errorf("the header field %q has CR or NUL in it", name)
		}
		if !f.HasName("Bcc") && !f.HasName("Resent-Bcc") {
			b.Write(f)
		}
	}
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteString("\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes(), nil
}

// envelopeSender returns sender, or the first address in the Sender or From field of h if sender
// is "". The error is ErrNoSender if there is no such address.
func envelopeSender(h message.Header, sender string) (string, error) {
	if sender != "" {
		return sender, checkAddress(sender)
	}
	for _, name := range []string{"Sender", "From"} {
		list, err := fieldAddresses(h, name)
		if err != nil {
			return "", err
		}
		if len(list) > 0 {
			return list[0], nil
		}
	}
	return "", ErrNoSender
}

// fieldAddresses returns the addresses in all fields of h with that name. The list is nil if h
// lacks the field.
func fieldAddresses(h message.Header, name string) ([]string, error) {
	var all []string
	for _, value := range h.All(name) {
		list, err := addresses(name, value)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// WriteTo writes the message in the form in which it is sent: without Bcc, with lines that end in
// CR LF. It returns the number of bytes of that form.
func (m *Outgoing) WriteTo(w io.Writer) (int64, error) {
	b := bufio.NewWriterSize(w, bufferSize)
	p := &limitWriter{w: b, remaining: -1}
	err := m.write(p)
	if err == nil {
		err = b.Flush()
	}
	return p.written, err
}

// write writes the message to w, with CR LF line ends and without flushing. It consumes the text.
func (m *Outgoing) write(w io.ByteWriter) error {
	lines := &crlfWriter{w: w}
	if _, err := io.Copy(lines, io.MultiReader(bytes.NewReader(m.header), m.text)); err != nil {
		return err
	}
	return lines.Close()
}

// size returns the number of bytes that WriteTo will write; -1 if the text can be read only once.
// It reads the text to count them, and seeks back to its start.
func (m *Outgoing) size() (int64, error) {
	if m.rewind == nil {
		return -1, nil
	}
	n, err := m.WriteTo(io.Discard)
	if err != nil {
		return -1, err
	}
	return n, m.rewind()
}

// A crlfWriter ends every line in CR LF. A lone CR or LF also ends a line, because programs differ
// in the way in which they read these.
type crlfWriter struct {
	w      io.ByteWriter
	last   byte
	inLine bool // the current line is not empty
}

// Write writes b with CR LF in place of each LF, CR and CR LF.
func (c *crlfWriter) Write(b []byte) (int, error) {
	for i := range b {
		if err := c.writeByte(b[i]); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

// writeByte writes b. It writes CR LF for a CR or an LF, but omits the LF of a CR LF, because the
// CR has already ended the line.
func (c *crlfWriter) writeByte(b byte) error {
	last := c.last
	c.last, c.inLine = b, b != '\n' && b != '\r'
	switch {
	case b == '\n' && last == '\r':
		return nil // the line has already ended
	case b == '\n', b == '\r':
		if err := c.w.WriteByte('\r'); err != nil {
			return err
		}
		return c.w.WriteByte('\n')
	}
	return c.w.WriteByte(b)
}

// Close ends the last line with CR LF if it is not empty. It does not close the underlying writer.
func (c *crlfWriter) Close() error {
	if !c.inLine {
		return nil
	}
	return c.writeByte('\n')
}

// Reasons why a server does not accept a message.
var (
	errEightBit = sentinel.New("the message has bytes beyond ASCII, and the server does not accept them (8BITMIME)", errors.ErrUnsupported)
	errTooLarge = errors.New("the message is larger than the server accepts")
	errChanged  = errors.New("the message changed while it was sent")
)

// A limitWriter enforces a server's limits (RFC 6152, RFC 1870) and counts bytes.
type limitWriter struct {
	w         io.ByteWriter
	asciiOnly bool  // other bytes are errors
	remaining int64 // the number of bytes still allowed; negative: no limit
	written   int64
}

// WriteByte writes b and counts it, unless a limit of the server forbids that. The error is then
// errTooLarge or errEightBit.
func (p *limitWriter) WriteByte(b byte) error {
	if p.asciiOnly && b >= 0x80 {
		return errEightBit
	}
	if p.remaining == 0 {
		return errTooLarge
	}
	p.remaining--
	p.written++
	return p.w.WriteByte(b)
}

// A dotWriter doubles a dot at the start of a line (RFC 5321 §4.5.2). Lines end in CR LF.
type dotWriter struct {
	w      io.ByteWriter
	inLine bool
}

// WriteByte writes b, and doubles a period at the start of a line, because a line "." ends the
// message (RFC 5321 §4.5.2).
func (d *dotWriter) WriteByte(b byte) error {
	if b == '.' && !d.inLine {
		if err := d.w.WriteByte('.'); err != nil {
			return err
		}
	}
	d.inLine = b != '\n'
	return d.w.WriteByte(b)
}
