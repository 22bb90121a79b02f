package compare

import (
	"encoding/json"
	"os"
	"testing"

	"locus/url"
)

// A recording has the answers of one parser to many texts. An answer is the text and, unless the parser refused it,
// its parts from the scheme to the fragment.
type recording struct {
	Software string
	Readings [][]json.RawMessage
}

// Every model reads every text as the real software did.
func TestRecorded(t *testing.T) {
	for _, test := range []struct {
		file   string
		parser Parser
	}{
		{"curl", Curl}, {"python", Python}, {"java", Java}, {"php", PHP},
	} {
		t.Run(test.file, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + test.file + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var recorded recording
			if err := json.Unmarshal(text, &recorded); err != nil {
				t.Fatal(err)
			}
			for _, row := range recorded.Readings {
				var in string
				want := make([]*string, 8)
				if err := json.Unmarshal(row[0], &in); err != nil {
					t.Fatal(err)
				}
				r := Read(in).Readings[test.parser]
				if len(row) == 1 {
					if r.Err == nil {
						t.Errorf("model of %q = %q, but %s refuses it", in, r.Parts, recorded.Software)
					}
					continue
				}
				if err := json.Unmarshal(row[1], &want); err != nil {
					t.Fatal(err)
				}
				if r.Err != nil {
					t.Errorf("model of %q = %v, but %s reads %s", in, r.Err, recorded.Software, row[1])
					continue
				}
				for n := url.Scheme; n <= url.Fragment; n++ {
					if got := r.Parts.Part(n); !isRecorded(n, got, want[n]) {
						t.Errorf("%v of the model of %q = %q (%v), but %s reads %s", n, in, got.Text, got.Present, recorded.Software, row[1])
					}
				}
			}
			t.Logf("%s: %d texts", recorded.Software, len(recorded.Readings))
		})
	}
}

// isRecorded reports whether a part equals the recorded one. It does not distinguish an empty part from an absent one,
// because some of the programs do not.
func isRecorded(n url.PartName, got url.Part, want *string) bool {
	text := ""
	if want != nil {
		text = *want
	}
	if n == url.Port {
		return trimZeros(got.Text) == trimZeros(text)
	}
	return got.Text == text
}

func trimZeros(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}
