//go:build !linux

package main

import (
	"errors"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
)

func runAtTerminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("package ptytest opens terminals only on Linux: use [!linux] skip")
}

func atTerminal(func(tty *os.File)) ([]byte, error) { return nil, errors.ErrUnsupported }
