package imapwire

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/wire"
)

// A Section names the bytes of a message to fetch. The zero Section is the whole message.
type Section struct {
	Name    string // as in "1.2" or "HEADER"
	Partial bool   // only Length bytes from the byte From
	From    uint32
	Length  uint32
}

// item returns the name of the section, such as "BODY[1.2]". With peek ".PEEK" it is the name in a command, which
// leaves the message unread. With peek "" it is the name in the response.
func (s Section) item(peek string) string {
	item := "BODY" + peek + "[" + s.Name + "]"
	switch {
	case !s.Partial:
		return item
	case peek == "":
		return item + "<" + strconv.FormatUint(uint64(s.From), 10) + ">"
	}
	return fmt.Sprintf("%s<%d.%d>", item, s.From, s.Length)
}

// Fetch asks for the bytes of the message with this UID and reads the response up to the bytes. The Bytes then own
// the connection. The error wraps fs.ErrNotExist if the server does not mention the bytes, because the message was
// deleted (RFC 3501 §6.4.8).
func (c *Conn) Fetch(uid string, s Section) (*Bytes, error) {
	tag, err := c.send("UID FETCH", Plain(uid), Plain("("+s.item(".PEEK")+")"))
	if err != nil {
		return nil, err
	}
	want := strings.ToUpper(s.item(""))
	missing := engine.Reason("the server does not have the message any more", fs.ErrNotExist)
	for size := 0; size < maxAnswer; {
		line, err := c.readLine()
		if err != nil {
			return nil, err
		}
		n, literal := literalSize(line)
		if literal && strings.Contains(strings.ToUpper(line), want+" {") {
			return &Bytes{c: c, tag: tag, text: io.LimitReader(c.r, n), remaining: n, Size: n}, nil
		}
		if done, err := c.checkDone(line, tag); done {
			return nil, cmp.Or(err, missing)
		}
		if literal {
			return nil, fmt.Errorf("%w: an unexpected literal", access.ErrProtocol)
		}
		if row, ok := ParseRow(line); ok && row.HasBytes {
			n := int64(len(row.Bytes))
			return &Bytes{c: c, tag: tag, text: strings.NewReader(row.Bytes), remaining: n, Size: n}, nil
		}
		if strings.Contains(strings.ToUpper(line), "BODY[") {
			missing = fmt.Errorf("%w: the message was not sent", access.ErrProtocol)
		}
		size += len(line)
	}
	return nil, fmt.Errorf("%w: a response of more than %d bytes", access.ErrTooLong, maxAnswer)
}

// Bytes reads the bytes of a message. Close closes the connection.
type Bytes struct {
	Size int64 // as the server has announced it

	c         *Conn
	tag       string    // the tag of the command that fetches the message
	text      io.Reader // the bytes
	remaining int64     // the bytes of text that are not read yet
	err       error     // the error of every further Read; nil before the end
}

// Read reads the message. It returns io.EOF only after the server has confirmed the end.
func (m *Bytes) Read(b []byte) (int, error) {
	if m.remaining == 0 && m.err == nil {
		m.err = m.finish()
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.text.Read(b)
	m.remaining -= int64(n)
	return n, wire.Early(err)
}

// finish reads the responses after the bytes of the message, up to the end of the command. It returns io.EOF if the
// command succeeded, and never nil.
func (m *Bytes) finish() error {
	m.c.restartProgress()
	for size := 0; ; {
		answer, err := m.c.readResponse(maxAnswer - size)
		if err != nil {
			return err
		}
		size += len(answer)
		if strings.HasPrefix(answer, m.tag+" ") {
			_, err := m.c.checkDone(answer, m.tag)
			return cmp.Or(err, io.EOF)
		}
	}
}

// Close closes the connection.
func (m *Bytes) Close() error { return m.c.Close() }
