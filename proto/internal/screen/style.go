package screen

import "locus/terminal"

// restyled returns what SGR (ECMA-48 §8.3.117) makes of a style. joined has a bit
// for each parameter that is a part of the one before:
//
//	4 : 3               one of the underlines
//	38 ; 5 ; n          a colour of the palette; 48 is the background, 58 the underline's
//	38 : 2 : : r : g : b   a mixture
//	38 ; 2 ; r ; g ; b     the same
func restyled(style terminal.Style, parameters []int, joined uint32) terminal.Style {
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
				colour = joinedColour(parameters[i+1 : end])
			} else {
				var used int
				colour, used = colourOf(parameters[end:])
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
			restyle(&style, n)
		}
		i = end
	}
	return style
}

// colourOf reads what comes after 38 or 48, and how many parameters that is; 0
// is no colour.
func colourOf(p []int) (colour terminal.Colour, used int) {
	switch {
	case len(p) >= 2 && p[0] == 5 && p[1] < 256:
		return terminal.Palette(uint8(p[1])), 2 //nolint:gosec // it fits
	case len(p) >= 4 && p[0] == 2 && max(p[1], p[2], p[3]) < 256:
		return terminal.RGB(uint8(p[1]), uint8(p[2]), uint8(p[3])), 4 //nolint:gosec // they fit
	}
	return 0, len(p) // nobody knows where it ends
}

// joinedColour is colourOf where the parts are joined: a mixture may then say
// which space of colours it is of, before the others.
func joinedColour(p []int) terminal.Colour {
	if len(p) >= 5 && p[0] == 2 {
		p = append([]int{2}, p[2:]...)
	}
	colour, _ := colourOf(p)
	return colour
}

// restyle does what one parameter says.
func restyle(style *terminal.Style, n int) {
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
		highlight(style, n)
	}
}

func highlight(style *terminal.Style, n int) {
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
