// Walk lists the files below a URL, as fs.WalkDir lists a folder:
//
//	go run ./examples/walk gopher://gopher.example.org/1/docs
package main

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"

	"locus"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: walk URL")
	}
	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext}
	defer c.Close()

	fsys, err := c.FS(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	err = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			fmt.Println(path)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}
