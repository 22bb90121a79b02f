package tn3270

import (
	"fmt"

	"locus/access"
)

// A model is a kind of terminal: its number tells the size of its screen.
type model struct {
	number int
	colour bool // whether it has colours
}

// models are the numbers of models and the rows and columns of their screens.
// Every one can also be told by the host to be as small as model 2.
var models = map[int][2]int{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}

// newModel returns the model of a number, 0 being 2.
func newModel(number int, monochrome bool) (model, error) {
	if number == 0 {
		number = 2
	}
	if _, ok := models[number]; !ok {
		return model{}, &access.Error{
			Op: "model", Err: fmt.Errorf("there is no model %d", number),
			Remedy: access.Advice("models are 2 (24 by 80), 3 (32 by 80), 4 (43 by 80) and 5 (27 by 132)"),
		}
	}
	return model{number, !monochrome}, nil
}

// primary returns the rows and columns of the smaller screen.
func (m model) primary() (rows, columns int) { return 24, 80 }

// alternate returns the rows and columns of the larger screen.
func (m model) alternate() (rows, columns int) { return models[m.number][0], models[m.number][1] }

// types returns the terminal types that the model answers to, the best first.
// There are no 3279 of models 4 and 5 (RFC 1576 §2); their colours are told in
// the reply to a query.
func (m model) types() []string {
	plain := fmt.Sprintf("IBM-3278-%d", m.number)
	switch {
	case !m.colour:
		return []string{plain}
	case m.number > 3:
		return []string{plain + "-E", plain}
	}
	return []string{fmt.Sprintf("IBM-3279-%d-E", m.number), plain + "-E", plain}
}
