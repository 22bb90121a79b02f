package tn3270

import (
	"fmt"

	"locus/access"
)

// A model is a kind of terminal. Its number determines the screen size.
type model struct {
	number    int
	hasColour bool
}

// models returns the rows and columns of the alternate screen of each model, by the number
// of the model.
func models() map[int][2]int {
	return map[int][2]int{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}
}

// newModel returns the model with the given number; 0 means model 2. It has no colours if
// monochrome is set. An unknown number is an error whose remedy lists the models.
func newModel(number int, monochrome bool) (model, error) {
	if number == 0 {
		number = 2
	}
	if _, ok := models()[number]; !ok {
		return model{}, &access.Error{
			Op: "model", Err: fmt.Errorf("there is no model %d", number),
			Remedy: access.Advice("models are 2 (24 by 80), 3 (32 by 80), 4 (43 by 80) and 5 (27 by 132)"),
		}
	}
	return model{number, !monochrome}, nil
}

// primary returns the rows and columns of the smaller screen, which is the same for all
// models.
func (m model) primary() (rows, columns int) { return 24, 80 }

// alternate returns the rows and columns of the larger screen, which is the screen of the
// model's number.
func (m model) alternate() (rows, columns int) {
	size := models()[m.number]
	return size[0], size[1]
}

// types returns the terminal types of the model, best first. Because a 3279 exists only as
// model 2 and 3 (RFC 1576 §2), models 4 and 5 report their colours in the reply to a query.
func (m model) types() []string {
	plain := fmt.Sprintf("IBM-3278-%d", m.number)
	switch {
	case !m.hasColour:
		return []string{plain}
	case m.number > 3:
		return []string{plain + "-E", plain}
	}
	return []string{fmt.Sprintf("IBM-3279-%d-E", m.number), plain + "-E", plain}
}
