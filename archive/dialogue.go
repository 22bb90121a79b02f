package archive

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"locus/access/engine"
)

const (
	// maxDialogue is how many bytes of a dialogue are kept.
	maxDialogue = 64 << 10
	// maxReply is how many bytes are kept of a reply between two commands. In gopher, wais
	// and NNTP the reply is the resource itself, which has a record of its own.
	maxReply = 2 << 10
)

// A dialogue is the text of the commands and replies of a protocol other than HTTP:
//
//	> RETR a.txt
//	< 150 Opening data connection
//
// Control characters are escaped as in Go. A dialogue is an engine.Tap.
type dialogue struct {
	exchanges func() engine.Exchange // begins an exchange of HTTP

	mu      sync.Mutex
	text    strings.Builder
	reply   strings.Builder // since the last command
	skipped int             // bytes of the reply that are not kept
	asks    bool            // the last reply is a challenge, which the next line answers
	ended   bool
	mask    lineMask
}

// Sent adds the reply that has been received so far, and then the lines of p, which are commands.
// It masks passwords, and answers to challenges. It ignores bytes after end.
func (d *dialogue) Sent(p []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	d.endReply()
	for line := range strings.Lines(d.mask.withoutHidden(string(p[:min(len(p), maxDialogue)]))) {
		d.add("> ", d.mask.sent(strings.TrimRight(line, "\r\n"), d.asks))
		d.asks = false
	}
}

// Hide leaves out these texts, which have a password, in the bytes that are sent and received from now on.
func (d *dialogue) Hide(texts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mask.hide(texts)
}

// Received adds bytes of a reply. It keeps only the first maxReply bytes of each reply, and counts
// the others. It ignores bytes after end.
func (d *dialogue) Received(p []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return
	}
	kept := p[:min(len(p), maxReply-d.reply.Len())]
	d.reply.Write(kept)
	d.skipped += len(p) - len(kept)
}

// endReply adds the current reply to the text, with its secrets masked, and begins the next reply.
// It sets asks if the reply is a challenge, so that the next line is masked, and clears asks
// otherwise. The caller holds mu.
func (d *dialogue) endReply() {
	reply := d.mask.received(d.reply.String())
	for line := range strings.Lines(reply) {
		d.add("< ", strings.TrimRight(line, "\r\n"))
	}
	if d.skipped > 0 {
		d.add("< ", fmt.Sprintf("… and %d bytes more", d.skipped))
	}
	d.asks = strings.HasPrefix(reply, "383 ") || strings.HasPrefix(reply, "334 ") // RFC 4643 §2.4, RFC 2228
	d.reply.Reset()
	d.skipped = 0
}

// add adds a line to the text, with control characters escaped. direction is the mark for a command
// or a reply. Lines after maxDialogue bytes are left out. The caller holds mu.
func (d *dialogue) add(direction, line string) {
	if d.text.Len() > maxDialogue {
		return
	}
	quoted := strconv.Quote(line)
	d.text.WriteString(direction + strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "\n")
	if d.text.Len() > maxDialogue {
		d.text.WriteString("… the rest is not kept\n")
	}
}

// Exchange begins an exchange of HTTP, which gets its bytes in place of the dialogue.
func (d *dialogue) Exchange() engine.Exchange { return d.exchanges() }

// end ends the dialogue and returns its text; "" if no byte was sent or received. Later bytes are
// ignored. A second end returns the same text.
func (d *dialogue) end() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.endReply()
		d.ended = true
	}
	return d.text.String()
}
