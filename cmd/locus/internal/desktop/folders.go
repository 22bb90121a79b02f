package desktop

import "path/filepath"

// Folders finds the folders of a user by the environment. Set both fields. A method returns "" if
// the folder is unknown. The folder need not exist.
type Folders struct {
	System string                   // a value of runtime.GOOS
	Getenv func(name string) string // returns an environment variable; "" if it is not set
}

// Home returns the user's home; "" if it is unknown.
func (f Folders) Home() string {
	if f.System == "windows" {
		return f.Getenv("USERPROFILE")
	}
	return f.Getenv("HOME")
}

// Cache returns the folder for caches; "" if it is unknown.
func (f Folders) Cache() string {
	switch f.System {
	case "windows":
		return f.Getenv("LocalAppData")
	case "darwin":
		return below(f.Home(), "Library", "Caches")
	}
	return f.xdg("XDG_CACHE_HOME", ".cache")
}

// State returns the folder in which programs keep state, such as histories.
func (f Folders) State() string { return f.xdg("XDG_STATE_HOME", ".local", "state") }

// Data returns the folder for the data of programs.
func (f Folders) Data() string { return f.xdg("XDG_DATA_HOME", ".local", "share") }

// Config returns the folder for configurations.
func (f Folders) Config() string { return f.xdg("XDG_CONFIG_HOME", ".config") }

// xdg returns the folder that an environment variable of the XDG Base Directory Specification
// names, or the folder usual below the home if the variable is not set or not an absolute path.
func (f Folders) xdg(variable string, usual ...string) string {
	if dir := f.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return below(f.Home(), usual...)
}

// below joins dir and names, or returns "" if dir is "".
func below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}
