package open

import "locus/cmd/locus/internal/cli"

// keys separates the keys for this command from the text for the other side.
type keys struct {
	escape  int            // -1 for none
	escaped bool           // the last key was the escape key
	lines   bool           // the text comes in lines, which end in LF
	do      func(key byte) // executes a key after the escape key
}

// typed returns the text for the other side.
func (k *keys) typed(b []byte) []byte {
	var typed []byte
	for _, c := range b {
		isEscape := int(c) == k.escape
		switch {
		case k.escaped && isEscape:
			k.escaped = false
			typed = append(typed, c)
		case k.escaped && c == '\n' && k.lines: // the escape key alone on its line
		case k.escaped:
			k.escaped = false
			k.do(c)
		case isEscape:
			k.escaped = true
		case c == '\n' && k.lines:
			typed = append(typed, '\r')
		default:
			typed = append(typed, c)
		}
	}
	return typed
}

// parseEscape reads the value of --escape: ^X, a single byte, or none, which is -1.
func parseEscape(text string) (int, error) {
	switch {
	case text == "none":
		return -1, nil
	case len(text) == 1:
		return int(text[0]), nil
	case text == "^?":
		return 0x7F, nil
	case len(text) == 2 && text[0] == '^' && text[1] >= '@' && text[1] <= 'z':
		return int(text[1] & 0x1F), nil
	}
	return 0, cli.Misuse("--escape wants a key such as ^] or ~, or none, not %q", text)
}

// keyName returns the value of --escape for a key.
func keyName(key byte) string {
	if key < ' ' || key == 0x7F {
		return "^" + string(rune(key^0x40))
	}
	return string(rune(key))
}
