package gateway_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/gateway"
)

// A program may use very many tickets. The gateway remembers a bounded number of them. While it cannot remember more,
// tickets do not count, and a ticket is never accepted twice.
func TestAttackManyTickets(t *testing.T) {
	// attack: A client uses very many tickets that are valid once, to fill the memory of used tickets or to keep the
	// processor busy | the gateway remembers a bounded number of them, and asks when it cannot remember more
	synctest.Test(t, func(t *testing.T) {
		g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return content("text/plain", "text")(req)
		})}
		use := func(u, ticket string) bool {
			return record(g, http.MethodGet, "/-/open?url="+u+"&ticket="+ticket, typed, "").Code == http.StatusSeeOther
		}
		issue := func(u string) string {
			return record(g, http.MethodPost, "/-/ticket?url="+u, "User-Agent: x", "").Body.String()
		}
		const u = "gopher://127.0.0.1:7070/"
		first, isFull := issue(u), false
		if !use(u, first) {
			t.Fatalf("the first ticket for %s is refused", u)
		}
		const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		for _, c := range digits { // three other last digits stand for the same bytes
			if again := first[:len(first)-1] + string(c); use(u, again) {
				t.Errorf("the ticket %s, used, is accepted as %s", first, again)
			}
		}
		for i := range 20_000 {
			if isFull = !use(u+strconv.Itoa(i), issue(u+strconv.Itoa(i))); isFull {
				break
			}
		}
		if !isFull {
			t.Error("20000 tickets are remembered")
		}
		if use(u, first) {
			t.Error("a ticket is accepted twice")
		}
		time.Sleep(3 * time.Minute)
		last := issue(u)
		if !use(u, last) {
			t.Error("three minutes later a new ticket is refused")
		}
		if time.Sleep(30 * time.Second); use(u, last) || strings.TrimSpace(last) == "" {
			t.Error("a ticket is accepted again within its lifetime")
		}
	})
}
