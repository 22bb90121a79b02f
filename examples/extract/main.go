// Extract prints every URL in standard input, with its line and column:
//
//	go run ./examples/extract <notes.txt
//
// The text may have any length, because only a window of it is in memory.
package main

import (
	"fmt"
	"log"
	"os"

	"locus/extract"
)

func main() {
	log.SetFlags(0)
	for m, err := range extract.All(os.Stdin, extract.Options{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d:%d %s\n", m.Line, m.Column, m.Text)
	}
}
