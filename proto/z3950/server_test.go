package z3950_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"locus/access/accesstest"
	"locus/internal/ber"
)

// answering returns a server that sends the result of reply for each message. It closes the
// connection after "", and after an incomplete message, unless the message is stalled.
func answering(reply func(m ber.Element) string) accesstest.Script {
	return accesstest.Script{func(c *accesstest.Conn) error {
		r := bufio.NewReader(c)
		for {
			var b bytes.Buffer
			if err := ber.Read(r, &b, 1<<20); err != nil {
				return nil //nolint:nilerr // the client has closed
			}
			m, _, err := ber.Parse(b.Bytes())
			if err != nil {
				return err
			}
			answer := reply(m)
			if answer == "" {
				return nil
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return nil //nolint:nilerr // the client has closed
			}
			if _, _, err := ber.Parse([]byte(answer)); err != nil && answer != stalled {
				return nil // an incomplete message is the last
			}
		}
	}}
}

// stalled is the start of a message that does not go on.
const stalled = "\xb9\x82"

// build returns a message.
func build(tag uint32, inside func(b *ber.Builder)) string {
	var b ber.Builder
	b.In(tag, inside)
	return string(b.Bytes())
}

// accepts returns an Init response that accepts. options are the bits of Options.
func accepts(options ...int) string {
	return build(21, func(b *ber.Builder) {
		b.Bits(3, 3, 0, 1, 2)
		b.Bits(4, 15, append(options, 0, 1)...)
		b.Int(5, 1<<20)
		b.Int(6, 1<<20)
		b.Bool(12, true)
		b.Text(111, "toy")
		b.Text(112, "1.0")
	})
}

// found returns a search response.
func found(hits int64) string {
	return build(23, func(b *ber.Builder) {
		b.Int(23, hits)
		b.Int(24, 0)
		b.Int(25, 1)
		b.Bool(22, true)
	})
}

// diagnosed writes the tagged diagnostic of a search or a present.
func diagnosed(b *ber.Builder, tag uint32, condition int64, detail string) {
	b.In(tag, func(b *ber.Builder) {
		b.OID("1.2.840.10003.4.1")
		b.Integer(condition)
		b.Primitive(ber.Universal, ber.TagVisible, []byte(detail))
	})
}

// refused returns a search response with a diagnostic.
func refused(condition int64, detail string) string {
	return build(23, func(b *ber.Builder) {
		b.Int(23, 0)
		b.Int(24, 0)
		b.Int(25, 0)
		b.Bool(22, false)
		diagnosed(b, 130, condition, detail)
	})
}

// presented returns a present response with records.
func presented(records ...func(*ber.Builder)) string {
	return build(25, func(b *ber.Builder) {
		b.Int(24, int64(len(records)))
		b.Int(25, 0)
		b.Int(27, 0)
		b.In(28, func(b *ber.Builder) {
			for _, r := range records {
				b.Sequence(r)
			}
		})
	})
}

// notPresented returns a present response with a diagnostic.
func notPresented(condition int64) string {
	return build(25, func(b *ber.Builder) {
		b.Int(24, 0)
		b.Int(25, 0)
		b.Int(27, 5)
		diagnosed(b, 130, condition, "")
	})
}

// rawBytes writes a record that consists of bytes.
func rawBytes(syntax, data string) func(*ber.Builder) {
	return external(syntax, func(b *ber.Builder) { b.Text(1, data) })
}

// external writes a record.
func external(syntax string, content func(*ber.Builder)) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.Text(0, "db")
		b.In(1, func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
					b.OID(syntax)
					content(b)
				})
			})
		})
	}
}

const (
	usmarc = "1.2.840.10003.5.10"
	sutrs  = "1.2.840.10003.5.101"
	grs1   = "1.2.840.10003.5.105"
	xmlOID = "1.2.840.10003.5.109.10"
)

// plain writes a SUTRS record.
func plain(text string) func(*ber.Builder) {
	return external(sutrs, func(b *ber.Builder) {
		b.In(0, func(b *ber.Builder) { b.Primitive(ber.Universal, ber.TagGeneral, []byte(text)) })
	})
}

// instead writes a diagnostic that replaces a record.
func instead(condition int64) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.Text(0, "db")
		b.In(1, func(b *ber.Builder) {
			b.In(2, func(b *ber.Builder) {
				b.Sequence(func(b *ber.Builder) {
					b.OID("1.2.840.10003.4.1")
					b.Integer(condition)
					b.Primitive(ber.Universal, ber.TagVisible, nil)
				})
			})
		})
	}
}

// termOf returns the term of a search or a scan.
func termOf(e ber.Element) (text string) {
	if e.Is(45) {
		return e.Text()
	}
	_ = e.Each(func(part ber.Element) error {
		if text == "" {
			text = termOf(part)
		}
		return nil
	})
	return text
}

// number returns the number with a tag in a request.
func number(m ber.Element, tag uint32) int64 {
	e, _ := m.Find(tag)
	n, _ := e.Int()
	return n
}

// catalogue returns a server whose records are named by their docids.
func catalogue() accesstest.Script {
	return accesstest.Script{func(c *accesstest.Conn) error { return shelf()[0](c) }}
}

// shelf returns the catalogue for one connection, which remembers the term of its last search.
func shelf() accesstest.Script {
	last := ""
	return answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			if id, ok := m.Find(7); ok && id.IsConstructed {
				return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
			}
			return accepts()
		case 22:
			last = termOf(m)
			return found(map[string]int64{"object": 1, "two": 2, "truncated": 1, "many": 100}[last])
		case 24:
			start, count := number(m, 30), number(m, 29)
			switch {
			case last == "truncated":
				return presented(plain("hello, world"))[:30]
			case last == "many" && start > 1:
				return stalled
			case last == "many":
				return presented(sevenTimes(count)...)
			case last == "two":
				return presented(plain("One\nmore"), plain("Two"))
			}
			return presented(plain("hello, world"))
		}
		return ""
	})
}

func sevenTimes(n int64) (records []func(*ber.Builder)) {
	for i := range n {
		records = append(records, plain(fmt.Sprint("record ", i)))
	}
	return records
}

// scripted returns a server that accepts the Init, and then sends these replies, one for each
// request. After the last one it closes.
func scripted(answers ...string) accesstest.Script {
	n := -1
	return answering(func(m ber.Element) string {
		if m.Tag == 20 {
			return accepts(7, 8)
		}
		if n++; n < len(answers) {
			return answers[n]
		}
		return ""
	})
}
