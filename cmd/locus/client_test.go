package main

import (
	"slices"
	"testing"
)

// All verbs that open URLs have the common flags for access.
func TestAccessFlags(t *testing.T) {
	verbs := []string{"get", "mirror", "ls", "stat", "put", "append", "rm", "mkdir", "cp", "open", "extract", "check", "serve"}
	for _, name := range verbs {
		verb, err := program().Find(name)
		if err != nil {
			t.Fatalf("Find(%q): %v", name, err)
		}
		var names []string
		for _, f := range verb.Flags() {
			names = append(names, f.Name)
		}
		wanted := []string{"idle", "proxy", "allow-port"}
		switch name {
		case "check":
			wanted = append(wanted, "timeout")
		case "serve":
			wanted = append(wanted, "request-timeout")
		default:
			wanted = append(wanted, "max-time")
		}
		if name != "open" { // open itself opens only sessions, and the browser opens other URLs
			wanted = append(wanted, "ftp-tls", "news-tls", "spool", "mail")
		}
		for _, flag := range wanted {
			if !slices.Contains(names, flag) {
				t.Errorf("the verb %s does not have the flag --%s", name, flag)
			}
		}
	}
}
