package server

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// A slowHash replaces bcrypt in a bubble of synctest, where real work takes no time. It accepts
// the password "right".
type slowHash struct {
	takes time.Duration // of each comparison

	mu      sync.Mutex
	running int // comparisons now
	most    int // the maximum of running
	total   int // comparisons so far
	work    int // the sum of 2^cost of all comparisons
}

func (h *slowHash) compare(hash, password []byte) error {
	cost, err := bcrypt.Cost(hash)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.total++
	h.work += 1 << cost
	h.running++
	h.most = max(h.most, h.running)
	h.mu.Unlock()
	time.Sleep(h.takes)
	h.mu.Lock()
	h.running--
	h.mu.Unlock()
	if string(password) != "right" {
		return bcrypt.ErrMismatchedHashAndPassword
	}
	return nil
}

// atOnce returns the maximum of comparisons at one time.
func (h *slowHash) atOnce() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.most
}

func (h *slowHash) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total
}

// slowServer returns a Server for ada and bob, whose comparisons take a time.
func slowServer(t *testing.T, takes time.Duration) (*Server, *slowHash) {
	t.Helper()
	s, h := serverOf(t, bcrypt.MinCost), &slowHash{takes: takes}
	s.Users.compareHash = h.compare
	return s, h
}

// A tried is the result of a login.
type tried struct {
	status     int
	retryAfter time.Duration
	took       time.Duration
}

// try logs in from the address of a client with "user:password".
func try(t *testing.T, s *Server, client, login string) tried {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(t.Context())
	r.RemoteAddr = net.JoinHostPort(client, "1")
	user, password, _ := strings.Cut(login, ":")
	r.SetBasicAuth(user, password)
	w := httptest.NewRecorder()
	start := time.Now()
	s.ServeHTTP(w, r)
	seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
	isLate := w.Code == http.StatusTooManyRequests || w.Code == http.StatusServiceUnavailable
	if isLate != (err == nil) || isLate && seconds < 1 {
		t.Errorf("%s at %s: %d with Retry-After %q", login, client, w.Code, w.Header().Get("Retry-After"))
	}
	return tried{w.Code, time.Duration(seconds) * time.Second, time.Since(start)}
}

// mustLogIn fails the test unless a login succeeds within a second.
func mustLogIn(t *testing.T, s *Server, client, login string) {
	t.Helper()
	if got := try(t, s, client, login); got.status != http.StatusOK || got.took > time.Second {
		t.Errorf("%s at %s: %d after %v, want 200 within a second", login, client, got.status, got.took)
	}
}

// forgetLogins makes u compare every password again, as after a restart.
func forgetLogins(u *Users) {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.accepted)
}

// Many addresses that guess ada's password do not lock ada out. Neither ada nor bob has logged in
// before.
func TestAttackGuessesOfMany(t *testing.T) {
	// attack: Many addresses guess the password of a user who has not logged in before | the right password works
	// at once from an address without failures; an address that failed 3 times at this user waits up to 10 minutes
	// between guesses
	synctest.Test(t, func(t *testing.T) {
		s, _ := slowServer(t, 50*time.Millisecond)
		for i := range 3000 {
			client := fmt.Sprintf("198.51.%d.%d", i/250, i%250)
			if got := try(t, s, client, fmt.Sprint("ada:guess", i)); got.status != http.StatusUnauthorized {
				t.Fatalf("guess %d: %d, want 401, because its address has not failed before", i, got.status)
			}
		}
		mustLogIn(t, s, "192.0.2.1", "ada:right")
		mustLogIn(t, s, "2001:db8::1", "bob:right")
	})
}

// While 2000 addresses of three networks guess at once, few comparisons run, few requests wait, and
// people in other networks log in within a second.
func TestAttackFloodOfGuesses(t *testing.T) {
	// attack: Wrong guesses flood the comparison of passwords | comparisons run on all processors
	// except one; at most 96 guesses wait, and networks take turns; addresses that failed have a
	// separate queue
	synctest.Test(t, func(t *testing.T) {
		s, hash := slowServer(t, 50*time.Millisecond)
		var waiting, refused atomic.Int64
		for i := range 2000 {
			client := fmt.Sprintf("2001:db8:bad:%x::1", i)
			if i%10 == 0 {
				client = fmt.Sprintf("203.0.113.%d", i/10)
			} else if i%10 == 1 {
				client = fmt.Sprintf("198.51.100.%d", i/10)
			}
			waiting.Add(1)
			go func() {
				defer waiting.Add(-1)
				for range 3 { // the first guess of an address, and then others
					got := try(t, s, client, fmt.Sprintf("ada:guess%d", i))
					if got.status != http.StatusUnauthorized && got.status != http.StatusServiceUnavailable {
						refused.Add(1)
					}
				}
			}()
		}
		synctest.Wait()
		if n := waiting.Load(); n > 120 {
			t.Errorf("%d of 2000 guesses wait, want at most 120", n)
		}
		mustLogIn(t, s, "192.0.2.1", "ada:right")
		mustLogIn(t, s, "2001:db8:900d::1", "bob:right")
		if most := max(2, runtime.GOMAXPROCS(0)); hash.atOnce() > most {
			t.Errorf("%d comparisons at once, want at most %d", hash.atOnce(), most)
		}
		time.Sleep(time.Minute)
		if n := waiting.Load(); n != 0 {
			t.Errorf("%d guesses still wait after a minute", n)
		}
		if n := refused.Load(); n != 0 {
			t.Errorf("%d guesses have neither 401 nor 503, although their addresses failed at most twice", n)
		}
	})
}

// One address that guesses is told when its next guess is compared, and the right password works
// then. Other addresses do not wait for it.
func TestAttackGuesses(t *testing.T) {
	// attack: One address guesses passwords | after 10 failures for a user, or 20 for all users, a
	// guess that comes within 10 or 6 seconds gets 429 with Retry-After; the right password works
	// after that time
	synctest.Test(t, func(t *testing.T) {
		s, hash := slowServer(t, 50*time.Millisecond)
		const attacker = "203.0.113.9"
		var guessing sync.WaitGroup
		for i := range 400 {
			guessing.Go(func() { try(t, s, attacker, fmt.Sprintf("user%d:guess", i)) })
		}
		synctest.Wait()
		before := hash.count()
		mustLogIn(t, s, "192.0.2.1", "ada:right")
		mustLogIn(t, s, "192.0.2.2", "bob:right")
		if n := hash.count() - before; n > 10 {
			t.Errorf("ada and bob waited for %d comparisons, want at most 10", n)
		}
		guessing.Wait()
		time.Sleep(time.Minute)
		for range 3 {
			before := hash.count()
			for i := range 50 {
				try(t, s, attacker, fmt.Sprint("eve:guess", i))
			}
			if n := hash.count() - before; n > 1 {
				t.Errorf("%d of 50 guesses were compared, want 1", n)
			}
			got := try(t, s, attacker, "bob:wrong")
			if got.status != http.StatusTooManyRequests || got.retryAfter > 10*time.Second {
				t.Fatalf("a guess too many: %d with Retry-After %v, want 429 and at most 10 seconds", got.status, got.retryAfter)
			}
			time.Sleep(got.retryAfter)
		}
		forgetLogins(s.Users)
		mustLogIn(t, s, attacker, "bob:right")
	})
}

// A program that tries two old passwords in turn every second delays its own user at its address. A
// colleague at this address logs in, at the latest after the time of one Retry-After.
func TestAttackSharedAddress(t *testing.T) {
	// attack: One address guesses passwords
	synctest.Test(t, func(t *testing.T) {
		s, _ := slowServer(t, 50*time.Millisecond)
		const office = "198.51.100.7"
		go func() {
			for i := range 11 * 60 {
				try(t, s, office, fmt.Sprint("ada:old", i%2))
				time.Sleep(time.Second)
			}
		}()
		time.Sleep(10*time.Minute + 500*time.Millisecond)
		got := try(t, s, office, "bob:right")
		if got.status == http.StatusTooManyRequests {
			time.Sleep(got.retryAfter)
			got = try(t, s, office, "bob:right")
		}
		if got.status != http.StatusOK {
			t.Errorf("bob at the address of the program: %d, want 200", got.status)
		}
		mustLogIn(t, s, "192.0.2.1", "ada:right")
		time.Sleep(2 * time.Minute)
	})
}

// An attacker with many addresses is slowed to the rate that guesses.go states. Ada logs in from
// an address of her own at once, and from an address where she failed three times within ten
// minutes.
func TestAttackGuessesInAnHour(t *testing.T) {
	// attack: Many addresses guess the password of a user who has not logged in before
	for _, test := range []struct {
		addresses int
		most      int // guesses in the hour that are compared
	}{
		{1, 10 + 360 + 1},
		{5, 30 + 1800 + 5*10},
		{300, 300 * 9},
		{1000, 1000 * 9},
	} {
		t.Run(fmt.Sprint(test.addresses), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, hash := slowServer(t, 0)
				end := time.Now().Add(time.Hour)
				for i := range test.addresses {
					go func() {
						for n := 0; time.Now().Before(end); n++ {
							got := try(t, s, fmt.Sprintf("2001:db8:%x:1::%x", i, n), fmt.Sprintf("ada:%d", n))
							time.Sleep(max(got.retryAfter, time.Millisecond))
						}
					}()
				}
				time.Sleep(30 * time.Minute)
				mustLogIn(t, s, "192.0.2.1", "ada:right")
				forgetLogins(s.Users)
				time.Sleep(30 * time.Minute)
				synctest.Wait()
				if n := hash.count(); n > test.most || n < test.addresses {
					t.Errorf("%d guesses were compared in an hour, want at most %d", n, test.most)
				}
				for range 3 {
					if got := try(t, s, "192.0.2.2", "ada:wrong"); got.status != http.StatusUnauthorized {
						t.Errorf("ada fails: %d, want 401", got.status)
					}
				}
				time.Sleep(10 * time.Minute)
				mustLogIn(t, s, "192.0.2.2", "ada:right")
			})
		})
	}
}

// A browser that sends many requests with the right password at once has all of them answered,
// after one comparison, also while ada is attacked.
func TestAttackLoginsAtOnce(t *testing.T) {
	// attack: Wrong guesses flood the comparison of passwords
	synctest.Test(t, func(t *testing.T) {
		s, hash := slowServer(t, 50*time.Millisecond)
		for i := range 500 {
			try(t, s, fmt.Sprintf("2001:db8:%x::1", i), fmt.Sprint("ada:guess", i))
		}
		before := hash.count()
		for range 40 {
			go mustLogIn(t, s, "192.0.2.1", "ada:right")
		}
		time.Sleep(time.Second)
		if n := hash.count() - before; n != 1 {
			t.Errorf("40 logins at once: %d comparisons, want 1", n)
		}
	})
}

// A guess costs the same work for every user, known or not, however costly the user's own hash is.
func TestAttackUserNames(t *testing.T) {
	// attack: The time of a login shows which users exist | a comparison costs the same for every
	// name
	var text strings.Builder
	for user, cost := range map[string]int{"cheap": 4, "usual": 5, "costly": 7} {
		hash, err := bcrypt.GenerateFromPassword([]byte("right"), cost)
		if err != nil {
			t.Fatalf("%q: %v", user, err)
		}
		fmt.Fprintf(&text, "%s:%s\n", user, hash)
	}
	users, err := ParseUsers(text.String())
	if err != nil {
		t.Fatal(err)
	}
	hash := &slowHash{}
	users.compareHash = hash.compare
	s := &Server{Users: users, Handler: http.NotFoundHandler()}
	for i, user := range []string{"cheap", "usual", "costly", "unknown", ""} {
		before := hash.work
		if got := try(t, s, fmt.Sprintf("192.0.2.%d", i), user+":guess"); got.status != http.StatusUnauthorized {
			t.Errorf("a guess for %q: %d, want 401", user, got.status)
		}
		if work := hash.work - before; work != 1<<7 {
			t.Errorf("a guess for %q costs %d, want %d", user, work, 1<<7)
		}
	}
	users.compareHash = bcrypt.CompareHashAndPassword
	for i, login := range []string{"cheap:right", "usual:right", "costly:right"} {
		if got := try(t, s, fmt.Sprintf("192.0.2.%d", 10+i), login); got.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", login, got.status)
		}
	}
}

// Failures of users with long names take little memory.
func TestAttackLongUserNames(t *testing.T) {
	// attack: Wrong guesses with long user names fill the memory | at most 131,072 records of hashed names are
	// kept (15 MiB)
	s, _ := slowServer(t, 0)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 1500 {
		try(t, s, fmt.Sprintf("2001:db8:%x::1", i), strings.Repeat("x", 40_000)+strconv.Itoa(i)+":guess")
	}
	if after := heap(); after > before+16<<20 {
		t.Errorf("1500 failures keep %d MiB, want less than 16", (after-before)>>20)
	}
	runtime.KeepAlive(s)
}

// An address that must wait cannot find out a password because its user has logged in: neither from
// another address than the user, nor from the same one, such as that of a reverse proxy.
func TestAttackKnownLogins(t *testing.T) {
	// attack: An address that must wait tries passwords of a user who has logged in, so that only the right
	// one is accepted | a login is known only at its address; after 100 other passwords from there it waits
	// like a guess
	synctest.Test(t, func(t *testing.T) {
		s, _ := slowServer(t, 50*time.Millisecond)
		const shared, other = "192.0.2.1", "203.0.113.9"
		mustLogIn(t, s, shared, "ada:right")
		mustLogIn(t, s, shared, "bob:right")
		for _, attacker := range []string{other, shared} {
			for i := range 200 {
				try(t, s, attacker, fmt.Sprint("ada:guess", i))
			}
			if got := try(t, s, attacker, "ada:right"); got.status != http.StatusTooManyRequests {
				t.Errorf("the right password after 200 guesses at %s: %d, want 429", attacker, got.status)
			}
		}
		mustLogIn(t, s, shared, "bob:right") // he has not been attacked
		mustLogIn(t, s, "192.0.2.7", "ada:right")
		time.Sleep(10 * time.Minute)
		mustLogIn(t, s, shared, "ada:right")
	})
}

// A program that repeats a wrong password makes no guesses, so it delays nobody.
func TestAttackRepeatedPassword(t *testing.T) {
	// attack: A program repeats an old password | a repeated password does not count as a guess, so it delays
	// nobody
	synctest.Test(t, func(t *testing.T) {
		s, hash := slowServer(t, 50*time.Millisecond)
		for range 1000 {
			if got := try(t, s, "192.0.2.1", "ada:old"); got.status != http.StatusUnauthorized {
				t.Fatalf("a repeated password: %d, want 401", got.status)
			}
		}
		if n := hash.count(); n != 1 {
			t.Errorf("%d comparisons of a repeated password, want 1", n)
		}
		mustLogIn(t, s, "192.0.2.1", "ada:right")
	})
}
