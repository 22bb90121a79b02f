package flags

import (
	"net/netip"
	"reflect"
	"testing"
	"time"
)

// Every kind accepts the values that its error asks for, and refuses others with an error that quotes them.
func TestKinds(t *testing.T) {
	const bytes = "--x must be a number of bytes, such as 500K or 1.5M, not "
	for _, test := range []struct {
		kind Kind
		text string
		want any    // the value
		err  string // "": none
	}{
		{Text(), "", "", ""},
		{Text(), "a b", "a b", ""},
		{Word(), "a", "a", ""},
		{Word(), "", nil, `--x must not be empty`},
		{Count(1, 10), "10", 10, ""},
		{Count(1, 10), "11", nil, `--x must be a number from 1 to 10, not "11"`},
		{Count(1, 10), "0", nil, `--x must be a number from 1 to 10, not "0"`},
		{Count(0, 10), "1.5", nil, `--x must be a number from 0 to 10, not "1.5"`},
		{Number(0, 1<<40), "1099511627776", int64(1 << 40), ""},
		{Number(-1, 1), "-1", int64(-1), ""},
		{Number(0, 9), "0x1", nil, `--x must be a number from 0 to 9, not "0x1"`},
		{Networks(), "10.1.2.3/8", netip.MustParsePrefix("10.0.0.0/8"), ""},
		{Networks(), "127.0.0.1", netip.MustParsePrefix("127.0.0.1/32"), ""},
		{Networks(), "2001:db8::1", netip.MustParsePrefix("2001:db8::1/128"), ""},
		{Networks(), "0.0.0.0/0", nil, `--x must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not "0.0.0.0/0"`},
		{Networks(), "::/0", nil, `--x must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not "::/0"`},
		{Networks(), "::ffff:10.0.0.1", nil, `--x must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not "::ffff:10.0.0.1"`},
		{Networks(), "localhost", nil, `--x must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not "localhost"`},
		{Networks(), "10.0.0.0/33", nil, `--x must be an address or a network, such as 10.0.0.7 or 10.1.0.0/16, not "10.0.0.0/33"`},
		{Port(0), "0", uint16(0), ""},
		{Port(1), "0", nil, `--x must be a number from 1 to 65535, not "0"`},
		{Port(1), "65536", nil, `--x must be a number from 1 to 65535, not "65536"`},
		{Size(), "500", int64(500), ""},
		{Size(), "64K", int64(64 << 10), ""},
		{Size(), "1.5m", int64(3 << 19), ""},
		{Size(), "2g", int64(2 << 30), ""},
		{Size(), "0", nil, bytes + `"0"`},
		{Size(), "-1K", nil, bytes + `"-1K"`},
		{Size(), "1KK", nil, bytes + `"1KK"`},
		{Size(), "K", nil, bytes + `"K"`},
		{Size(), "1T", nil, bytes + `"1T"`},
		{Size(), "NaN", nil, bytes + `"NaN"`},
		{Size(), "Inf", nil, bytes + `"Inf"`},
		{Size(), "99999999999G", nil, bytes + `"99999999999G"`}, // it would not fit
		{SizeOr0(-1), "0", int64(-1), ""},                       // "no limit" of an option whose zero is a default
		{SizeOr0(-1), "1K", int64(1024), ""},
		{SizeOr0(-1), "", nil, bytes + `""`},
		{Duration(), "1m30s", 90 * time.Second, ""},
		{Duration(), "30", nil, `--x must be a duration, such as 30s or 5m, not "30"`},
		{Duration(), "0s", nil, "--x must be a duration greater than 0, such as 30s"},
		{Duration(), "-1s", nil, "--x must be a duration greater than 0, such as 30s"},
		{DurationFrom0(), "0s", time.Duration(0), ""},
		{DurationFrom0(), "-1s", nil, `--x must be a duration of at least 0, such as 10s, not "-1s"`},
		{Rate(), "0.5", 0.5, ""},
		{Rate(), "0", nil, `--x must be a number of requests a second, not "0"`},
		{Rate(), "NaN", nil, `--x must be a number of requests a second, not "NaN"`},
		{Rate(), "1e9", nil, `--x must be a number of requests a second, not "1e9"`},
		{StatusCodes(), "200, 429", []int{200, 429}, ""},
		{StatusCodes(), "99", nil, `--x must be status codes, such as 200,429, not "99"`},
		{StatusCodes(), "200,,404", nil, `--x must be status codes, such as 200,429, not "200,,404"`},
	} {
		got, err := test.kind.Parse("x", test.text)
		switch {
		case test.err == "" && (err != nil || !reflect.DeepEqual(got, test.want)):
			t.Errorf("%q = %#v, %v, want %#v", test.text, got, err, test.want)
		case test.err != "" && (err == nil || err.Error() != test.err || !IsMisuse(err)):
			t.Errorf("%q: the error is %v, want the UsageError %s", test.text, err, test.err)
		}
	}
}
