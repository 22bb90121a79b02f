package ftp_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/url"
)

func TestPerHost(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c, pool := s.pooledClient(t)
	pool.PerHost = 1
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, &access.Request{URL: url.MustParse("ftp://h/f")}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second connection: %v, want context.DeadlineExceeded", err)
	}
	done := make(chan error)
	go func() {
		_, err := get(t, c, "ftp://you:p@h/f")
		done <- err
	}()
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
	if err := <-done; err != nil {
		t.Errorf("after the first is free: %v", err)
	}
	if s.controlConnections() != 2 {
		t.Errorf("%d control connections, want 2: another user has another", s.controlConnections())
	}
}

// If a server has too many connections, the client waits as long as some are its own.
func TestTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t)
		s.files["f"] = "content"
		logins := 0
		s.script["greeting"] = func(c *control) {
			if logins++; logins > 1 {
				c.reply("421 too many\r\n")
				c.hungUp = true
				return
			}
			c.reply("220 ready\r\n")
		}
		c := s.client()
		if _, err := get(t, c, "ftp://h/f"); err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, c, "ftp://h/f"); !errors.Is(err, access.ErrTemporary) {
			t.Errorf("without a pool: %v, want access.ErrTemporary", err)
		}
		logins = 0
		c, pool := s.pooledClient(t)
		defer pool.Close()
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(5*time.Second, func() { io.Copy(io.Discard, r.Body) })
		start := time.Now()
		got, err := get(t, c, "ftp://h/f")
		if took := time.Since(start); err != nil || got != "content" || took != 5*time.Second {
			t.Errorf("while another access goes on: %q, %v after %v, want it after 5s", got, err, took)
		}
	})
}

// An idle connection is closed with QUIT after Pool.Idle, and at Close.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t)
		s.files["f"] = "content"
		c, pool := s.pooledClient(t)
		pool.Most = 1
		get(t, c, "ftp://h/f")
		get(t, c, "ftp://me:p@h/f") // one too many
		synctest.Wait()
		if n := s.quitCount(); n != 1 {
			t.Errorf("with two connections there are %d goodbyes, want 1", n)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n := s.quitCount(); n != 2 {
			t.Errorf("after 31 seconds there are %d goodbyes, want 2", n)
		}
		get(t, c, "ftp://h/f")
		pool.Close()
		synctest.Wait()
		if n := s.quitCount(); n != 3 {
			t.Errorf("after Close there are %d goodbyes, want 3", n)
		}
		get(t, c, "ftp://h/f")
		synctest.Wait()
		if n := s.quitCount(); n != 4 {
			t.Errorf("a closed pool keeps a connection")
		}
	})
}

func (s *server) quitCount() int {
	n := 0
	for _, c := range s.allCommands() {
		if c == "QUIT" {
			n++
		}
	}
	return n
}
