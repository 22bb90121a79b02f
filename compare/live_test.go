package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	programs "locus/internal/models"
)

var record = flag.Bool("record", false, "write the answers of the programs to testdata")

// Every model reads every text as its program does, if the program is on this machine. `make models` fetches the
// programs and writes their answers to testdata.
func TestLive(t *testing.T) {
	inputs := readInputs(t)
	asked, err := os.ReadFile(filepath.Join("testdata", "inputs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range models {
		t.Run(test.name, func(t *testing.T) {
			lines := answerLines(t, programs.Ask(t, test.name, asked))
			if *record {
				//nolint:gosec // everyone may read it
				if err := os.WriteFile(filepath.Join("testdata", test.name+".jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			compareAnswers(t, test.name, test.read, inputs, parseRecording(t, lines))
		})
	}
}

// answerLines returns the lines of an answer in the notation of testdata, in which the last parts are left out if they
// are absent.
func answerLines(t *testing.T, answer []byte) (lines []string) {
	t.Helper()
	for dec := json.NewDecoder(bytes.NewReader(answer)); dec.More(); {
		var value any
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if parts, ok := value.([]any); ok {
			for len(parts) > 0 && parts[len(parts)-1] == nil {
				parts = parts[:len(parts)-1]
			}
			value = parts
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(value); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSuffix(b.String(), "\n"))
	}
	return lines
}
