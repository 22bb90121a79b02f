package ftp_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// replay returns a server that repeats the recorded replies of a real one.
func replay(t *testing.T, file string) *server {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := serve(t)
	command, mode := "greeting", "A"
	replies := map[string][]string{} // by command, in order
	data, uploads := map[string]string{}, map[string]string{}
	for d := json.NewDecoder(f); ; {
		var line struct{ Dir, Hex, Chan string }
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		sent, err := hex.DecodeString(line.Hex)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case line.Dir == "c2s" && line.Chan == "data":
			uploads[command] += string(sent)
		case line.Dir == "c2s":
			command = string(bytes.TrimSuffix(sent, []byte("\r\n")))
			if m, ok := strings.CutPrefix(command, "TYPE "); ok {
				mode = m
			}
			if strings.HasPrefix(command, "RETR ") {
				command = mode + " " + command
			}
		case line.Chan == "data":
			data[command] += string(sent)
		default:
			replies[command] = append(replies[command], string(sent))
		}
	}
	answer := func(c *control, command string) {
		texts := replies[command]
		if content, ok := data[command]; ok {
			c.transfer(texts[0], content, strings.Join(texts[1:], ""))
			return
		}
		if content, ok := uploads[command]; ok {
			c.expectUpload(texts[0], content, strings.Join(texts[1:], ""))
			return
		}
		c.reply(strings.Join(texts, ""))
	}
	for command := range replies {
		switch verb, arg, _ := strings.Cut(command, " "); {
		case verb == "EPSV": // the port is not the recorded one
		case verb == "TYPE":
			s.script[command] = func(c *control) { c.currentType = arg; answer(c, command) }
		case verb == "A", verb == "I":
			s.script[arg] = func(c *control) { answer(c, c.currentType+" "+arg) }
		default:
			s.script[command] = func(c *control) { answer(c, command) }
		}
	}
	return s
}

// expectUpload is transfer in the other direction: the client must send data.
func (c *control) expectUpload(before, data, after string) {
	conn, ok := c.accept()
	if !ok {
		return
	}
	defer conn.Close()
	c.reply(before)
	if got, err := io.ReadAll(conn); err != nil || string(got) != data {
		c.t.Errorf("the client uploads %q, %v, want %q", got, err, data)
	}
	c.reply(after)
}

func TestReplay(t *testing.T) {
	tests := []struct {
		file  string
		login string // goes before the host
		email string
		text  string // hello.txt in type A
		names []string
	}{
		{"testdata/ftp-proftpd.jsonl", "", "me@example.org", "hello ftp\r\nline two\r\n", []string{"a b;c.txt", "hello.txt", "up.txt", "sub", "blob.bin"}},
		// Type A adds a CR even to lines that end in CR LF.
		{"testdata/ftp-pureftpd.jsonl", "alice:secret@", "", "hello ftp\r\r\nline two\r\r\n", []string{"a b;c.txt", "hello.txt", "up.txt", "sub", "blob.bin"}},
		// A directory is opened as a file, and cannot be read.
		{"testdata/ftp-filezilla.jsonl", "alice:secret@", "", "hello ftp\r\nline two\r\n", []string{"dirlink", "a b;c.txt", "hello.txt", "up.txt", "sub", "blob.bin"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			s := replay(t, test.file)
			c := s.client()
			c.Email = test.email
			at := "ftp://" + test.login + "h/pub/"

			all, err := entries(t, c, at)
			if got := titles(all); err != nil || !slices.Equal(got, test.names) {
				t.Errorf("MLSD: %q, %v, want %q", got, err, test.names)
			}
			for _, e := range all {
				if e.Title == "blob.bin" && (e.Size != 3000 || e.Kind != access.Object || !e.ModTime.Equal(time.Date(2026, 11, 21, 2, 2, 8, 0, time.UTC))) {
					t.Errorf("MLSD: %+v, want 3000 bytes of 02:02:08", e)
				}
			}
			all, err = entries(t, c, at+";type=d")
			if got := titles(all); err != nil || !slices.Equal(got, test.names) {
				t.Errorf("NLST: %q, %v, want %q", got, err, test.names)
			}
			old := replay(t, test.file)
			old.script["FEAT"] = say("211 none\r\n")
			withoutMLSD := old.client()
			withoutMLSD.Email = test.email
			all, err = entries(t, withoutMLSD, at)
			got := titles(all)
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(test.names)); err != nil || !slices.Equal(got, want) {
				t.Errorf("LIST: %q, %v, want %q", got, err, want)
			}

			if text, err := get(t, c, at+"hello.txt;type=a"); err != nil || text != test.text {
				t.Errorf("hello.txt as text = %q, %v, want %q", text, err, test.text)
			}
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(at + "hello.txt;type=i")})
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil || string(content) != "hello ftp\r\nline two\r\n" || r.Size != 21 {
				t.Errorf("hello.txt = %q of %d, %v", content, r.Size, err)
			}
			for _, missing := range []string{"nope", "sub", "nope/"} {
				if _, err := get(t, c, at+missing); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s = %v, want fs.ErrNotExist", missing, err)
				}
			}
		})
	}
}
