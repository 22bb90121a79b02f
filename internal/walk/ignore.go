package walk

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"locus/internal/glob"
)

// An ignorePattern is a line of a .gitignore file (gitignore(5)).
type ignorePattern struct {
	segments []string // of the pattern, between "/"; "**" matches any number of segments
	anchored bool     // it matches paths from its folder on, not names at any depth
	folders  bool     // it matches only folders
	include  bool     // "!": files that match are not ignored
}

// parseIgnore parses a line of a .gitignore file. ok is false for an empty line and a comment.
func parseIgnore(line string) (p ignorePattern, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return ignorePattern{}, false
	}
	line, p.include = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	if line == "" {
		return p, false
	}
	p.anchored = strings.Contains(line, "/")
	line = strings.ReplaceAll(strings.TrimPrefix(line, "/"), "[!", "[^")
	p.segments = strings.Split(line, "/")
	if last := len(p.segments) - 1; last > 0 && p.segments[last] == "**" {
		// It matches the files below the folder, not the folder itself.
		p.segments = append(p.segments[:last], "*", "**")
	}
	return p, true
}

// match reports whether the pattern matches file, a path below the folder of its .gitignore.
// folder says whether file is a folder.
func (p ignorePattern) match(file string, folder bool) bool {
	if p.folders && !folder {
		return false
	}
	if !p.anchored {
		return glob.MatchPath(p.segments, []string{path.Base(file)})
	}
	return glob.MatchPath(p.segments, strings.Split(file, "/"))
}

// ignores are the patterns of one file, and of files with lower priority.
type ignores struct {
	above    *ignores
	folder   string
	patterns []ignorePattern
}

// readIgnores returns the patterns in the .gitignore file of a folder, in front of above, the
// patterns of the folders above it. At the root of a repository it replaces above by the
// patterns in .git/info/exclude, because Git does not look outside.
func readIgnores(above *ignores, folder string) *ignores {
	if isRepository(folder) {
		above = readPatterns(nil, folder, ".git/info/exclude")
	}
	return readPatterns(above, folder, ".gitignore")
}

// isRepository reports whether folder is the root of a Git repository.
func isRepository(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}

// maxIgnoreFile is the size of the largest file of patterns that Git reads.
const maxIgnoreFile = 100 << 20

// readPatterns returns the patterns in the file name of a folder, in front of above. It returns
// above if it cannot read the file.
func readPatterns(above *ignores, folder, name string) *ignores {
	name = filepath.Join(folder, filepath.FromSlash(name))
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return above // opening a named pipe would block
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return above
	}
	in := &ignores{above: above, folder: folder}
	for line := range strings.Lines(string(text)) {
		if p, ok := parseIgnore(line); ok {
			in.patterns = append(in.patterns, p)
		}
	}
	return in
}

// ignoresAbove returns the patterns that the folders above folder have for it, from the root of
// the repository on. It returns nil outside a repository.
func ignoresAbove(folder string) *ignores {
	var up []string
	for at := folder; !isRepository(at); at = filepath.Dir(at) {
		if at == filepath.Dir(at) {
			return nil // not in a repository
		}
		up = append(up, filepath.Dir(at))
	}
	var in *ignores
	for i := len(up) - 1; i >= 0; i-- {
		in = readIgnores(in, up[i])
	}
	return in
}

// ignored reports whether the file or folder with the absolute path full is ignored. folder
// says whether it is a folder. The last matching pattern of the lowest folder decides, as in
// Git. A nil in ignores no file.
func (in *ignores) ignored(full string, folder bool) bool {
	for ; in != nil; in = in.above {
		below, err := filepath.Rel(in.folder, full)
		if err != nil {
			continue
		}
		below = filepath.ToSlash(below)
		for i := len(in.patterns) - 1; i >= 0; i-- {
			if in.patterns[i].match(below, folder) {
				return !in.patterns[i].include
			}
		}
	}
	return false
}
