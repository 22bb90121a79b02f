package site

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// valuesOf returns the cleaned paths to which a configuration sets key. There may be one for each language. The
// configuration is in YAML, TOML, JSON or JavaScript, perhaps with a byte order mark. A value that is an expression or
// has blanks is left out. For the key "" the result is nil.
func valuesOf(text []byte, key string) (values []string) {
	if key == "" {
		return nil
	}
	setting := regexp.MustCompile(`(?:^|[\s{,"'\x{feff}])` + regexp.QuoteMeta(key) + `["']?\s*[:=]\s*["']?([\p{L}\p{M}\p{N}_./-]+)(?:["',}\s]|$)`)
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//")) {
			continue
		}
		if m := setting.FindSubmatch(line); m != nil {
			values = append(values, path.Clean(string(m[1])))
		}
	}
	return values
}

// exists reports whether a folder has a file or a folder with this name.
func exists(folder fs.FS, name string) bool {
	_, err := fs.Stat(folder, name)
	return err == nil
}

// maxConfig is how many bytes of a configuration are read.
const maxConfig = 1 << 20

// configText returns the text of the named configuration. If that is a folder, such as .vitepress, it is the text of
// the file config in that folder. The result is nil if the configuration is too large, is a pipe or a device, or cannot
// be read.
func configText(folder fs.FS, name string) []byte {
	info, err := fs.Stat(folder, name)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		for _, pattern := range []string{"/config.*", "/config/index.*"} {
			if names, _ := fs.Glob(folder, name+pattern); len(names) > 0 {
				return configText(folder, names[0])
			}
		}
		return nil
	case !info.Mode().IsRegular(), info.Size() > maxConfig:
		return nil
	}
	text, _ := fs.ReadFile(folder, name)
	return text
}

// hasWord reports whether text contains one of several words, which are separated by spaces. The word may be part of a
// longer word or of a comment.
func hasWord(text []byte, words string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool { return bytes.Contains(text, []byte(word)) })
}
