package tn3270_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/tn3270"
	"locus/url"
)

func TestHostileHosts(t *testing.T) {
	for _, test := range []struct {
		name string
		step accesstest.Step
		want error
	}{
		{"an endless record", accesstest.SendForever("\xc1"), access.ErrTooLong},
		{"an endless subnegotiation", accesstest.Send("\xff\xfa\x18" + strings.Repeat("\x01", 1<<20)), access.ErrTooLong},
		{"cut off in a record", accesstest.Send("\xf5\xc2"), io.ErrUnexpectedEOF},
		{"cut off in a command", accesstest.Send("\xff"), io.ErrUnexpectedEOF},
		{"cut off in an option", accesstest.Send("\xff\xfd"), io.ErrUnexpectedEOF},
		{"cut off in a subnegotiation", accesstest.Send("\xff\xfa\x18"), io.ErrUnexpectedEOF},
		{"faults", accesstest.Send("\xf5\xc2\x11\xff" + end + "\x99" + end + end), io.EOF},
	} {
		s, _ := open(t, tn3270.Client{}, accesstest.Send(asks), test.step)
		_, err := io.Copy(io.Discard, s)
		if !errors.Is(err, test.want) && (err != nil || test.want != io.EOF) {
			t.Errorf("%s: reading gives %v, want %v", test.name, err, test.want)
		}
	}
}

// A record with only orders that fill the whole screen is executed in limited time.
func TestRepeatForever(t *testing.T) {
	loop := "\xf5\xc2" + strings.Repeat("\x3c\x40\x40\x5c", 16<<10-1) + end
	s, _ := open(t, tn3270.Client{}, accesstest.Send(asks+loop))
	if _, err := io.Copy(io.Discard, s); err != nil {
		t.Errorf("reading gives %v", err)
	}
	if got := s.Screen().Lines[23]; got != strings.Repeat("*", 80) {
		t.Errorf("the last row is %q", got)
	}
}

func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t, tn3270.Client{}, accesstest.Stall())
		done := make(chan error)
		go func() {
			_, err := s.Read(make([]byte, 1))
			done <- err
		}()
		synctest.Wait()
		s.Close()
		if err := <-done; err == nil || errors.Is(err, io.EOF) {
			t.Errorf("Read of a closed session = %v", err)
		}
		if _, err := s.Write([]byte("x")); err == nil {
			t.Error("Write to a closed session gives no error")
		}
		if err := s.Resize(80, 25); err == nil {
			t.Error("Resize of a closed session gives no error")
		}
	})
}

// The captures are sessions with hercules. testdata has the expected screens.
//
// req: 1630-inter-1
func TestCaptures(t *testing.T) {
	want, err := os.ReadFile("testdata/hercules.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string]tn3270.Client{"tn3270-hercules-e": {}, "tn3270-hercules": {Monochrome: true}} {
		capture, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		server := accesstest.Serve(t, accesstest.Transcript(t, capture)...)
		client.Dial = server.Dial
		r, err := client.Do(t.Context(), &access.Request{URL: url.MustParse("tn3270://h/")})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		s := r.Session.(*tn3270.Session)
		waitFor(t, s, "Hercules Version")
		if got := strings.Join(s.Screen().Lines, "\n") + "\n"; got != string(want) {
			t.Errorf("%s: the screen shows\n%s\nwant\n%s", name, got, want)
		}
		if err := s.Press(tn3270.Enter, tn3270.Reset, tn3270.Clear); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := io.Copy(io.Discard, s); err != nil {
			t.Errorf("%s: reading to the end: %v", name, err)
		}
		s.Close()
	}
}

func FuzzHost(f *testing.F) {
	accesstest.Fuzz(f, engine, url.MustParse("tn3270://h/"),
		[2]string{asks + hello}, [2]string{"text\r\n" + asks + "\xf3\x00\x05\x01\xff\x02" + end}, [2]string{asks + "\xf2" + end + "\xff\xfe\x00text"},
	)
}
