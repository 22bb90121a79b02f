package accesstest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"testing"

	"locus/access"
)

// Transcript returns scripts that replay a recording. The recording has JSON lines in the
// order of the wire:
//
//	{"dir":"c2s","hex":"…"}                bytes from the client
//	{"dir":"s2c","hex":"…"}                bytes from the server
//	{"dir":"s2c","hex":"…","chan":"data"}  the same, on a connection of its own
//
// The first script is for the main connection; each line of another channel becomes one
// more script. Out-of-band bytes come in their place among the others.
func Transcript(t testing.TB, jsonl []byte) []Script {
	t.Helper()
	scripts := make([]Script, 1)
	d := json.NewDecoder(bytes.NewReader(jsonl))
	for {
		var line struct{ Dir, Hex, Chan string }
		err := d.Decode(&line)
		if access.IsEnd(err) {
			return scripts
		}
		if err != nil {
			t.Fatalf("transcript: %v", err)
		}
		data, err := hex.DecodeString(line.Hex)
		if err != nil {
			t.Fatalf("transcript: %v", err)
		}
		step := Send(string(data))
		if line.Dir == "c2s" {
			step = Expect(string(data))
		}
		if line.Chan == "" {
			scripts[0] = append(scripts[0], step)
		} else {
			scripts = append(scripts, Script{step})
		}
	}
}
