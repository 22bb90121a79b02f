package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"locus/access"
)

// An Outgoing is a message that is ready to be sent. It is read once.
type Outgoing struct {
	From string   // the address that errors go to
	To   []string // every address that the message goes to, each once

	header []byte
	rest   io.Reader
	rewind func() error // goes back to the start of rest; nil where that cannot be
}

// Errors of a message that cannot be sent.
var (
	ErrNoSender     = errors.New("the message has no From")
	ErrNoRecipients = errors.New("the message goes to nobody: it has no To, Cc or Bcc")
)

// ReadOutgoing reads the header of a message (RFC 5322) and makes it ready to be
// sent: the addresses are taken from From (or Sender), To, Cc and Bcc; Bcc, and
// Resent-Bcc, are taken out; a date and a message-id of host are added if it has none. The text
// is read when the message is sent. sender, if it is not empty, is where errors
// go, instead of From.
//
// If r is an [io.Seeker], and can seek, the text may be read twice: a server that
// wants to know is told first how large the message is.
func ReadOutgoing(r io.Reader, sender string, now time.Time, host string) (*Outgoing, error) {
	seeker, begin := seekable(r)
	rest := bufio.NewReaderSize(r, bufferSize)
	h, err := readHeader(rest, nil)
	if err != nil {
		return nil, err
	}
	m := &Outgoing{rest: rest}
	if seeker != nil {
		m.rewind = func() error {
			_, err := seeker.Seek(begin+int64(len(h)), io.SeekStart)
			rest.Reset(r)
			return err
		}
	}
	if m.header, err = cleaned(h); err != nil {
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
		m.add("Date", now.Format(time.RFC1123Z))
	}
	if h.Get("Message-Id") == "" {
		m.add("Message-ID", "<"+rand.Text()+"@"+host+">")
	}
	return m, nil
}

// seekable returns r, and where in it the next octet is, if it can seek.
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

func (m *Outgoing) add(name, value string) {
	m.header = append([]byte(name+": "+value+"\r\n"), m.header...)
}

// cleaned returns a header without Bcc and Resent-Bcc, ended by an empty line. A line that
// is no header field is an error: what follows it could be one.
func cleaned(h header) ([]byte, error) {
	var b bytes.Buffer
	for f := range h.fields() {
		name, _, ok := bytes.Cut(f, []byte(":"))
		if !ok || len(name) == 0 || bytes.ContainsFunc(bytes.TrimRight(name, " \t"), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return nil, fmt.Errorf("%q is no header field", clip(strings.TrimRight(string(f), "\r\n")))
		}
		if text := bytes.ReplaceAll(f, []byte("\r\n"), nil); bytes.ContainsAny(text, "\r\x00") {
			return nil, fmt.Errorf("the header field %q has CR or NUL in it", name)
		}
		if !f.is("Bcc") && !f.is("Resent-Bcc") {
			b.Write(f)
		}
	}
	if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n")) {
		b.WriteString("\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes(), nil
}

func envelopeSender(h header, sender string) (string, error) {
	if sender != "" {
		return sender, judgeAddress(sender)
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

// fieldAddresses returns the addresses in every field of that name.
func fieldAddresses(h header, name string) ([]string, error) {
	var all []string
	for _, value := range h.all(name) {
		if value == "" {
			continue
		}
		list, err := netmail.ParseAddressList(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, clip(value), errAddress)
		}
		for _, a := range list {
			if err := judgeAddress(a.Address); err != nil {
				return nil, err
			}
			all = append(all, a.Address)
		}
	}
	return all, nil
}

// WriteTo writes the message as it is sent: without Bcc, with lines that end in
// CR LF whatever they ended in.
func (m *Outgoing) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: bufio.NewWriterSize(w, bufferSize)}
	err := m.write(c)
	if err == nil {
		err = c.w.Flush()
	}
	return c.n, err
}

func (m *Outgoing) write(w io.ByteWriter) error {
	lines := &crlf{w: w}
	if _, err := io.Copy(lines, io.MultiReader(bytes.NewReader(m.header), m.rest)); err != nil {
		return err
	}
	return lines.Close()
}

// size returns how many octets WriteTo will write; -1 if only writing them tells.
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

type counter struct {
	w *bufio.Writer
	n int64
}

func (c *counter) WriteByte(b byte) error {
	c.n++
	return c.w.WriteByte(b)
}

// A crlf ends every line in CR LF: those that end in LF or CR alone, too, which
// another program could take for the end of a line or not.
type crlf struct {
	w      io.ByteWriter
	last   byte
	inLine bool // there is something on the line
}

// Write writes b, with its lines ended.
func (c *crlf) Write(b []byte) (int, error) {
	for i, octet := range b {
		if err := c.writeByte(octet); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

func (c *crlf) writeByte(b byte) error {
	last := c.last
	c.last, c.inLine = b, b != '\n' && b != '\r'
	switch {
	case b == '\n' && last == '\r':
		return nil // the line has ended
	case b == '\n', b == '\r':
		if err := c.w.WriteByte('\r'); err != nil {
			return err
		}
		return c.w.WriteByte('\n')
	}
	return c.w.WriteByte(b)
}

// Close ends the last line.
func (c *crlf) Close() error {
	if !c.inLine {
		return nil
	}
	return c.writeByte('\n')
}

// What a server does not take of a message.
var (
	errEightBit = access.Reason("the message has octets beyond ASCII, and the server takes none (8BITMIME)", errors.ErrUnsupported)
	errTooLarge = errors.New("the message is larger than the server takes")
	errChanged  = errors.New("the message was changed while it was sent")
)

// A permitted writer takes what a server takes (RFC 6152, RFC 1870).
type permitted struct {
	w     io.ByteWriter
	ascii bool  // only that
	left  int64 // how much more; below 0 is any
	taken int64
}

// WriteByte writes one octet.
func (p *permitted) WriteByte(b byte) error {
	if p.ascii && b >= 0x80 {
		return errEightBit
	}
	if p.left == 0 {
		return errTooLarge
	}
	p.left--
	p.taken++
	return p.w.WriteByte(b)
}

// A dotted doubles a dot at the start of a line (RFC 5321 §4.5.2). Lines end in
// CR LF.
type dotted struct {
	w      io.ByteWriter
	inLine bool
}

// WriteByte writes one octet.
func (d *dotted) WriteByte(b byte) error {
	if b == '.' && !d.inLine {
		if err := d.w.WriteByte('.'); err != nil {
			return err
		}
	}
	d.inLine = b != '\n'
	return d.w.WriteByte(b)
}
