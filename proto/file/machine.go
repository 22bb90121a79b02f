package file

import (
	"os"
	"runtime"
)

// Machine returns an engine for all files of this machine. A URL may have the name of the machine
// as its host. Drives of Windows that cannot be opened now are left out. The engine keeps directories
// open, so make one engine for the whole process.
func Machine() System {
	var s System
	s.Root, _ = os.OpenRoot(string(os.PathSeparator))
	if name, err := os.Hostname(); err == nil {
		s.Names = []string{name}
	}
	if runtime.GOOS != "windows" {
		return s
	}
	s.Drives = make(map[byte]*os.Root)
	for letter := byte('A'); letter <= 'Z'; letter++ {
		if root, err := os.OpenRoot(string(letter) + `:\`); err == nil {
			s.Drives[letter] = root
		}
	}
	return s
}
