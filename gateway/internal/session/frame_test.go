package session

import (
	"encoding/json"
	"strings"
	"testing"

	"locus/access"
	"locus/terminal"
	"locus/url"
)

func cells(text string, style terminal.Style) []terminal.Cell {
	var row []terminal.Cell
	for _, r := range text {
		row = append(row, terminal.Cell{Text: string(r), Style: style})
	}
	return row
}

func TestRuns(t *testing.T) {
	red := terminal.Style{Foreground: terminal.Palette(1), Bold: true, Underline: true}
	for _, test := range []struct {
		name  string
		cells []terminal.Cell
		want  string
	}{
		{"nothing", nil, `[]`},
		{"text", cells("ab c  ", terminal.Style{}), `[{"t":"ab c  "}]`},
		{"blanks that look", cells("a ", terminal.Style{Underline: true}), `[{"t":"a ","a":"u"}]`},
		{"two looks", append(cells("ab", red), cells("cd", terminal.Style{})...), `[{"t":"ab","f":"1","a":"bu"},{"t":"cd"}]`},
		{"bright", cells("x", terminal.Style{Foreground: terminal.Palette(15), Background: terminal.Palette(8)}), `[{"t":"x","f":"15","b":"8"}]`},
		{"the cube", cells("x", terminal.Style{Foreground: terminal.Palette(17)}), `[{"t":"x","f":"#00005f"}]`},
		{"a mixture", cells("x", terminal.Style{Background: terminal.RGB(1, 2, 255)}), `[{"t":"x","b":"#0102ff"}]`},
		{"reversed", cells("x", terminal.Style{Reverse: true}), `[{"t":"x","f":"ground","b":"text"}]`},
		{"reversed colours", cells("x", terminal.Style{Reverse: true, Foreground: terminal.Palette(2)}), `[{"t":"x","f":"ground","b":"2"}]`},
		{"concealed", cells("secret", terminal.Style{Conceal: true}), `[{"t":"      "}]`},
		{"all looks", cells("x", terminal.Style{Bold: true, Faint: true, Italic: true, Underline: true, Blink: true, Strike: true}), `[{"t":"x","a":"bfiuks"}]`},
		{"wide", []terminal.Cell{{Text: "a"}, {Text: "漢"}, {Text: ""}, {Text: "b"}}, `[{"t":"a"},{"t":"漢","c":2},{"t":"b"}]`},
		{"odd", cells("aωωb", terminal.Style{}), `[{"t":"a"},{"t":"ω","c":1},{"t":"ω","c":1},{"t":"b"}]`},
		{"lines", cells("┌─é", terminal.Style{}), `[{"t":"┌─é"}]`},
		{"half of a wide one", []terminal.Cell{{Text: ""}, {Text: "b"}}, `[{"t":"b"}]`},
		{"markup", cells("<b>&", terminal.Style{}), `[{"t":"\u003cb\u003e\u0026"}]`},
	} {
		got, err := json.Marshal(runs(test.cells))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: runs = %s, %v, want %s", test.name, got, err, test.want)
		}
	}
}

// A frame has the lines that have left the screen, unchanged.
func TestScrolledFrame(t *testing.T) {
	var none terminal.Style
	s := scroller{taken: terminal.Scrolled{Lost: 2, Lines: []terminal.Line{{Cells: cells("ab ", none)}, {Cells: cells("c", none), Continues: true}, {}}}}
	got, err := json.Marshal(takeScrolled(s))
	if want := `{"lost":2,"lines":[{"runs":[{"t":"ab "}]},{"runs":[{"t":"c"}],"continues":true},{"runs":[]}]}`; err != nil || string(got) != want {
		t.Errorf("takeScrolled = %s, %v, want %s", got, err, want)
	}
}

// A scroller is a session with lines that have left its screen.
type scroller struct {
	terminal.Session
	taken terminal.Scrolled
}

func (s scroller) TakeScrolled() terminal.Scrolled { return s.taken }

// A frame has only the rows that have changed.
func TestShownScreen(t *testing.T) {
	screen := func(column int, lines ...string) terminal.Screen {
		s := terminal.Screen{Column: column}
		for _, l := range lines {
			s.Cells = append(s.Cells, cells(l, terminal.Style{}))
		}
		return s
	}
	var c shownScreen
	for _, test := range []struct {
		screen terminal.Screen
		lines  bool
		want   string // "" for no frame
	}{
		{terminal.Screen{}, false, ""},
		{screen(0, "ab", "  "), false, `{"size":[2,2],"rows":[{"row":0,"runs":[{"t":"ab"}]}],"state":{"row":0,"column":0}}`},
		{screen(0, "ab", "  "), false, ""},
		{screen(1, "ab", "  "), false, `{"state":{"row":0,"column":1}}`},
		{screen(1, "ab", "cd"), false, `{"rows":[{"row":1,"runs":[{"t":"cd"}]}]}`},
		{screen(1, "  ", "cd"), false, `{"rows":[{"row":0,"runs":[]}]}`},
		{screen(1, "  ", "cd"), true, `{"state":{"row":0,"column":1,"lines":true}}`},
		{screen(1, "   ", "cd "), true, `{"size":[3,2],"rows":[{"row":1,"runs":[{"t":"cd"}]}],"state":{"row":0,"column":1,"lines":true}}`},
		{
			terminal.Screen{Cells: [][]terminal.Cell{cells("   ", terminal.Style{}), cells("cd ", terminal.Style{})}, Hidden: true, AppKeys: true, Paste: true, Status: "X"},
			false,
			`{"state":{"row":0,"column":0,"hidden":true,"app":true,"paste":true,"status":"X"}}`,
		},
	} {
		f, ok := c.update(test.screen, test.lines)
		got, err := json.Marshal(f)
		if want := test.want; err != nil || ok != (want != "") || ok && string(got) != want {
			t.Errorf("update(%v) = %s, %v, %v, want %s", test.screen.Cells, got, ok, err, want)
		}
	}
}

func TestAdvice(t *testing.T) {
	part := func(text string) url.Part { return url.Part{Text: text, Present: true} }
	for _, test := range []struct {
		login access.LoginAdvice
		want  string
	}{
		{access.LoginAdvice{}, ""},
		{access.LoginAdvice{User: part("ada")}, `Log in as "ada".`},
		{access.LoginAdvice{User: part("ada\x1b"), Password: part("")}, `Log in as "ada\x1b" with the password "".`},
		{access.LoginAdvice{Password: part("x")}, `Log in with the password "x".`},
	} {
		if got := adviceOf(test.login); got != test.want {
			t.Errorf("adviceOf(%v) = %q, want %q", test.login, got, test.want)
		}
	}
}

// After each frame, the page shows the screen.
func FuzzShownScreen(f *testing.F) {
	f.Add("ab|cd", "ab|ce", "x")
	f.Add("a|b|c", "a|b", "漢|ω ")
	f.Add("", "  |  ", "")
	f.Fuzz(func(t *testing.T, first, second, third string) {
		var c shownScreen
		var shown []string
		for _, text := range []string{first, second, third, first} {
			var s terminal.Screen
			for row := range strings.SplitSeq(text, "|") {
				s.Cells = append(s.Cells, cells(row, terminal.Style{Bold: strings.Contains(row, "b")}))
			}
			frame, _ := c.update(s, false)
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
