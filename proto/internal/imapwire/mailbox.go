package imapwire

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// EncodeMailbox encodes the name of a mailbox in modified UTF-7 (RFC 3501 §5.1.3).
func EncodeMailbox(name string) string {
	var b strings.Builder
	var wide []rune
	flush := func() {
		if len(wide) == 0 {
			return
		}
		var bytes []byte
		for _, u := range utf16.Encode(wide) {
			bytes = binary.BigEndian.AppendUint16(bytes, u)
		}
		b.WriteString("&" + strings.ReplaceAll(base64.RawStdEncoding.EncodeToString(bytes), "/", ",") + "-")
		wide = nil
	}
	for _, r := range name {
		if r < ' ' || r > '~' {
			wide = append(wide, r)
			continue
		}
		flush()
		b.WriteRune(r)
		if r == '&' {
			b.WriteByte('-')
		}
	}
	flush()
	return b.String()
}

// DecodeMailbox inverts EncodeMailbox. It returns a name that is not modified UTF-7 unchanged, because some servers send
// names in UTF-8.
func DecodeMailbox(name string) string {
	var b strings.Builder
	for rest := name; rest != ""; {
		plain, shifted, ok := strings.Cut(rest, "&")
		b.WriteString(plain)
		if !ok {
			break
		}
		encoded, after, ok := strings.Cut(shifted, "-")
		rest = after
		if encoded == "" && ok {
			b.WriteByte('&')
			continue
		}
		raw, err := base64.RawStdEncoding.DecodeString(strings.ReplaceAll(encoded, ",", "/"))
		if err != nil || !ok || len(raw)%2 != 0 {
			return name
		}
		units := make([]uint16, len(raw)/2)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(raw[2*i:])
		}
		b.WriteString(string(utf16.Decode(units)))
	}
	if decoded := b.String(); EncodeMailbox(decoded) == name {
		return decoded
	}
	return name
}
