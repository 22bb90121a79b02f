package wiretest

import (
	"strings"

	"locus/access/engine"
)

// A HidingTap keeps the bytes that were sent, and "***" in place of each text that it had to hide at that time. The zero
// HidingTap is ready to use. Only one goroutine may use it.
type HidingTap struct {
	engine.Tap
	Bytes strings.Builder

	hidden []string
}

// Hide keeps the texts out of the bytes that are sent from now on.
func (h *HidingTap) Hide(texts ...string) { h.hidden = append(h.hidden, texts...) }

// Received ignores the bytes.
func (h *HidingTap) Received([]byte) {}

// Sent adds the bytes to Bytes.
func (h *HidingTap) Sent(p []byte) {
	text := string(p)
	for _, hidden := range h.hidden {
		text = strings.ReplaceAll(text, hidden, "***")
	}
	h.Bytes.WriteString(text)
}
