package manual

import (
	"io"

	"locus/internal/render"
)

// pageJSON is a page as JSON, for programs that show the help in a form of their own.
type pageJSON struct {
	Name        string     `json:"name"`
	Task        string     `json:"task"`
	Summary     string     `json:"summary"`
	Synopsis    string     `json:"synopsis"`
	Description string     `json:"description"`
	Flags       []flagJSON `json:"flags"`
	Examples    []string   `json:"examples"`
}

// flagJSON is a flag as the help writes it.
type flagJSON struct {
	Flag string `json:"flag"`
	Text string `json:"text"`
}

// WriteJSON writes the whole help of a verb as one JSON object in a line.
func (p Page) WriteJSON(w io.Writer) error {
	object := pageJSON{
		Name: p.Name, Task: p.Task, Summary: p.Summary, Synopsis: p.Synopsis,
		Description: p.description(), Examples: p.Examples,
	}
	for _, f := range p.all() {
		text := textOf(f)
		object.Flags = append(object.Flags, flagJSON{Flag: text[0], Text: text[1]})
	}
	return render.NewEncoder(w).Encode(object)
}

// WriteJSON writes the whole help of every verb, each as one JSON object in a line.
func (p Program) WriteJSON(w io.Writer) error {
	for _, v := range p.Verbs {
		if err := v.WriteJSON(w); err != nil {
			return err
		}
	}
	return nil
}
