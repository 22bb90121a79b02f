package desktop

// Browser returns the name and the arguments of the command that opens target in the user's default
// browser. system is a value of runtime.GOOS. target must be an http or https URL, because for the
// URL of another scheme the system may run a program.
func Browser(system, target string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", []string{target}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", target}
	}
	return "xdg-open", []string{target}
}
