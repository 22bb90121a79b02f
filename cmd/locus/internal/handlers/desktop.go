package handlers

import (
	"slices"
	"strings"
)

// The desktop entries for URLs that open in the browser, and for sessions in a terminal.
const (
	browserEntry  = "locus-handler.desktop"
	terminalEntry = "locus-session.desktop"
)

// desktopEntry returns a file of the Desktop Entry Specification. By it the command args
// opens the URLs of schemes.
func desktopEntry(name string, terminal bool, schemes, args []string) string {
	var b strings.Builder
	b.WriteString("[Desktop Entry]\nType=Application\nName=" + name + "\nNoDisplay=true\n")
	if terminal {
		b.WriteString("Terminal=true\n")
	}
	b.WriteString("Exec=")
	for _, arg := range args {
		b.WriteString(execWord(arg) + " ")
	}
	b.WriteString("%u\nMimeType=")
	for _, s := range schemes {
		b.WriteString(handlerType(s) + ";")
	}
	b.WriteString("\n")
	return b.String()
}

// handlerType returns the media type of a scheme's URLs on a desktop.
func handlerType(scheme string) string { return "x-scheme-handler/" + scheme }

// execWord returns a word of the key Exec: quoted by the rules of that key, and then
// escaped as every string of the file is.
//
// QUIRK: xdg-open 1.1.3 knows no quotes without a desktop, so only words that need them
// have them.
func execWord(word string) string {
	needs := word == "" || strings.ContainsAny(word, " \t\n\r\"'\\><~|&;$*?#()`")
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`).Replace(word)
	word = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%").Replace(word)
	if !needs {
		return word
	}
	return `"` + word + `"`
}

// defaults is the file mimeapps.list of the desktop, line by line.
type defaults []string

func parseDefaults(text string) defaults {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (d defaults) String() string {
	if len(d) == 0 {
		return ""
	}
	return strings.Join(d, "\n") + "\n"
}

const defaultsGroup = "[Default Applications]"

// group returns the lines of the default applications, as d[start:end]; start is 0 if
// there are none.
func (d defaults) group() (start, end int) {
	start = slices.IndexFunc(d, func(line string) bool { return strings.TrimSpace(line) == defaultsGroup }) + 1
	if start == 0 {
		return 0, 0
	}
	end = start
	for end < len(d) && !strings.HasPrefix(strings.TrimSpace(d[end]), "[") {
		end++
	}
	return start, end
}

// of returns the first entry for the URLs of a scheme; "" if there is none.
func (d defaults) of(scheme string) string {
	start, end := d.group()
	for _, line := range d[start:end] {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == handlerType(scheme) {
			first, _, _ := strings.Cut(value, ";")
			return strings.TrimSpace(first)
		}
	}
	return ""
}

// with returns d with entry as the first one for the URLs of a scheme.
func (d defaults) with(scheme, entry string) defaults {
	d = d.without(scheme, entry)
	start, end := d.group()
	if start == 0 {
		if len(d) > 0 && strings.TrimSpace(d[len(d)-1]) != "" {
			d = append(d, "")
		}
		return append(d, defaultsGroup, handlerType(scheme)+"="+entry)
	}
	for i, line := range d[start:end] {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == handlerType(scheme) {
			d[start+i] = handlerType(scheme) + "=" + strings.TrimSuffix(entry+";"+strings.Trim(value, "; "), ";")
			return d
		}
	}
	for end > start && strings.TrimSpace(d[end-1]) == "" {
		end--
	}
	return slices.Insert(d, end, handlerType(scheme)+"="+entry)
}

// without returns d without entry for the URLs of a scheme.
func (d defaults) without(scheme, entry string) defaults {
	kept := slices.Clone(d)
	start, end := kept.group()
	for i := end - 1; i >= start; i-- {
		key, value, _ := strings.Cut(kept[i], "=")
		if strings.TrimSpace(key) != handlerType(scheme) {
			continue
		}
		all := strings.Split(strings.TrimSuffix(strings.TrimSpace(value), ";"), ";")
		others := slices.DeleteFunc(slices.Clone(all), func(e string) bool { return strings.TrimSpace(e) == entry })
		switch {
		case len(others) == len(all): // it is not named
		case len(others) == 0:
			kept = slices.Delete(kept, i, i+1)
		default:
			kept[i] = handlerType(scheme) + "=" + strings.Join(others, ";")
		}
	}
	return kept
}
