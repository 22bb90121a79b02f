package main

import (
	"strings"
	"testing"
)

// A password is hidden where the URL shows it. A short password does not hide other text.
func TestShortPassword(t *testing.T) {
	address, _ := ftpRecorder(t)
	for password, want := range map[string]string{
		"p": "type=file is no help", "e": "type=file is no help", "type": "xxxxx=file is no help",
	} {
		status, _, stderr := runHere(t, "", "get", "ftp://u:"+password+"@"+address+"/"+password)
		if status != 1 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "open ftp://u:xxxxx@"+address+"/"+password+": ") {
			t.Errorf("with the password %q: status %d, %s, want %q", password, status, stderr, want)
		}
	}
}
