package desktop

// Browser returns the command that opens a URL in the default browser of a system, a value
// of runtime.GOOS.
func Browser(system, target string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", []string{target}
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", target}
	}
	return "xdg-open", []string{target}
}
