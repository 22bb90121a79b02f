package walk_test

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"locus/internal/glob"
	"locus/internal/walk"
)

func ExampleReader() {
	lengths := walk.Reader[string]{
		Workers: 4, Waiting: 100,
		IsAlone: func(string) bool { return false },
		Read: func(name string, err error, _ bool) iter.Seq[string] {
			return func(yield func(string) bool) {
				var text []byte
				if err == nil {
					text, err = os.ReadFile(name)
				}
				yield(fmt.Sprint(filepath.ToSlash(name), " ", len(text), " ", err))
			}
		},
	}
	texts := walk.Walker{Filter: glob.Filter{Include: []string{"*.txt"}}}
	files := func(do func(string, error) error) error { return texts.Files("testdata", do) }
	for line := range lengths.All(files) {
		fmt.Println(line)
	}
	// Output:
	// testdata/a.txt 2 <nil>
	// testdata/sub/b.txt 2 <nil>
}
