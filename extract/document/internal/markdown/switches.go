package markdown

import (
	"bytes"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/lazy"
)

// A switchKind is the effect of a comment that switches checking off or on.
type switchKind uint8

const (
	noSwitch     switchKind = iota
	switchOff               // from the comment on
	switchOn                // from the comment on
	muteLine                // the comment's line is not checked
	muteNextLine            // the line after the comment's line is not checked
	muteNear                // the comment's line is not checked, or the next line if the comment is alone on its line
)

// switches are the comments, with single hyphens between their words. The comments of markdown-link-check are as in
// its README. lychee has no such comments yet, but people write the comments with its name.
var switches = lazy.Value[map[string]switchKind]{Make: func() map[string]switchKind {
	return map[string]switchKind{
		"markdown-link-check-disable":           switchOff,
		"markdown-link-check-enable":            switchOn,
		"markdown-link-check-disable-line":      muteLine,
		"markdown-link-check-disable-next-line": muteNextLine,

		"lychee-disable":           switchOff,
		"lychee-ignore-start":      switchOff,
		"lychee-linkcheck-stop":    switchOff,
		"lychee-off":               switchOff,
		"lychee-stop":              switchOff,
		"lychee-enable":            switchOn,
		"lychee-ignore-end":        switchOn,
		"lychee-linkcheck-start":   switchOn,
		"lychee-on":                switchOn,
		"lychee-start":             switchOn,
		"lychee-disable-line":      muteLine,
		"lychee-ignore-line":       muteLine,
		"lychee-disable-next":      muteNextLine,
		"lychee-disable-next-line": muteNextLine,
		"lychee-ignore-next":       muteNextLine,
		"lychee-ignore-next-line":  muteNextLine,
		"lychee-ignore":            muteNear,
		"lychee-skip":              muteNear,
	}
}}

// longestSwitch is longer than every comment that is a switch, with some blanks.
const longestSwitch = 100

// switchOf returns the effect of a comment of HTML, given with "<!--" and "-->", or noSwitch for other comments.
func switchOf(comment []byte) switchKind {
	if len(comment) > longestSwitch {
		return noSwitch
	}
	inside := strings.TrimSuffix(strings.TrimPrefix(string(comment), "<!--"), "-->")
	return switches.Get()[strings.Join(strings.FieldsFunc(inside, func(c rune) bool { return c <= ' ' || c == ':' }), "-")]
}

// readSwitches calls readSwitch for each comment in p, a block of HTML.
func (m *markdownReader) readSwitches(p emit.Part) {
	for at := 0; ; {
		n := bytes.Index(p.Text[at:], []byte("<!--"))
		if n < 0 {
			return
		}
		at += n
		n = bytes.Index(p.Text[at:], []byte("-->"))
		if n < 0 {
			return
		}
		end := at + n + len("-->")
		from, to := p.Place(at, end)
		m.readSwitch(p.Text[at:end], from, to)
		at = end
	}
}

// readSwitch mutes or unmutes matches if the comment, which is at [from, to) of the document, switches checking off or
// on and Options.SkipCode is set.
func (m *markdownReader) readSwitch(comment []byte, from, to int) {
	kind := switchOf(comment)
	if kind == noSwitch || !m.Options.SkipCode {
		return
	}
	if from < m.line.From || from >= m.line.To {
		m.line = emit.Interval{From: bytes.LastIndexByte(m.source[:from], '\n') + 1, To: lineAfter(m.source, from)}
	}
	switch {
	case kind == switchOff:
		m.Mute(from, len(m.source))
	case kind == switchOn:
		m.Unmute(from)
	case kind == muteNextLine, kind == muteNear && m.isAlone(from, to):
		if !m.IsMuted(m.line.To) {
			m.Mute(m.line.To, lineAfter(m.source, m.line.To))
		}
	default:
		m.Mute(m.line.From, m.line.To)
	}
}

// lineAfter returns the start of the line after the line that contains an offset, or len(text) in the last line.
func lineAfter(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// isAlone reports whether the comment at [from, to) is the only text of m.line, apart from marks of containers before
// it.
func (m *markdownReader) isAlone(from, to int) bool {
	return m.line.To-m.line.From <= to-from+longestSwitch &&
		len(bytes.Trim(m.source[m.line.From:from], " \t>-*+")) == 0 && len(bytes.TrimSpace(m.source[min(to, m.line.To):m.line.To])) == 0
}
