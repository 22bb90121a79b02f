package mail

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/quotedprintable"
	netmail "net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A Draft is a message that is being written. Every text in it is decoded; what
// stands in a header field holds no control characters.
type Draft struct {
	From        string // an address; "" leaves the field out
	To, Cc, Bcc []string
	Subject     string
	InReplyTo   []string // message-ids, without angle brackets
	References  []string
	Keywords    string
	Comments    string
	Body        string // lines end in LF

	// Dropped names the fields of a mailto URL that did not become part of the
	// draft, as written there and in their order.
	Dropped []string
}

// ReadMailto returns the draft that a mailto URL asks for (RFC 6068). CR, LF
// and NUL in a header field, even one that is dropped, and NUL in the body are
// errors.
//
//	mailto:a@b.example,c@d.example?subject=Hello%20there&cc=e@f.example
//	       \_____________________/ \____________________________________/
//	              addresses            header fields, "body" among them
//
// Fields that are not known to be safe are dropped, and so is a second one of those
// that hold one text.
func ReadMailto(u url.URL) (*Draft, error) {
	v, err := scheme.ParseMailto(u)
	if err != nil {
		return nil, err
	}
	d := &Draft{}
	if d.To, err = addresses("to", v.Address); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for field := range strings.SplitSeq(v.Fields.Text, "&") {
		if field == "" {
			continue
		}
		if err := d.add(field, seen); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// add adds one "name=value" of a mailto URL.
func (d *Draft) add(field string, seen map[string]bool) error {
	written, rest, _ := strings.Cut(field, "=")
	name, err := url.Unescape(written)
	if err != nil {
		return err
	}
	value, err := url.Unescape(rest)
	if err != nil {
		return err
	}
	name = strings.ToLower(name)
	if name == "body" {
		return d.addBody(value)
	}
	if err := wire.CheckText("header field name", name); err != nil {
		return err
	}
	if err := wire.CheckText(fmt.Sprintf("header field %q", name), value); err != nil {
		return err
	}
	switch name {
	case "subject", "in-reply-to", "keywords", "comments":
		if seen[name] {
			d.Dropped = append(d.Dropped, name)
			return nil
		}
	}
	seen[name] = true
	return d.addField(name, value)
}

// addField adds a header field, if it is one that is safe.
func (d *Draft) addField(name, value string) error {
	var err error
	var list []string
	switch name {
	case "to", "cc", "bcc":
		if list, err = addresses(name, value); err != nil {
			return err
		}
	case "in-reply-to", "references":
		if list, err = messageIDs(name, value); err != nil {
			return err
		}
	case "subject", "keywords", "comments":
		value = headerText(value)
	}
	switch name {
	case "to":
		d.To = append(d.To, list...)
	case "cc":
		d.Cc = append(d.Cc, list...)
	case "bcc":
		d.Bcc = append(d.Bcc, list...)
	case "in-reply-to":
		d.InReplyTo = list
	case "references":
		d.References = append(d.References, list...)
	case "subject":
		d.Subject = value
	case "keywords":
		d.Keywords = value
	case "comments":
		d.Comments = value
	default:
		d.Dropped = append(d.Dropped, strings.ToValidUTF8(name, "\uFFFD"))
	}
	return nil
}

// addBody adds to the text, line by line.
func (d *Draft) addBody(value string) error {
	if i := strings.IndexByte(value, 0); i >= 0 {
		return &wire.ArgumentError{What: "body", Byte: 0, Offset: i, Ends: "text"}
	}
	value = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(value, "\uFFFD"))
	if d.Body != "" {
		d.Body += "\n"
	}
	d.Body += value
	return nil
}

// headerText returns a text without what may not stand in a header field.
func headerText(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(value, "\uFFFD"))
}

// maxAddress is how long an address may be (RFC 5321 §4.5.3.1).
const maxAddress = 64 + 1 + 255

// addresses reads addresses with commas between them. Their display names, if
// any, are left out.
func addresses(name, text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, wire.CheckText(name, text)
	}
	if err := wire.CheckText(name, text); err != nil {
		return nil, err
	}
	list, err := netmail.ParseAddressList(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no list of addresses: %w", clip(text), errAddress)
	}
	var all []string
	for _, a := range list {
		if err := judgeAddress(a.Address); err != nil {
			return nil, err
		}
		all = append(all, a.Address)
	}
	return all, nil
}

var errAddress = errors.New("want user@host, several with commas between them")

// judgeAddress refuses what could not be written into a header or a command.
func judgeAddress(a string) error {
	if len(a) > maxAddress {
		return fmt.Errorf("an address of %d octets: %w", len(a), errAddress)
	}
	if !utf8.ValidString(a) {
		return fmt.Errorf("%q: %w", a, errAddress)
	}
	for _, r := range a {
		if r < ' ' || r == 0x7f {
			return fmt.Errorf("%q: %w", a, errAddress)
		}
	}
	return nil
}

// bracketed returns an address as it is written: <user@host>, with the quotes
// that it needs.
func bracketed(address string) string { return (&netmail.Address{Address: address}).String() }

// messageIDs reads ids in angle brackets, or one without.
func messageIDs(name, value string) ([]string, error) {
	var ids []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(value, "><", "> <")) {
		id := strings.TrimSuffix(strings.TrimPrefix(word, "<"), ">")
		if u, err := url.Parse("mid:" + url.Escape(id, url.Octets(""))); err != nil || !isMessageID(u) || len(id) > 900 {
			return nil, fmt.Errorf("%s: %q is no message-id", name, clip(word))
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func isMessageID(u url.URL) bool {
	v, err := scheme.ParseMid(u)
	return err == nil && !strings.ContainsFunc(v.MessageID, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// Write writes the draft as a message (RFC 5322) whose lines end in CR LF.
// now is its date, host the right side of its new message-id. Bcc is written
// too: [ReadOutgoing] takes it out. A draft whose addresses or ids are none is an
// error, and nothing is written.
func (d *Draft) Write(w io.Writer, now time.Time, host string) error {
	if err := d.check(host); err != nil {
		return err
	}
	var b bytes.Buffer
	field := func(name, value string) { b.WriteString(name + ": " + value + "\r\n") }
	field("Date", now.Format(time.RFC1123Z))
	for _, f := range []struct {
		name string
		list []string
	}{{"From", one(d.From)}, {"To", d.To}, {"Cc", d.Cc}, {"Bcc", d.Bcc}} {
		if len(f.list) > 0 {
			field(f.name, strings.Join(each(f.list, bracketed), ",\r\n "))
		}
	}
	for _, f := range []struct{ name, text string }{
		{"Subject", d.Subject}, {"Keywords", d.Keywords}, {"Comments", d.Comments},
	} {
		if f.text != "" {
			field(f.name, encodedText(len(f.name)+2, f.text))
		}
	}
	for _, f := range []struct {
		name string
		ids  []string
	}{{"In-Reply-To", d.InReplyTo}, {"References", d.References}, {"Message-ID", one(rand.Text() + "@" + host)}} {
		if len(f.ids) > 0 {
			field(f.name, strings.Join(each(f.ids, func(id string) string { return "<" + id + ">" }), "\r\n "))
		}
	}
	field("MIME-Version", "1.0")
	field("Content-Type", "text/plain; charset=utf-8")
	writeText(&b, d.Body)
	_, err := b.WriteTo(w)
	return err
}

// check refuses what would be another header field than it is meant to be.
func (d *Draft) check(host string) error {
	for _, a := range slices.Concat(one(d.From), d.To, d.Cc, d.Bcc) {
		if list, err := addresses("address", bracketed(a)); err != nil || len(list) != 1 || list[0] != a {
			return fmt.Errorf("%q: %w", clip(a), errAddress)
		}
	}
	for _, id := range slices.Concat(d.InReplyTo, d.References, one("id@"+host)) {
		if list, err := messageIDs("message-id", id); err != nil || len(list) != 1 || list[0] != id {
			return fmt.Errorf("%q is no message-id", clip(id))
		}
	}
	return nil
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func each(list []string, do func(string) string) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = do(s)
	}
	return all
}

// writeText writes the encoding, the end of the header, and the text.
func writeText(b *bytes.Buffer, text string) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text = strings.ReplaceAll(text, "\n", "\r\n")
	if isPlainText(text) {
		b.WriteString("Content-Transfer-Encoding: 7bit\r\n\r\n" + text)
		return
	}
	b.WriteString("Content-Transfer-Encoding: quoted-printable\r\n\r\n")
	w := quotedprintable.NewWriter(b)
	_, _ = io.WriteString(w, text) // to memory
	_ = w.Close()
}

// isPlainText reports whether a text may be sent as it is: ASCII, in lines that
// are not too long (RFC 5322 §2.1.1).
func isPlainText(text string) bool {
	for l := range strings.Lines(text) {
		if len(l) > 800 {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\r' && r != '\n' && r != '\t' })
}

// encodedText returns a text as it stands in a header field: folded, and in
// encoded words (RFC 2047) where it is not ASCII or could be taken for them.
// used is how much of the first line is taken.
func encodedText(used int, text string) string {
	const width = 76
	words := strings.Split(text, " ")
	long := slices.ContainsFunc(words, func(w string) bool { return len(w) > width-used })
	void := slices.Contains(words, "") // white space at an end, or where a line is folded, may be lost
	if long || void || strings.Contains(text, "=?") || strings.ContainsAny(text, "\t\r\n") || !isPlainText(text) {
		return encodedWords(text)
	}
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case used+1+len(w) > width:
			b.WriteString("\r\n ")
			used = 1
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(w)
		used += len(w)
	}
	return b.String()
}

// encodedWords returns a text as encoded words in base64, one a line.
func encodedWords(text string) string {
	const most = 42 // octets in a word of 75
	text = strings.ToValidUTF8(text, "\uFFFD")
	var words []string
	for text != "" {
		n := min(most, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return strings.Join(words, "\r\n ")
}
