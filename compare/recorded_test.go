package compare

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/url"
)

// models are the functions that read a text as a program does, each with the name of the program in internal/models and
// of its file in testdata.
var models = []struct {
	name string
	read func(text string) (url.Parts, error)
}{
	{"curl", curlParts},
	{"python", pythonParts},
	{"java", javaParts},
	{"php", phpParts},
	{"ruby", rubyParts},
	{"perl", perlParts},
	{"node", nodeParts},
	{"php-uri", phpURIParts},
	{"php-whatwg", whatwgParts},
}

// A recording has the answers of a program to the texts of testdata/inputs.jsonl, in their order. An answer is null if
// the program refuses the text, "?" if it cannot be asked, or the parts from the scheme to the fragment. The last parts
// are left out if they are absent.
type recording struct {
	software string
	answers  []json.RawMessage
}

// Every model reads every text as the real program did when it was recorded.
func TestRecorded(t *testing.T) {
	inputs := readInputs(t)
	for _, test := range models {
		t.Run(test.name, func(t *testing.T) {
			compareAnswers(t, test.name, test.read, inputs, parseRecording(t, readLines(t, test.name)))
		})
	}
}

// compareAnswers compares a model with the answers of its program. testdata/expected_failures.txt lists the texts that
// the model reads differently: the name of the program, a space, and the text as JSON.
func compareAnswers(t *testing.T, name string, read func(text string) (url.Parts, error), inputs []string, recorded recording) {
	t.Helper()
	if len(recorded.answers) != len(inputs) {
		t.Fatalf("%s has %d answers to %d texts", recorded.software, len(recorded.answers), len(inputs))
	}
	expected := expectedFailures(t, name)
	asked := 0
	for i, in := range inputs {
		if string(recorded.answers[i]) == `"?"` {
			continue
		}
		asked++
		problem := compareAnswer(in, read, recorded.answers[i])
		switch {
		case problem != "" && !expected[in]:
			t.Errorf("model of %q: %s, but %s answers %s", in, problem, recorded.software, recorded.answers[i])
		case problem == "" && expected[in]:
			t.Errorf("model of %q reads it as %s does: remove it from testdata/expected_failures.txt", in, recorded.software)
		}
	}
	t.Logf("%s: %d texts, of which %d are expected to differ", recorded.software, asked, len(expected))
}

// compareAnswer returns how the model differs from an answer, or "" if it does not.
func compareAnswer(in string, read func(text string) (url.Parts, error), answer json.RawMessage) string {
	parts, err := read(in)
	if refused := string(answer) == "null"; refused || err != nil {
		if refused != (err != nil) {
			return fmt.Sprintf("%q, %v", parts, err)
		}
		return ""
	}
	var want [8]*string
	if err := json.Unmarshal(answer, &want); err != nil {
		return err.Error()
	}
	for n := url.Scheme; n <= url.Fragment; n++ {
		if got := parts.Part(n); !isRecorded(n, got, want[n]) {
			return fmt.Sprintf("%v %q", n, got.Text)
		}
	}
	return ""
}

// expectedFailures returns the texts that the model of a program reads differently.
func expectedFailures(t *testing.T, name string) map[string]bool {
	t.Helper()
	expected := map[string]bool{}
	text, err := os.ReadFile(filepath.Join("testdata", "expected_failures.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		quoted, ok := strings.CutPrefix(line, name+" ")
		if !ok {
			continue
		}
		var in string
		if err := json.Unmarshal([]byte(quoted), &in); err != nil {
			t.Fatalf("testdata/expected_failures.txt: %q: %v", line, err)
		}
		expected[in] = true
	}
	return expected
}

// isRecorded reports whether a part equals the recorded one. It does not distinguish an empty part from an absent one,
// because some of the programs do not. JSON has U+FFFD for each byte that is not UTF-8.
func isRecorded(n url.PartName, got url.Part, want *string) bool {
	text := ""
	if want != nil {
		text = *want
	}
	if n == url.Port {
		return trimZeros(got.Text) == trimZeros(text)
	}
	return string([]rune(got.Text)) == text
}

func trimZeros(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}

// readInputs returns the texts that the programs were asked.
func readInputs(t *testing.T) []string {
	t.Helper()
	var inputs []string
	for _, line := range readLines(t, "inputs") {
		var in string
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			t.Fatalf("testdata/inputs.jsonl, %s: %v", line, err)
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// parseRecording parses the lines that a program writes.
func parseRecording(t *testing.T, lines []string) (recorded recording) {
	t.Helper()
	if err := json.Unmarshal([]byte(lines[0]), &recorded.software); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		recorded.answers = append(recorded.answers, json.RawMessage(line))
	}
	return recorded
}

// readLines returns the lines of a file in testdata.
func readLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}
