package cache

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"locus/access"
)

const (
	forever      = 365 * 24 * time.Hour // the longest lifetime that is told apart (RFC 9111 §1.2.2)
	longestGuess = 24 * time.Hour       // the longest lifetime that is guessed from the last change
	usualFresh   = time.Minute          // the lifetime without a time of the last change
	usualStale   = 24 * time.Hour       // how long after its lifetime a resource may be used if its server cannot be asked
)

// A verdict says whether a resource may be stored, and how long it may be used.
type verdict struct {
	keep    bool          // it may be stored
	fresh   time.Duration // the lifetime, which begins when it was received
	noStale bool          // it must not be used after it becomes stale
	ifError time.Duration // how long it may be used while its server cannot be asked; 0: usualStale; negative: not at all
}

// judge returns the verdict on r, received now (RFC 9111 §3, §4.2): by its header if it came over
// HTTP, and otherwise by the time of its last change.
func (c *Cache) judge(r *access.Resource, now time.Time) verdict {
	switch {
	case r.HTTPStatus != 0:
		return c.judgeFields(r.Header.Get, r.ModTime, now)
	case r.Immutable:
		return verdict{keep: true, fresh: forever}
	}
	return verdict{keep: true, fresh: guess(r.ModTime, now)}
}

// judgeFields returns the verdict by the header fields of an HTTP response received now. field
// returns the value of a field; "" for a missing field. modTime is the time of the last change,
// from which the lifetime is guessed if the header does not give it; zero if unknown.
func (c *Cache) judgeFields(field func(name string) string, modTime, now time.Time) verdict {
	rules := directives(field("Cache-Control"))
	if rules.has("no-store") || rules.has("private") || strings.Contains(field("Vary"), "*") || field("Set-Cookie") != "" {
		return verdict{}
	}
	v := verdict{keep: true, noStale: rules.has("must-revalidate") || rules.has("proxy-revalidate") || rules.has("s-maxage")}
	if text, ok := rules["stale-if-error"]; ok {
		if v.ifError = seconds(text); v.ifError == 0 {
			v.ifError = -1
		}
	}
	age := seconds(field("Age"))
	date, err := http.ParseTime(field("Date"))
	if err != nil {
		date = now
	}
	age = max(age, now.Sub(date), 0)
	expires := field("Expires")
	switch {
	case rules.has("no-cache"):
		v.noStale = true
	case rules.has("s-maxage"):
		v.fresh = seconds(rules["s-maxage"]) - age
	case rules.has("max-age"):
		v.fresh = seconds(rules["max-age"]) - age
	case expires != "":
		if t, err := http.ParseTime(expires); err == nil { // an invalid time counts as past (§5.3)
			v.fresh = t.Sub(date) - age
		}
	case !modTime.IsZero():
		v.fresh = guess(modTime, date) - age
	}
	v.fresh = min(max(v.fresh, 0), forever)
	return v
}

// guess returns the lifetime of a resource whose server does not give one: a tenth of the time
// since modTime, at most longestGuess, or usualFresh if modTime is zero (RFC 9111 §4.2.2).
func guess(modTime, now time.Time) time.Duration {
	if !modTime.IsZero() {
		return min(max(now.Sub(modTime)/10, 0), longestGuess)
	}
	return usualFresh
}

// mayGive reports whether a stale resource may be used now because its server cannot be asked (RFC
// 5861 §4). It is false if the server forbids this, or if the resource has been stale for longer
// than the server's stale-if-error or, without it, usualStale.
func (stored *metadata) mayGive(now time.Time) bool {
	after := stored.IfError
	if after == 0 {
		after = usualStale
	}
	return !stored.NoStale && now.Before(stored.Expires.Add(max(after, 0)))
}

// A ruleset has the directives of a Cache-Control field (RFC 9111 §5.2): their names in lower case,
// and their arguments without quotes, "" for a missing argument.
type ruleset map[string]string

// directives parses the directives of a field such as Cache-Control. If a directive occurs twice,
// the first one counts.
func directives(field string) ruleset {
	rules := make(ruleset)
	for part := range strings.SplitSeq(field, ",") {
		name, value, _ := strings.Cut(part, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, twice := rules[name]; name != "" && !twice {
			rules[name] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return rules
}

// has reports whether the field has a directive of that name.
func (r ruleset) has(name string) bool {
	_, ok := r[name]
	return ok
}

// seconds parses delta-seconds (RFC 9111 §1.2.2). It returns at most forever, and 0 for any other
// text.
func seconds(text string) time.Duration {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0
	}
	return time.Duration(min(n, uint64(forever/time.Second))) * time.Second
}
