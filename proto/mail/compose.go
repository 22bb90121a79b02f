package mail

import (
	"bytes"
	"cmp"
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

// A Draft is a message to write. All texts are decoded. Texts for header fields have no control
// characters.
type Draft struct {
	From        string // an address; "" omits the field
	To, Cc, Bcc []string
	Subject     string
	InReplyTo   []string // without angle brackets
	References  []string
	Keywords    string
	Comments    string
	Body        string // lines end in LF

	// Dropped has the names of the fields in the mailto URL that were not used, in
	// their order.
	Dropped []string
}

// IsAddress reports whether [ReadDraft] reads URLs with the scheme of u: mailto and mailserver.
func IsAddress(u url.URL) bool { return u.Scheme() == "mailto" || u.Scheme() == "mailserver" }

// ReadDraft returns the draft that a mailto or a mailserver URL describes: see
// [ReadMailto] and [scheme.Mailserver].
func ReadDraft(u url.URL) (*Draft, error) {
	if u.Scheme() != "mailserver" {
		return ReadMailto(u)
	}
	v, err := scheme.ParseMailserver(u)
	if err != nil {
		return nil, err
	}
	return ReadMailto(v.Mailto().URL())
}

// ReadMailto returns the draft that a mailto URL describes (RFC 6068). A fold in a quoted string of
// the address means a space (RFC 822 §3.3). CR, LF and NUL are errors in every field but the body,
// even if the field is dropped. NUL in the body is an error too.
//
//	mailto:a@b.example,c@d.example?subject=Hello%20there&cc=e@f.example
//	       \_____________________/ \____________________________________/
//	              addresses            header fields, "body" among them
//
// Fields that are not known to be safe are dropped. So are repeated fields that may occur only
// once.
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

// add adds field, one "name=value" of a mailto URL, to d. seen has the names of the fields before
// it, and gets this name. The name of an unknown field, or of a repeated field that may occur only
// once, goes to Dropped.
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
	lists := map[string]*[]string{"to": &d.To, "cc": &d.Cc, "bcc": &d.Bcc, "references": &d.References, "in-reply-to": &d.InReplyTo}
	texts := map[string]*string{"subject": &d.Subject, "keywords": &d.Keywords, "comments": &d.Comments}
	list, isList := lists[name]
	text, isText := texts[name]
	isRepeated := seen[name] && (isText || name == "in-reply-to")
	seen[name] = true
	switch {
	case isRepeated, !isList && !isText:
		d.Dropped = append(d.Dropped, strings.ToValidUTF8(name, "\uFFFD"))
	case isText:
		*text = replaceControls(value)
	default:
		parse := addresses
		if name == "references" || name == "in-reply-to" {
			parse = messageIDs
		}
		more, err := parse(name, value)
		if err != nil {
			return err
		}
		*list = append(*list, more...)
	}
	return nil
}

// addBody appends value to Body, after a line break if Body is not empty. It converts the line
// ends in value to LF. A NUL in value is an error.
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

// replaceControls replaces control characters and invalid UTF-8 by U+FFFD, because header fields
// must not have them. A tab stays.
func replaceControls(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(value, "\uFFFD"))
}

// maxAddress limits an address (RFC 5321 §4.5.3.1).
const maxAddress = 64 + 1 + 255

// linearSpace replaces linear white space by a space, its meaning (RFC 822 §3.3). Only quoted
// strings in an address keep it.
var linearSpace = strings.NewReplacer("\r\n ", " ", "\r\n\t", " ", "\t", " ")

// addresses parses a list of addresses separated by commas, and returns them without display
// names. It returns nil for a text of white space. name is the name of the field in errors, which
// wrap errAddress if the text is not such a list.
func addresses(name, text string) ([]string, error) {
	text = linearSpace.Replace(text)
	if err := wire.CheckText(name, text); err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	list, err := netmail.ParseAddressList(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %q is not a list of addresses: %w", name, shorten(text), errAddress)
	}
	var all []string
	for _, a := range list {
		if err := checkAddress(a.Address); err != nil {
			return nil, err
		}
		all = append(all, a.Address)
	}
	return all, nil
}

// errAddress is the kind of the errors about invalid addresses, which wrap it.
var errAddress = errors.New("want user@host, or several separated by commas")

// checkAddress returns an error if the address a is too long, or has control characters or invalid
// UTF-8, so that it cannot be written into a header or a command.
func checkAddress(a string) error {
	if len(a) > maxAddress {
		return fmt.Errorf("an address of %d bytes: %w", len(a), errAddress)
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

// formatAddress returns the address in angle brackets, with its left side quoted if necessary.
func formatAddress(address string) string { return (&netmail.Address{Address: address}).String() }

// messageIDs parses a list of message-ids in angle brackets, or one id without them, and returns
// the ids without brackets. name is the name of the field in errors.
func messageIDs(name, value string) ([]string, error) {
	var ids []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(value, "><", "> <")) {
		id := strings.TrimSuffix(strings.TrimPrefix(word, "<"), ">")
		if u, err := url.Parse("mid:" + url.Escape(id, url.Set{})); err != nil || !isMessageID(u) || len(id) > 900 {
			return nil, fmt.Errorf("%s: %q is not a message-id", name, shorten(word))
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// isMessageID reports whether u is a mid URL whose message-id is printable ASCII without spaces.
func isMessageID(u url.URL) bool {
	v, err := scheme.ParseMid(u)
	return err == nil && !strings.ContainsFunc(v.MessageID, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// Write writes the draft as a message (RFC 5322), with lines that end in CR LF. now is its date,
// and host the right side of its message-id; if host is "", Write uses the host of From, which the
// message shows anyway, or "localhost". Bcc is written too; [ReadOutgoing] removes it. If an
// address or id is invalid, Write returns an error before it writes a byte.
func (d *Draft) Write(w io.Writer, now time.Time, host string) error {
	host = cmp.Or(host, idHost(d.From))
	if err := d.check(host); err != nil {
		return err
	}
	var b bytes.Buffer
	field := func(name, value string) { b.WriteString(name + ": " + value + "\r\n") }
	field("Date", now.Format(time.RFC1123Z))
	for _, f := range []struct {
		name string
		list []string
	}{{"From", nonEmpty(d.From)}, {"To", d.To}, {"Cc", d.Cc}, {"Bcc", d.Bcc}} {
		if len(f.list) > 0 {
			field(f.name, strings.Join(mapAll(f.list, formatAddress), ",\r\n "))
		}
	}
	for _, f := range []struct{ name, text string }{
		{"Subject", d.Subject}, {"Keywords", d.Keywords}, {"Comments", d.Comments},
	} {
		if f.text != "" {
			field(f.name, encodeText(len(f.name)+2, f.text))
		}
	}
	for _, f := range []struct {
		name string
		ids  []string
	}{{"In-Reply-To", d.InReplyTo}, {"References", d.References}, {"Message-ID", nonEmpty(rand.Text() + "@" + host)}} {
		if len(f.ids) > 0 {
			field(f.name, strings.Join(mapAll(f.ids, func(id string) string { return "<" + id + ">" }), "\r\n "))
		}
	}
	field("MIME-Version", "1.0")
	field("Content-Type", "text/plain; charset=utf-8")
	writeText(&b, d.Body)
	_, err := b.WriteTo(w)
	return err
}

// idHost returns the host of an address, for use in a message-id. An address without "@" is a
// host. The result is "localhost" if the host is empty or contains a character that a message-id
// cannot contain.
func idHost(address string) string {
	host := address[strings.LastIndexByte(address, '@')+1:]
	if host == "" || strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("[]<>", r) }) {
		return "localhost"
	}
	return host
}

// check returns an error if an address or id of the draft, or host as the right side of a
// message-id, is invalid, because such a text could add header fields.
func (d *Draft) check(host string) error {
	for _, a := range slices.Concat(nonEmpty(d.From), d.To, d.Cc, d.Bcc) {
		if list, err := addresses("address", formatAddress(a)); err != nil || len(list) != 1 || list[0] != a {
			return fmt.Errorf("%q: %w", shorten(a), errAddress)
		}
	}
	for _, id := range slices.Concat(d.InReplyTo, d.References, nonEmpty("id@"+host)) {
		if list, err := messageIDs("message-id", id); err != nil || len(list) != 1 || list[0] != id {
			return fmt.Errorf("%q is not a message-id", shorten(id))
		}
	}
	return nil
}

// nonEmpty returns a list whose only element is s; nil if s is "".
func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// mapAll returns a new list with the results of do for the strings of list, in order.
func mapAll(list []string, do func(string) string) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = do(s)
	}
	return all
}

// writeText appends the field Content-Transfer-Encoding, the empty line that ends the header, and
// the encoded text to b. The lines of text end in LF, and the written lines in CR LF.
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
	_, _ = io.WriteString(w, text) // b is in memory, so writing does not fail
	_ = w.Close()
}

// isPlainText reports whether a text can be sent without an encoding: printable ASCII, with lines
// of at most 800 bytes, although RFC 5322 §2.1.1 allows 998.
func isPlainText(text string) bool {
	for l := range strings.Lines(text) {
		if len(l) > 800 {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\r' && r != '\n' && r != '\t' })
}

// encodeText returns text for a header field, folded into lines with CR LF. It uses encoded words
// (RFC 2047) if the text is not ASCII, looks like encoded words, or would change if it were
// folded. used is the number of characters before the text on its first line.
func encodeText(used int, text string) string {
	const width = 76
	words := strings.Split(text, " ")
	hasLong := slices.ContainsFunc(words, func(w string) bool { return len(w) > width-used })
	hasEmpty := slices.Contains(words, "") // a space at an end, or at a fold, may be lost
	if hasLong || hasEmpty || strings.Contains(text, "=?") || strings.ContainsAny(text, "\t\r\n") || !isPlainText(text) {
		return encodeWords(text)
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

// encodeWords returns text as base64 encoded words (RFC 2047), one per line.
func encodeWords(text string) string {
	const maxBytes = 42 // an encoded word has at most 75 characters
	text = strings.ToValidUTF8(text, "\uFFFD")
	var words []string
	for text != "" {
		n := min(maxBytes, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return strings.Join(words, "\r\n ")
}

// shorten returns the first 200 bytes of s, or s if it is shorter.
func shorten(s string) string { return s[:min(len(s), 200)] }
