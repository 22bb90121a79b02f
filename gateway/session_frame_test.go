package gateway

import (
	"encoding/json"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

func cells(text string, style access.Style) []access.Cell {
	var row []access.Cell
	for _, r := range text {
		row = append(row, access.Cell{Text: string(r), Style: style})
	}
	return row
}

func TestRuns(t *testing.T) {
	red := access.Style{Foreground: access.Palette(1), Bold: true, Underline: true}
	for _, tt := range []struct {
		name  string
		cells []access.Cell
		want  string
	}{
		{"nothing", nil, `[]`},
		{"blanks", cells("    ", access.Style{}), `[]`},
		{"text", cells("ab c  ", access.Style{}), `[{"t":"ab c"}]`},
		{"blanks that look", cells("a ", access.Style{Underline: true}), `[{"t":"a ","a":"u"}]`},
		{"two looks", append(cells("ab", red), cells("cd", access.Style{})...), `[{"t":"ab","f":"1","a":"bu"},{"t":"cd"}]`},
		{"bright", cells("x", access.Style{Foreground: access.Palette(15), Background: access.Palette(8)}), `[{"t":"x","f":"15","b":"8"}]`},
		{"the cube", cells("x", access.Style{Foreground: access.Palette(17)}), `[{"t":"x","f":"#00005f"}]`},
		{"a mixture", cells("x", access.Style{Background: access.RGB(1, 2, 255)}), `[{"t":"x","b":"#0102ff"}]`},
		{"reversed", cells("x", access.Style{Reverse: true}), `[{"t":"x","f":"ground","b":"text"}]`},
		{"reversed colours", cells("x", access.Style{Reverse: true, Foreground: access.Palette(2)}), `[{"t":"x","f":"ground","b":"2"}]`},
		{"concealed", cells("secret", access.Style{Conceal: true}), `[{"t":"      "}]`},
		{"all looks", cells("x", access.Style{Bold: true, Faint: true, Italic: true, Underline: true, Blink: true, Strike: true}), `[{"t":"x","a":"bfiuks"}]`},
		{"wide", []access.Cell{{Text: "a"}, {Text: "漢"}, {Text: ""}, {Text: "b"}}, `[{"t":"a"},{"t":"漢","c":2},{"t":"b"}]`},
		{"odd", cells("aωωb", access.Style{}), `[{"t":"a"},{"t":"ω","c":1},{"t":"ω","c":1},{"t":"b"}]`},
		{"lines", cells("┌─é", access.Style{}), `[{"t":"┌─é"}]`},
		{"half of a wide one", []access.Cell{{Text: ""}, {Text: "b"}}, `[{"t":"b"}]`},
		{"markup", cells("<b>&", access.Style{}), `[{"t":"\u003cb\u003e\u0026"}]`},
	} {
		got, err := json.Marshal(runs(tt.cells))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: runs = %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

// A frame has what has changed, and nothing else.
func TestCanvas(t *testing.T) {
	screen := func(column int, lines ...string) access.Screen {
		s := access.Screen{Column: column}
		for _, l := range lines {
			s.Cells = append(s.Cells, cells(l, access.Style{}))
		}
		return s
	}
	var c canvas
	for _, tt := range []struct {
		screen access.Screen
		lines  bool
		want   string // "" for no frame
	}{
		{access.Screen{}, false, ""},
		{screen(0, "ab", "  "), false, `{"size":[2,2],"rows":[{"row":0,"runs":[{"t":"ab"}]}],"state":{"row":0,"column":0}}`},
		{screen(0, "ab", "  "), false, ""},
		{screen(1, "ab", "  "), false, `{"state":{"row":0,"column":1}}`},
		{screen(1, "ab", "cd"), false, `{"rows":[{"row":1,"runs":[{"t":"cd"}]}]}`},
		{screen(1, "  ", "cd"), false, `{"rows":[{"row":0,"runs":[]}]}`},
		{screen(1, "  ", "cd"), true, `{"state":{"row":0,"column":1,"lines":true}}`},
		{screen(1, "   ", "cd "), true, `{"size":[3,2],"rows":[{"row":1,"runs":[{"t":"cd"}]}],"state":{"row":0,"column":1,"lines":true}}`},
		{
			access.Screen{Cells: [][]access.Cell{cells("   ", access.Style{}), cells("cd ", access.Style{})}, Hidden: true, AppKeys: true, Paste: true, Status: "X"},
			false,
			`{"state":{"row":0,"column":0,"hidden":true,"app":true,"paste":true,"status":"X"}}`,
		},
	} {
		f, ok := c.draw(tt.screen, tt.lines)
		got, err := json.Marshal(f)
		if want := tt.want; err != nil || ok != (want != "") || ok && string(got) != want {
			t.Errorf("draw(%v) = %s, %v, %v, want %s", tt.screen.Cells, got, ok, err, want)
		}
	}
}

func TestAdvice(t *testing.T) {
	part := func(text string) url.Part { return url.Part{Text: text, Present: true} }
	for _, tt := range []struct {
		login access.Login
		want  string
	}{
		{access.Login{}, ""},
		{access.Login{User: part("ada")}, `The URL advises to log in as "ada".`},
		{access.Login{User: part("ada\x1b"), Password: part("")}, `The URL advises to log in as "ada\x1b" with the password "".`},
		{access.Login{Password: part("x")}, `The URL advises to log in with the password "x".`},
	} {
		if got := adviceOf(tt.login); got != tt.want {
			t.Errorf("adviceOf(%v) = %q, want %q", tt.login, got, tt.want)
		}
	}
}

// What a page draws, frame by frame, is the screen, whatever came before.
func FuzzCanvas(f *testing.F) {
	f.Add("ab|cd", "ab|ce", "x")
	f.Add("a|b|c", "a|b", "漢|ω ")
	f.Add("", "  |  ", "")
	f.Fuzz(func(t *testing.T, first, second, third string) {
		var c canvas
		var shown []string
		for _, text := range []string{first, second, third, first} {
			var s access.Screen
			for row := range strings.SplitSeq(text, "|") {
				s.Cells = append(s.Cells, cells(row, access.Style{Bold: strings.Contains(row, "b")}))
			}
			frame, _ := c.draw(s, false)
			if frame.Size != nil {
				shown = make([]string, frame.Size[1])
			}
			for _, l := range frame.Rows {
				shown[l.Row] = ""
				for _, r := range l.Runs {
					shown[l.Row] += r.Text
				}
			}
			for i, row := range s.Cells {
				want := ""
				for _, cell := range row {
					want += cell.Text
				}
				if trimmed := strings.TrimRight(shown[i], " "); trimmed != strings.TrimRight(want, " ") {
					t.Fatalf("row %d shows %q, want %q", i, shown[i], want)
				}
			}
		}
	})
}
