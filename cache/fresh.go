package cache

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"locus/access"
)

// A Fielder is a Sys that has the header fields of HTTP.
type Fielder interface {
	// Field returns the value of the field; several are joined by commas, "" is
	// none. name is as RFC 9110 writes it.
	Field(name string) string
}

// A Constant is a Sys that knows whether its resource never changes, as an
// article of news that is called by its id.
type Constant interface {
	Constant() bool
}

const (
	forever      = 365 * 24 * time.Hour // RFC 9111 §1.2.2: as good as
	longestGuess = 24 * time.Hour
	usualFresh   = time.Minute
	usualStale   = 24 * time.Hour
)

// A verdict is for how long a resource may be kept.
type verdict struct {
	keep    bool
	fresh   time.Duration // from when it was received
	noStale bool          // it must not be given once it is stale
	ifError time.Duration // or for so long where its server cannot be asked; 0: as long as the Cache says
}

// judge says for how long r, received now, may be kept (RFC 9111 §3, §4.2).
func (c *Cache) judge(r *access.Resource, now time.Time) verdict {
	if f, ok := r.Sys.(Fielder); ok {
		return c.judgeFields(f, r.ModTime, now)
	}
	if constant, ok := r.Sys.(Constant); ok && constant.Constant() {
		return verdict{keep: true, fresh: forever}
	}
	return verdict{keep: true, fresh: c.guess(r.ModTime, now)}
}

// judgeFields reads the fields of HTTP.
func (c *Cache) judgeFields(f Fielder, modTime, now time.Time) verdict {
	rules := directives(f.Field("Cache-Control"))
	if rules.has("no-store") || rules.has("private") || strings.Contains(f.Field("Vary"), "*") || f.Field("Set-Cookie") != "" {
		return verdict{}
	}
	v := verdict{keep: true, noStale: rules.has("must-revalidate") || rules.has("proxy-revalidate") || rules.has("s-maxage")}
	if text, ok := rules["stale-if-error"]; ok {
		if v.ifError = seconds(text); v.ifError == 0 {
			v.ifError = -1
		}
	}
	age := seconds(f.Field("Age"))
	date, err := parseTime(f.Field("Date"))
	if err != nil {
		date = now
	}
	age = max(age, now.Sub(date), 0)
	expires := f.Field("Expires")
	switch {
	case rules.has("no-cache"):
		v.noStale = true
	case rules.has("s-maxage"):
		v.fresh = seconds(rules["s-maxage"]) - age
	case rules.has("max-age"):
		v.fresh = seconds(rules["max-age"]) - age
	case expires != "":
		if t, err := parseTime(expires); err == nil { // else it is in the past (§5.3)
			v.fresh = t.Sub(date) - age
		}
	case !modTime.IsZero():
		v.fresh = c.guess(modTime, date) - age
	}
	v.fresh = min(max(v.fresh, 0), forever)
	return v
}

// guess is how long that may be fresh of which nothing is said (RFC 9111
// §4.2.2).
func (c *Cache) guess(modTime, now time.Time) time.Duration {
	if !modTime.IsZero() {
		return min(max(now.Sub(modTime)/10, 0), longestGuess)
	}
	if c.Fresh == 0 {
		return usualFresh
	}
	return max(c.Fresh, 0)
}

// mayGive reports whether kept, which is stale, may be given now where its server
// cannot be asked: for as long as the server itself has said, or the Cache does
// (RFC 5861 §4).
func (c *Cache) mayGive(kept *record, now time.Time) bool {
	after := kept.IfError
	if after == 0 {
		after = cmp.Or(c.Stale, usualStale)
	}
	return !kept.NoStale && now.Before(kept.Expires.Add(max(after, 0)))
}

// A ruleset is a Cache-Control field (RFC 9111 §5.2): its directives in lower
// case and their arguments, without quotes.
type ruleset map[string]string

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

func (r ruleset) has(name string) bool {
	_, ok := r[name]
	return ok
}

// seconds reads delta-seconds (RFC 9111 §1.2.2); what is none is 0.
func seconds(text string) time.Duration {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil && !isDigits(text) || n == 0 {
		return 0
	}
	return time.Duration(min(n, uint64(forever/time.Second))) * time.Second
}

// isDigits reports whether text is a number, however large.
func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// parseTime reads a date of HTTP, in each of its forms (RFC 9110 §5.6.7).
func parseTime(text string) (time.Time, error) {
	const imf, ansi = "Mon, 02 Jan 2006 15:04:05 GMT", "Mon Jan _2 15:04:05 2006"
	var t time.Time
	var err error
	for _, layout := range []string{imf, time.RFC850, ansi} {
		if t, err = time.Parse(layout, text); err == nil {
			break
		}
	}
	return t, err
}
