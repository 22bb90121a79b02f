package cache

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/internal/answer"
)

// A reply is a response that a server sent.
type reply struct {
	*http.Response
	asked time.Time // when the request was sent
}

// An unchanged is the error for a 304. It has the new header, age and verdict of the stored
// response.
type unchanged struct {
	header  http.Header
	age     time.Duration
	verdict verdict
}

func (*unchanged) Error() string { return access.ErrNotModified.Error() }
func (*unchanged) Unwrap() error { return access.ErrNotModified }

// A failing is the error for a response 5xx. It makes the decision use a stale response.
type failing struct{ status string }

func (e *failing) Error() string { return "the server answers " + e.status }

// find implements source.
func (a *webRequest) find() (stored *metadata, fresh bool) {
	why := a.look()
	return a.stored, why == ""
}

// open sends the request to the server, with req.IfChanged in place of the conditions in its
// header. The error is an *unchanged if the server answers that this version is current, and a
// *failing for a status of at least 500 if the stored response may be used instead.
func (a *webRequest) open(ctx context.Context, req *access.Request) (found, error) {
	out := a.r.WithContext(ctx)
	out.Header = a.r.Header.Clone()
	for name := range conditions {
		out.Header.Del(name)
	}
	if known := req.IfChanged; !known.IsZero() {
		if known.ETag != "" {
			out.Header.Set("If-None-Match", known.ETag)
		}
		if !known.ModTime.IsZero() {
			out.Header.Set("If-Modified-Since", known.ModTime.UTC().Format(http.TimeFormat))
		}
	}
	asked := a.web.Cache.now()
	resp, err := a.web.Transport.RoundTrip(out)
	if err != nil {
		return found{}, err
	}
	switch {
	case resp.StatusCode == http.StatusNotModified && !req.IfChanged.IsZero():
		resp.Body.Close()
		if again, ok := a.unchanged(&reply{resp, asked}); ok {
			return found{}, again
		}
		return a.open(ctx, &access.Request{})
	case resp.StatusCode >= 500 && a.stored != nil && a.stored.mayGive(asked):
		resp.Body.Close()
		return found{}, &failing{resp.Status}
	}
	own := *resp // a copy, because net/http writes late trailers to resp while others read it
	r := &access.Resource{
		Entry: access.Entry{Size: resp.ContentLength, ModTime: lastModified(resp.Header)},
		ETag:  resp.Header.Get("ETag"),
		Body:  resp.Body,
	}
	return found{Resource: r, reply: &reply{&own, asked}}, nil
}

// lastModified returns the time of Last-Modified; the zero time if the field is missing or invalid.
func lastModified(h http.Header) time.Time {
	t, _ := http.ParseTime(h.Get("Last-Modified")) // zero if it is invalid
	return t
}

// metadataFor returns the metadata with which to store the response f, received at now. It returns
// nil if the response must not be stored. In this case it also removes the older response from the
// folder, unless the new one is a server error.
func (a *webRequest) metadataFor(f found, now time.Time) *metadata {
	resp := f.reply
	v := a.judge(resp, now)
	if !v.keep {
		if a.stored != nil && resp.StatusCode < 500 {
			a.web.Cache.Folder.remove(a.stored.Key)
		}
		return nil
	}
	stored := &metadata{
		Status: resp.StatusCode, ETag: f.ETag, ModTime: f.ModTime, NoStale: v.noStale, IfError: v.ifError, Public: isPublic(resp.Header),
	}
	stored.Header = storedHeader(resp.Header, now)
	stored.Aged = ageOf(resp, now).Truncate(time.Second)
	stored.refresh(v.fresh, now)
	stored.Key = a.web.keyFor(a, resp.Header)
	return stored
}

// unchanged returns the error for resp, a 304: the stored header, updated from resp, with its age
// and verdict (RFC 9111 §3.2, §4.3.4). It returns false if resp is about another version, changes
// Vary, or forbids storing, as with a cookie. The whole response must then be fetched.
func (a *webRequest) unchanged(resp *reply) (*unchanged, bool) {
	now := a.web.Cache.now()
	etag := resp.Header.Get("ETag")
	if etag != "" && a.stored.ETag != "" && answer.Weak(etag) != answer.Weak(a.stored.ETag) {
		return nil, false
	}
	header := a.stored.Header.Clone()
	for name, values := range storedHeader(resp.Header, now) {
		switch name {
		case "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Etag", "Last-Modified": // these fields belong to the version
		default:
			header[name] = values
		}
	}
	whole := *resp.Response
	whole.StatusCode, whole.Header = a.stored.Status, header.Clone()
	whole.Header["Age"] = resp.Header["Age"]
	as := &reply{&whole, resp.asked}
	v := a.judge(as, now)
	if !v.keep || !slices.Equal(varyingBy(header), varyingBy(a.stored.Header)) {
		return nil, false
	}
	return &unchanged{header, ageOf(as, now), v}, true
}

// renew returns a copy of stored with the header, the age and the lifetime of the 304 that err, an
// *unchanged, contains.
func (a *webRequest) renew(stored *metadata, err error, now time.Time) *metadata {
	again := *stored
	if changes, ok := errors.AsType[*unchanged](err); ok { // open does not return another error that wraps ErrNotModified
		again.Header, again.Public = changes.header, isPublic(changes.header)
		again.NoStale, again.IfError = changes.verdict.noStale, changes.verdict.ifError
		again.Aged = changes.age.Truncate(time.Second)
		again.refresh(changes.verdict.fresh, now)
	}
	return &again
}

// guessed are the statuses whose lifetime may be guessed (RFC 9110 §15.1).
var guessed = []int{200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501}

// judge returns the verdict on a response received now: whether it may be stored for other
// requests, and how long it is fresh (RFC 9111 §3). A response that is never fresh is stored only
// if it can be validated.
func (a *webRequest) judge(resp *reply, now time.Time) verdict {
	switch status := resp.StatusCode; {
	case status < 200, status == http.StatusPartialContent, status == http.StatusNotModified, len(resp.Trailer) > 0:
		return verdict{}
	case a.isPrivate() && !isPublic(resp.Header), a.rules.has("no-store"), len(varyingBy(resp.Header)) > mostVarying:
		return verdict{}
	}
	modTime := lastModified(resp.Header)
	if !slices.Contains(guessed, resp.StatusCode) {
		modTime = time.Time{}
	}
	v := a.web.Cache.judgeFields(fieldsAt(resp.Header, ageOf(resp, now)), modTime, now)
	isVersion := resp.StatusCode == http.StatusOK && (resp.Header.Get("ETag") != "" || !modTime.IsZero())
	v.keep = v.keep && (v.fresh > 0 || isVersion)
	return v
}

// isPublic reports whether a response may answer every user, although its request had
// credentials (RFC 9111 §3.5).
func isPublic(h http.Header) bool {
	rules := directives(joined(h, "Cache-Control"))
	return rules.has("public") || rules.has("s-maxage")
}

// ageOf returns how old a response was when it was received at now, by its Age, its Date and the
// time of the request (RFC 9111 §4.2.3). It is never negative.
func ageOf(resp *reply, now time.Time) time.Duration {
	age := seconds(resp.Header.Get("Age")) + now.Sub(resp.asked)
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		age = max(age, now.Sub(date))
	}
	return max(age, 0)
}

// fieldsAt returns a function that returns the value of a header field, with several values joined
// by commas. For Age it returns age instead.
func fieldsAt(h http.Header, age time.Duration) func(name string) string {
	return func(name string) string {
		if name == "Age" {
			return strconv.FormatInt(int64(age/time.Second), 10)
		}
		return joined(h, http.CanonicalHeaderKey(name))
	}
}

// storedHeader returns a copy of h to store (RFC 9111 §3.1): without Age and the fields of the
// connection, and with now as the Date if h lacks one.
func storedHeader(h http.Header, now time.Time) http.Header {
	stored := h.Clone()
	for name := range strings.SplitSeq(joined(h, "Connection"), ",") {
		stored.Del(strings.TrimSpace(name))
	}
	for _, name := range []string{
		"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Age",
	} {
		delete(stored, name)
	}
	if stored["Date"] == nil {
		stored.Set("Date", now.UTC().Format(http.TimeFormat))
	}
	return stored
}

// mostVarying is how many fields a Vary may name if the response is to be stored.
const mostVarying = 32

// keyFor returns the key under which to store the response with the header h to a. It is the key of
// the URL, unless responses for this URL vary. Then it also depends on the request fields that Vary
// names. keyFor stores the names in Vary under the key of the URL, together with the names that
// earlier responses gave.
func (w *Web) keyFor(a *webRequest, h http.Header) string {
	names := varyingBy(h)
	lock := w.varying.forFile(nameOf(a.primary))
	lock.Lock()
	defer lock.Unlock()
	old, ok := w.Cache.Folder.find(a.primary)
	if ok && old.Vary != nil {
		names = append(names, old.Vary...)
		slices.Sort(names)
		if names = slices.Compact(names); len(names) == len(old.Vary) {
			return variantKey(old, a.r.Header)
		}
		if len(names) > mostVarying {
			names = varyingBy(h)
		}
	}
	if len(names) == 0 {
		return a.primary
	}
	fork := &metadata{Key: a.primary, Vary: names, Generation: rand.Text()}
	if file, err := w.Cache.Folder.create(); err == nil {
		file.finish(fork)
	}
	return variantKey(fork, a.r.Header)
}

// varyingBy returns the field names in Vary in canonical form, sorted and without duplicates.
func varyingBy(h http.Header) []string {
	var names []string
	for name := range strings.SplitSeq(joined(h, "Vary"), ",") {
		if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// variantKey returns the key for requests with the header h, of which only the fields of fork.Vary
// count (RFC 9111 §4.1). It contains a hash of their values, so that the folder does not reveal
// secrets of the header.
func variantKey(fork *metadata, h http.Header) string {
	sum := sha256.New()
	for _, name := range fork.Vary {
		var values []string
		for value := range strings.SplitSeq(joined(h, name), ",") {
			values = append(values, strings.TrimSpace(value))
		}
		_, has := h[name]
		sum.Write([]byte(strconv.FormatBool(has) + strings.Join(values, ",") + "\n"))
	}
	return fork.Key + " " + fork.Generation + " " + hex.EncodeToString(sum.Sum(nil))
}
