package pin

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"testing"
	"time"
)

func TestVerify(t *testing.T) {
	now := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	of := func(raw string, expires time.Time) tls.ConnectionState {
		return tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(raw), NotAfter: expires}}}
	}
	later := now.AddDate(1, 0, 0)
	var stored []string
	p := &Pins{Now: func() time.Time { return now }, Store: func(address string, pin Pin) error {
		stored = append(stored, address+" "+pin.Fingerprint[:4])
		return nil
	}}
	for _, test := range []struct {
		name, address string
		state         tls.ConnectionState
		want          bool
	}{
		{"a new server", "h:1965", of("a", later), true},
		{"the same", "h:1965", of("a", later), true},
		{"another certificate", "h:1965", of("b", later), false},
		{"another server", "i:1965", of("b", now.AddDate(0, 0, -1)), true},
		{"a new certificate after the old one has expired", "i:1965", of("c", later), true},
		{"the expired one", "i:1965", of("b", later), false},
		{"no certificate", "j:1965", tls.ConnectionState{}, false},
	} {
		err := p.Verify(test.address, test.state)
		if (err == nil) != test.want || err != nil && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: Verify = %v, want success: %v", test.name, err, test.want)
		}
	}
	if len(stored) != 3 {
		t.Errorf("stored %q, want three pins", stored)
	}
}

// A pin that cannot be stored is not used.
func TestVerifyStore(t *testing.T) {
	full := errors.New("disk full")
	p := &Pins{Store: func(string, Pin) error { return full }}
	state := tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("a"), NotAfter: time.Now().AddDate(1, 0, 0)}}}
	for range 2 {
		if err := p.Verify("h:1965", state); !errors.Is(err, full) {
			t.Errorf("Verify = %v, want the error of Store", err)
		}
	}
}

// Stored pins are obeyed. If they cannot be read, no certificate is accepted.
func TestLoad(t *testing.T) {
	broken := errors.New("unreadable")
	calls := 0
	p := &Pins{Load: func() (map[string]Pin, error) {
		if calls++; calls == 1 {
			return nil, broken
		}
		return map[string]Pin{"h:1965": {Fingerprint: "00", Expires: time.Now().AddDate(1, 0, 0)}}, nil
	}}
	state := tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("a")}}}
	if err := p.Verify("h:1965", state); !errors.Is(err, broken) {
		t.Errorf("Verify = %v, want the error of Load", err)
	}
	for range 2 {
		changed, ok := errors.AsType[*ChangedError](p.Verify("h:1965", state))
		if !ok || changed.Pinned.Fingerprint != "00" || changed.Address != "h:1965" || calls != 2 {
			t.Errorf("Verify = %v after %d calls of Load, want a ChangedError", changed, calls)
		}
	}
}
