package tn3270d

import (
	"fmt"
	"strings"
)

const columns = 80

// A panel is a screen, and the action for its input.
type panel struct {
	items  []item
	answer func(in input) (next page, again *panel)
}

// An item is text on the screen, or an input field if it has a name.
type item struct {
	row, column int // of its attribute, from 0
	text        string
	name        string
	length      int
	hidden      bool
	bright      bool
	colour      byte // 0xF1 to 0xF7, or 0
	highlight   byte // 0xF1, 0xF2, 0xF4, or 0
}

// first returns the address of the first character of the item, which follows its attribute.
func (i item) first() int { return (i.row*columns + i.column + 1) % (24 * columns) }

// attribute returns the field attribute of the item: whether it is an input field, hidden or
// bright.
func (i item) attribute() byte {
	a := byte(0x20) // protected
	if i.name != "" {
		a = 0x00
	}
	switch {
	case i.hidden:
		a |= 0x0C
	case i.bright:
		a |= 0x08
	}
	return a
}

// fields returns the items that are input fields.
func (p panel) fields() []item {
	var fields []item
	for _, i := range p.items {
		if i.name != "" {
			fields = append(fields, i)
		}
	}
	return fields
}

// Commands and orders of the data stream.
const (
	eraseWrite       = 0xF5
	resetAndRestore  = 0xC3 // mark all fields as unmodified, and unlock the keyboard
	setBufferAddress = 0x11
	startField       = 0x1D
	startExtended    = 0x29
	insertCursor     = 0x13
)

// stream returns the record that shows the panel, with the cursor in its first field.
func (p panel) stream() []byte {
	record := []byte{eraseWrite, resetAndRestore}
	placed := false
	for _, i := range p.items {
		record = append(record, setBufferAddress)
		record = appendAddress(record, i.row*columns+i.column)
		record = append(record, i.start()...)
		if i.name != "" && !placed {
			record, placed = append(record, insertCursor), true
		}
		record = append(record, encode(i.text)...)
		if i.name != "" { // the next field ends this one
			record = append(record, make([]byte, i.length-len(i.text))...)
			record = append(record, startField, code6(0x30))
		}
	}
	return record
}

// start returns the order that starts the field of the item, with its attribute, colour and
// highlighting.
func (i item) start() []byte {
	a := code6(i.attribute())
	if i.colour == 0 && i.highlight == 0 {
		return []byte{startField, a}
	}
	pairs := []byte{0xC0, a}
	if i.colour != 0 {
		pairs = append(pairs, 0x42, i.colour)
	}
	if i.highlight != 0 {
		pairs = append(pairs, 0x41, i.highlight)
	}
	return append([]byte{startExtended, byte(len(pairs) / 2)}, pairs...)
}

// title returns a bright item in the first row.
func title(text string) item { return item{row: 0, column: 0, text: text, bright: true} }

// line returns an item with text in a row.
func line(row int, text string) item { return item{row: row, column: 2, text: text} }

// said returns an item with a message, in the row above the last one.
func said(message string) item { return item{row: 22, column: 2, text: message, bright: true} }

// menu is the page that asks which page to show next.
func menu(message string) panel {
	return panel{
		items: []item{
			title("locus demo"),
			line(2, "Option ===>"),
			{row: 2, column: 14, name: "option", length: 1},
			line(4, "1  Greeting   two fields to fill in, one of them hidden"),
			line(5, "2  Colours    what a 3279 can show"),
			line(6, "X  Leave"),
			said(message),
			line(23, "Enter goes there, PF3 leaves"),
		},
		answer: fromMenu,
	}
}

// fromMenu answers input on the menu: it returns the page that the user chose, or the menu again
// with a message. Both results are nil at the end of the session.
func fromMenu(in input) (page, *panel) {
	option := strings.ToUpper(strings.TrimSpace(in.fields[2*columns+15]))
	switch {
	case in.attention == attentionPF3 || option == "X":
		return nil, nil
	case in.attention == attentionEnter && option == "1":
		return greeting, nil
	case in.attention == attentionEnter && option == "2":
		return colours, nil
	}
	return again(menu, in, fmt.Sprintf("There is no option %q.", option))
}

// greeting is the page that asks for a name and a secret.
func greeting(message string) panel {
	return panel{
		items: []item{
			title("Greeting"),
			line(2, "Name   ===>"),
			{row: 2, column: 14, name: "name", length: 20},
			line(3, "Secret ===>"),
			{row: 3, column: 14, name: "secret", length: 20, hidden: true},
			said(message),
			line(23, "Enter greets, PF3 goes back"),
		},
		answer: fromGreeting,
	}
}

// fromGreeting answers input on the greeting panel: PF3 leads back to the menu. Enter shows the
// panel again, with a greeting for the name that was typed.
func fromGreeting(in input) (page, *panel) {
	if in.attention == attentionPF3 {
		return menu, nil
	}
	name, secret := strings.TrimSpace(in.fields[2*columns+15]), in.fields[3*columns+15]
	if name == "" {
		return again(greeting, in, "What is your name?")
	}
	return again(greeting, in, fmt.Sprintf("Hello, %s! Your secret has %d letters.", name, len(secret)))
}

// colours is the page that shows the colours of a 3279.
func colours(message string) panel {
	p := panel{items: []item{title("Colours")}, answer: fromColours}
	for n, name := range []string{"Blue", "Red", "Pink", "Green", "Turquoise", "Yellow", "White"} {
		i := line(2+n, name)
		i.colour = 0xF1 + byte(n)
		reversed := i
		reversed.column, reversed.highlight = 20, 0xF2
		underscored := i
		underscored.column, underscored.highlight = 40, 0xF4
		p.items = append(p.items, i, reversed, underscored)
	}
	p.items = append(p.items, said(message), line(23, "PF3 goes back"))
	return p
}

// fromColours answers input on the panel of colours: PF3 and ENTER lead back to the menu, and
// another key shows the panel again.
func fromColours(in input) (page, *panel) {
	if in.attention == attentionPF3 || in.attention == attentionEnter {
		return menu, nil
	}
	return again(colours, in, "")
}

// again answers a key that does not lead to another page: it returns nil and the panel of p. After
// Enter the panel shows message, after Clear no message, and after any other key a sentence that
// the key does nothing.
func again(p page, in input, message string) (page, *panel) {
	switch in.attention {
	case attentionEnter:
	case attentionClear:
		message = ""
	default:
		message = in.key() + " does nothing here."
	}
	shown := p(message)
	return nil, &shown
}
