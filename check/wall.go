package check

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/markup"
)

// A bot wall refuses programs. It shows itself by the header or the status of its reply (wallReason), or only by the
// page that it sends instead of the page behind it (readMarks).

// wallFields lists header fields that only bot walls send. A value of "" matches every value. If isChallenge is set,
// the field is a sign with every status, and otherwise only with 403, 429 and 503, because the wall also marks the
// pages that it lets through.
var wallFields = []struct {
	field, value, name string
	isChallenge        bool
}{
	{"Cf-Mitigated", "", "Cloudflare", true},
	{"X-Amzn-Waf-Action", "", "AWS WAF", true},
	{"X-Vercel-Mitigated", "", "Vercel", true},
	{"Sg-Captcha", "", "SiteGround", true},
	{"X-Datadome", "", "DataDome", false},
	{"X-Sucuri-Block", "", "Sucuri", false},
	{"X-Iinfo", "", "Imperva", false},
	{"Server", "cloudflare", "Cloudflare", false},
	{"Server", "akamaighost", "Akamai", false},
	{"Server", "sucuri", "Sucuri", false},
	{"Server", "datadome", "DataDome", false},
	{"Server", "ddos-guard", "DDoS-Guard", false},
}

// wallOf returns the vendor of the bot wall that sent a header with a status; "" if there is no sign of one.
func wallOf(header access.Header, code int) (name string) {
	isRefusal := slices.Contains([]int{403, 429, 503}, code)
	for _, mark := range wallFields {
		value := strings.ToLower(header.Get(mark.field))
		if value != "" && strings.Contains(value, mark.value) && (mark.isChallenge || isRefusal) {
			return mark.name
		}
	}
	return ""
}

// wallReason returns the reason for a Result if err is a reply from the web that probably comes from a bot wall: the
// reply has a sign of a vendor, or its status is 429, which walls without a known sign send, too. The reply may mean
// success. For any other error, wallReason returns "".
//
// QUIRK: AWS WAF and SiteGround answer 202 with a challenge that only a browser can solve.
func wallReason(err error) string {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil || !isWeb(e.URL) {
		return ""
	}
	reason, name := strings.TrimRight(e.Reply.String(), "."), wallOf(e.Header, e.Reply.Code)
	if e.Reply.Code == 999 {
		name = "LinkedIn" // QUIRK: only LinkedIn uses this code
	}
	switch {
	case name != "":
		return reason + ", by the bot wall of " + name
	case e.Reply.Code == 429:
		return reason
	}
	return ""
}

// wallTags lists tags by which the page of a bot wall is recognised. A tag matches if the attribute contains text.
var wallTags = []struct{ tag, attribute, text, name string }{
	{"script", "id", "anubis_challenge", "Anubis"},
	{"script", "src", "/_fs-ch-", "Fastly"},
	{"iframe", "src", "/_Incapsula_Resource?", "Imperva"},
	{"script", "src", "/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4,", "Imperva"}, // pages that it lets through have one number
}

// wallOfTag returns the vendor of the bot wall to which tag belongs, a start tag in page; "" if there is none.
func wallOfTag(page []byte, tag markup.Token) (name string) {
	for _, mark := range wallTags {
		if tag.Name != mark.tag {
			continue
		}
		if value, _ := tag.Value(page, mark.attribute); strings.Contains(value, mark.text) {
			return mark.name
		}
	}
	return ""
}

// wallOfTitle returns the vendor of the bot wall whose pages have the title; "" if there is none, or if page lacks the
// text of the wall.
func wallOfTitle(page []byte, title string) (name string) {
	if title == "Request Rejected" && bytes.Contains(page, []byte("The requested URL was rejected")) {
		return "F5"
	}
	return ""
}

// isWallPage reports whether the last page that was read belongs to a bot wall.
func (v *visit) isWallPage() bool { return v.page != nil && readMarks(v.page.start).wall != "" }
