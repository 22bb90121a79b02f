package screen

import "locus/terminal"

// applySGR returns style after the parameters of an SGR (ECMA-48 §8.3.117), or the
// zero Style without parameters. Bit i of joined is set if parameter i belongs to
// the parameter before it:
//
//	4 : 3                  a kind of underline
//	38 ; 5 ; n             a palette colour; 48: background, 58: underline
//	38 : 2 : : r : g : b   an RGB colour
//	38 ; 2 ; r ; g ; b     the same
func applySGR(style terminal.Style, parameters []int, joined uint32) terminal.Style {
	if len(parameters) == 0 {
		return terminal.Style{}
	}
	for i := 0; i < len(parameters); {
		end := i + 1
		for joined>>end&1 == 1 {
			end++
		}
		switch n := parameters[i]; {
		case n == 38 || n == 48 || n == 58:
			var colour terminal.Colour
			if end > i+1 {
				colour = parseJoinedColour(parameters[i+1 : end])
			} else {
				var used int
				colour, used = parseColour(parameters[end:])
				end += used
			}
			switch {
			case colour == 0:
			case n == 38:
				style.Foreground = colour
			case n == 48:
				style.Background = colour
			}
		case n == 4 && end > i+1:
			style.Underline = parameters[i+1] != 0
		default:
			applyParameter(&style, n)
		}
		i = end
	}
	return style
}

// parseColour parses the parameters after 38, 48 or 58. used is the number of parameters that
// belong to the colour. An invalid colour is 0, and uses all parameters.
func parseColour(p []int) (colour terminal.Colour, used int) {
	switch {
	case len(p) >= 2 && p[0] == 5 && p[1] < 256:
		return terminal.Palette(uint8(p[1])), 2 //nolint:gosec // it fits
	case len(p) >= 4 && p[0] == 2 && max(p[1], p[2], p[3]) < 256:
		return terminal.RGB(uint8(p[1]), uint8(p[2]), uint8(p[3])), 4 //nolint:gosec // they fit
	}
	return 0, len(p) // the length of an unknown format is unknown, so all are skipped
}

// parseJoinedColour parses a colour whose parameters are joined by colons. An RGB colour may have a
// colour space id before its components. An invalid colour is 0.
func parseJoinedColour(p []int) terminal.Colour {
	if len(p) >= 5 && p[0] == 2 {
		p = append([]int{2}, p[2:]...)
	}
	colour, _ := parseColour(p)
	return colour
}

// applyParameter applies a parameter of SGR that needs no others.
func applyParameter(style *terminal.Style, n int) {
	switch {
	case n == 0:
		*style = terminal.Style{}
	case n >= 30 && n <= 37:
		style.Foreground = terminal.Palette(uint8(n - 30)) //nolint:gosec // it fits
	case n == 39:
		style.Foreground = 0
	case n >= 40 && n <= 47:
		style.Background = terminal.Palette(uint8(n - 40)) //nolint:gosec // it fits
	case n == 49:
		style.Background = 0
	case n >= 90 && n <= 97:
		style.Foreground = terminal.Palette(uint8(n - 90 + 8)) //nolint:gosec // it fits
	case n >= 100 && n <= 107:
		style.Background = terminal.Palette(uint8(n - 100 + 8)) //nolint:gosec // it fits
	default:
		applyAttribute(style, n)
	}
}

// applyAttribute applies a parameter of SGR that is not a colour.
func applyAttribute(style *terminal.Style, n int) {
	switch n {
	case 1:
		style.Bold = true
	case 2:
		style.Faint = true
	case 3:
		style.Italic = true
	case 4, 21:
		style.Underline = true
	case 5, 6:
		style.Blink = true
	case 7:
		style.Reverse = true
	case 8:
		style.Conceal = true
	case 9:
		style.Strike = true
	case 22:
		style.Bold, style.Faint = false, false
	case 23:
		style.Italic = false
	case 24:
		style.Underline = false
	case 25:
		style.Blink = false
	case 27:
		style.Reverse = false
	case 28:
		style.Conceal = false
	case 29:
		style.Strike = false
	}
}
