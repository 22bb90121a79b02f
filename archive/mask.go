package archive

import (
	"bytes"
	"cmp"
	"net/textproto"
	"slices"
	"strings"
)

// hidden replaces a secret.
const hidden = "***"

// plainFields are the request fields whose values are recorded. The value of every other
// field is hidden, because a user may add a field with any name, and a token in it.
var plainFields = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Encoding", "Content-Language",
	"Content-Length", "Content-Type", "Date", "Depth", "Dnt", "Expect", "Forwarded", "From", "Host", "If-Match", "If-Modified-Since", "If-None-Match",
	"If-Range", "If-Unmodified-Since", "Keep-Alive", "Last-Modified", "Max-Forwards", "Origin", "Pragma", "Priority", "Range", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade-Insecure-Requests", "User-Agent", "Via", "Want-Digest", "Want-Repr-Digest",
}

// secretFields are the response fields whose values are hidden.
var secretFields = []string{"Set-Cookie", "Set-Cookie2", "Authentication-Info", "Proxy-Authentication-Info"}

// isSecretRequest reports whether the value of the named field of a request is hidden: every field
// that is not known to be harmless. name is in canonical form.
func isSecretRequest(name string) bool {
	return !slices.Contains(plainFields, name) && !strings.HasPrefix(name, "Sec-Fetch-") && !strings.HasPrefix(name, "Sec-Ch-")
}

// isSecretResponse reports whether the value of the named field of a response is hidden. name is in
// canonical form.
func isSecretResponse(name string) bool { return slices.Contains(secretFields, name) }

// maskHead returns a copy of the header of an HTTP message in which hidden replaces the value of
// each field for which isSecret, called with its canonical name, returns true. All other bytes stay
// as they are.
func maskHead(head []byte, isSecret func(name string) bool) []byte {
	var masked []byte
	hides := false // whether a folded line belongs to a secret field
	for i, line := range bytes.SplitAfter(head, []byte("\n")) {
		text := bytes.TrimRight(line, "\r\n")
		end := line[len(text):]
		switch name, _, ok := bytes.Cut(text, []byte(":")); {
		case i == 0 || len(text) == 0:
			hides = false
		case text[0] == ' ' || text[0] == '\t':
			if hides {
				continue
			}
		default:
			hides = ok && isSecret(textproto.CanonicalMIMEHeaderKey(string(bytes.TrimSpace(name))))
			if hides {
				line = append(append(slices.Clone(name), ": "+hidden...), end...)
			}
		}
		masked = append(masked, line...)
	}
	return masked
}

// A lineMask hides secrets in a dialogue of commands and replies. In FTP and NNTP it finds them by their commands. An
// engine of another protocol names them: see dialogue.Hide.
type lineMask struct {
	secrets []string // the secrets that were sent and that received hides
	named   []string // the secrets that hide got, the longest first, because it may contain another
}

// hide makes withoutHidden and received hide the texts.
func (m *lineMask) hide(texts []string) {
	for _, text := range texts {
		if text != "" && !slices.Contains(m.named, text) {
			m.named = append(m.named, text)
		}
	}
	slices.SortStableFunc(m.named, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

// withoutHidden returns a text that was sent, with the texts that hide got hidden. The text may have several lines.
func (m *lineMask) withoutHidden(text string) string {
	for _, named := range m.named {
		text = strings.ReplaceAll(text, named, hidden)
	}
	return text
}

// secretCommands are the commands whose arguments are secrets. AUTHINFO is of NNTP (RFC
// 4643).
var secretCommands = []string{"PASS ", "ACCT ", "ADAT ", "AUTHINFO PASS ", "AUTHINFO SASL ", "AUTH "}

// sent returns a line that was sent, with the argument of a secret command hidden. answers says
// that the line answers a challenge, so that the whole line is hidden. sent also calls remember for
// the text that it hides.
func (m *lineMask) sent(line string, answers bool) string {
	if answers {
		m.remember(line)
		return hidden
	}
	if before, token, ok := strings.Cut(line, ";token="); ok { // of a titan URL, which has the token at its end
		m.remember(token)
		return before + ";token=" + hidden
	}
	for _, command := range secretCommands {
		if len(line) <= len(command) || !strings.EqualFold(line[:len(command)], command) {
			continue
		}
		argument := line[len(command):]
		if command == "AUTH " && (strings.EqualFold(argument, "TLS") || strings.EqualFold(argument, "SSL")) {
			continue
		}
		m.remember(argument)
		return line[:len(command)] + hidden
	}
	return line
}

// minRepeated is the length of the shortest secret that received hides, because a shorter one may be part of any word.
const minRepeated = 4

// remember makes received hide the secret in later replies, because a server may repeat it. It
// ignores a secret of less than minRepeated bytes, and every secret after the 16th.
func (m *lineMask) remember(secret string) {
	if len(secret) >= minRepeated && len(m.secrets) < 16 {
		m.secrets = append(m.secrets, secret)
	}
}

// received returns a text from the server, with all secrets that were sent or named before hidden.
func (m *lineMask) received(text string) string {
	for _, named := range m.named {
		if len(named) >= minRepeated {
			text = strings.ReplaceAll(text, named, hidden)
		}
	}
	for _, secret := range m.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}
