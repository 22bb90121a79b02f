package extract

import (
	"cmp"
	"math"
)

// How the pieces work together:
//
// The Scanner calls find, which moves a cursor through the window. trigger finds the next byte that may belong to a
// URL. look then tries the forms of URLs that may have such a byte: for a colon, the wrapper, the prefix and the
// schemes, and for a dot a host. For each form the other stages fill in a candidate: first its start, then the edge at
// which it must end, and its end after trim. The candidate is a match if verdict accepts it. Otherwise find continues
// after the trigger.
//
// A stage that needs bytes after the end of the window returns needMore, unless the text ends there. The cursor then
// stays at the trigger, and the Scanner reads more and calls find again. Therefore the matches do not depend on how the
// text is cut into windows. When the window is full, the Scanner drops the text before the cursor, except for the last
// lookBehind bytes, because the stages also read bytes before the trigger. cursor.floor is the end of the last match,
// so that a stage does not read back into that match.

// lookBehind is larger than the number of bytes that any stage reads before its trigger.
const lookBehind = 512

// A finder finds matches in a window of a text, from left to right. It has five stages. Each is one function in its
// own file:
//
//   - trigger finds the next byte that may belong to a URL, such as a colon.
//   - candidate says which form the text around that byte may have, and where it starts.
//   - rightEdge says where it ends.
//   - trim removes a sentence's punctuation from its end.
//   - verdict says whether the rest is a URL.
//
// The matches depend on the text alone, and not on how the text is cut into windows.
type finder struct {
	max     int // the length of the longest match
	rules   map[string]schemeRule
	bare    bool
	mail    bool
	paths   bool
	unknown bool // every name counts as a scheme
	whole   bool // leave out beginnings of URLs in programs

	markdown bool // the text is Markdown

	// A colon is a trigger if beforeColon of the byte before it and afterColon of the byte after it have a bit in
	// common.
	beforeColon, afterColon [256]uint8

	joined  []byte // the URL in the last wrapper that was read
	hyphens []int  // Match.Hyphens of that URL
}

// A found is a match. Its positions are offsets in the window.
type found struct {
	start, end int // of the match, with its wrapper or prefix
	from       int // where the URL starts; not set for a wrapper, because its URL is finder.joined
	kind       Kind
}

// A status is the outcome of a stage.
type status uint8

const (
	miss     status = iota // the text is not a URL
	hit                    // the text may be a URL; after the last stage, it is one
	needMore               // more of the text must be read to decide
	tooLong                // the text is longer than the longest match
)

// A cursor is a finder's position in a window.
type cursor struct {
	floor int    // the end of the last match: no match starts before it
	pos   int    // the search for the next trigger starts here
	stop  int    // and stops here
	next  [4]int // the next offset of each byte in triggers; out of date if before pos; the window's end if there is none
	// The text before these offsets is known to hold no further host or IPv6 address.
	noHost, noIPv6 int
}

// shift subtracts n from the offsets of the cursor, because the first n bytes of the window were dropped. The caller
// must also call resetTriggers.
func (c *cursor) shift(n int) {
	c.floor, c.pos = max(c.floor-n, 0), c.pos-n
	c.noHost, c.noIPv6 = c.noHost-n, c.noIPv6-n
}

// resetTriggers discards the known offsets of triggers. It must be called when the window has grown.
func (c *cursor) resetTriggers() { c.next = [4]int{-1, -1, -1, -1} }

// moveTo resets the cursor, puts it at an offset in the window and sets stop to the greatest int. No match starts
// before the offset.
func (c *cursor) moveTo(offset int) {
	*c = cursor{floor: offset, pos: offset, stop: math.MaxInt}
	c.resetTriggers()
}

// noLimit is longer than any text. It is not the greatest int, because the window is four times as long as a match.
const noLimit = math.MaxInt / 8

// newFinder returns a finder for the options. Only one goroutine may use the finder at a time.
func newFinder(o Options) *finder {
	f := &finder{max: o.MaxLength, rules: standardRules.Get(), bare: o.Bare, mail: o.Mail, paths: o.Base.String() != "", unknown: o.Unknown, whole: o.Whole, markdown: o.Markdown}
	if len(o.Schemes) > 0 {
		f.rules = rulesWith(o.Schemes)
	}
	if f.max = cmp.Or(f.max, 1<<16); f.max < 0 {
		f.max = noLimit
	}
	f.max = max(f.max, lookBehind)
	f.fillTables()
	return f
}

// minWindow returns the size of a window that holds the longest match and the bytes around it that the stages read.
func (f *finder) minWindow() int { return lookBehind + f.max + lookBehind }

// find returns the next match after the cursor. With hit and tooLong, it moves the cursor to the end of the match. With
// miss, there is no match, and it moves the cursor to the end of the window or to c.stop, whichever comes first. With
// needMore, a match may begin near the end of the window, and the cursor stays where it may begin.
func (f *finder) find(w window, c *cursor) (found, status) {
	for {
		i := f.trigger(w.text, c)
		if i < 0 || i >= c.stop {
			c.pos = min(len(w.text), c.stop)
			return found{}, miss
		}
		m, st := f.look(w, i, c)
		switch st {
		case miss:
			c.pos = i + 1
		case needMore:
			c.pos = i
			return m, st
		case tooLong:
			m.end = m.start + f.max
			c.pos, c.floor = m.end, m.end
			return m, st
		default:
			c.pos, c.floor = m.end, m.end
			return m, st
		}
	}
}

// look returns hit and the match that has the trigger at i, or miss if the trigger is not part of a match. It runs the
// stages after trigger for each form that may have such a byte, until a form matches. With needMore and tooLong, only
// the start of the result is set.
func (f *finder) look(w window, i int, c *cursor) (found, status) {
	if w.lacks(i + 4) {
		return found{}, needMore
	}
	for form := firstForm(w.text, i); form != noForm; form = f.nextForm(form) {
		k := candidate{form: form}
		st := f.candidate(w, i, c, &k)
		if st == hit {
			st = f.rightEdge(w, &k)
		}
		if st == hit {
			k.end = trim(w.text, k.least, k.edge, f.markdown)
			if f.whole && w.lacks(k.end+maxAfter) {
				return found{start: k.start}, needMore
			}
			if f.verdict(w.text, &k) && !(f.whole && isBeginning(w.text, k.start, k.end)) {
				return found{k.start, k.end, k.from, kindOf[form]}, hit
			}
			st = miss
		}
		if st != miss {
			return found{start: k.start}, st
		}
	}
	return found{}, miss
}
