package main

import (
	"errors"
	"os"

	"locus/server"
)

// readUsers reads the file of --auth.
func readUsers(name string) (*server.Users, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	users, err := server.ParseUsers(string(text))
	if e, ok := errors.AsType[*server.UsersError](err); ok {
		return nil, &usageError{"--auth: " + name + ": " + err.Error(), e.Suggest().String()}
	}
	if err != nil {
		return nil, misuse("--auth: %s: %v", name, err)
	}
	return users, nil
}
