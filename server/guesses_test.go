package server

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// The number of records stays below maxRecords. Records that other records have displaced are forgotten.
func TestGuessesForget(t *testing.T) {
	g := newGuesses(nil)
	const client = "203.0.113.9/32"
	for i := range addressFree {
		g.take(client, fmt.Sprint("user", i))
	}
	if _, wait := g.take(client, "ada"); wait == 0 {
		t.Fatal("an address that failed 20 times does not wait")
	}
	for i := range maxRecords / 4 { // each guess has a record of its address, and one of its address and user
		g.take(fmt.Sprint("client", i), "ada")
		if n := len(g.young) + len(g.old); n > maxRecords {
			t.Fatalf("after %d guesses there are %d records, want at most %d", i+1, n, maxRecords)
		}
	}
	if _, wait := g.take(client, "ada"); wait == 0 {
		t.Errorf("the failures are forgotten after %d guesses", maxRecords/4)
	}
	for i := range maxRecords {
		g.take(fmt.Sprint("later", i), "ada")
	}
	if n := len(g.young) + len(g.old); n > maxRecords {
		t.Errorf("%d records, want at most %d", n, maxRecords)
	}
	if _, wait := g.take(client, "ada"); wait != 0 {
		t.Errorf("the address still waits %v after %d other guesses", wait, maxRecords)
	}
}

// A guess that is refused adds no record, so an attacker cannot displace records without comparisons.
func TestGuessesRefused(t *testing.T) {
	g := newGuesses(nil)
	for i := range addressFree {
		g.take("c", fmt.Sprint("user", i))
	}
	before := len(g.young)
	for i := range 1000 {
		if _, wait := g.take("c", fmt.Sprint("other", i)); wait == 0 {
			t.Fatalf("guess %d is not refused", i)
		}
	}
	if n := len(g.young); n != before {
		t.Errorf("1000 refused guesses change the number of records from %d to %d", before, n)
	}
}

// A successful login forgives the failures of its address at its user. It keeps the failures at
// other users, because an attacker with a login could clear them otherwise. A guess that was not
// compared leaves no trace.
func TestGuessesForgive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(nil)
		for range 9 {
			g.take("c", "ada")
		}
		for range 100 {
			right, wait := g.take("c", "eve")
			if wait != 0 {
				t.Fatalf("a right login waits %v", wait)
			}
			g.forgive(right)
		}
		if r := g.find(g.name("address", "c", ""), time.Now()); r == nil || r.count != 9 {
			t.Errorf("the address has %+v after logins of eve, want 9 failures", r)
		}
		right, _ := g.take("c", "ada")
		g.forgive(right)
		if r := g.find(g.name("pair", "c", "ada"), time.Now()); r != nil {
			t.Errorf("ada's failures are %+v after a login, want no record", r)
		}
		taken, _ := g.take("d", "ada")
		g.undo(taken)
		if again, _ := g.take("d", "ada"); !again.isFirst {
			t.Error("an address whose guess was not compared counts as one that failed")
		}
		time.Sleep(memory)
		if again, _ := g.take("c", "ada"); !again.isFirst {
			t.Error("failures still count after an hour")
		}
	})
}
