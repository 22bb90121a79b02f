package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1630-mid-1
func TestMid(t *testing.T) {
	testViews(t, []viewCase{
		{"mid:960830.1639@XIson.com", `{"message_id":"960830.1639@XIson.com"}`, ""},
		{"mid:a@b/c@d#f", `{"message_id":"a@b"}`, "mid:a@b/c@d"},
		{"mid:a/b@c/d", `{"message_id":"a/b@c"}`, "mid:a%2Fb@c/d"},
		{"mid:a%2Fb%40c", `{"message_id":"a/b@c"}`, "mid:a%2Fb@c"},
		{"mid:%25@h", `{"message_id":"%@h"}`, ""},
		{text: "mid:‸"},
		{text: "mid:a‸"},
		{text: "mid:‸@b"},
		{text: "mid:a@‸"},
		{text: "mid:‸%3Ca@b%3E"},
		{text: "mid:a@b/‸"},
		{text: "mid:a@b/c‸%20"},
		{text: "mid:/‸/a@b"},
		{"cid:foo4%25foo1@bar.net", `{"content_id":"foo4%foo1@bar.net"}`, ""},
		{"cid:part1", `{"content_id":"part1"}`, ""},
		{"cid:a/b?c", `{"content_id":"a/b?c"}`, "cid:a%2Fb%3Fc"},
		{text: "cid:‸"},
		{text: "cid:a‸%3E"},
		{text: "cid:/‸/h"},
	})
	u := url.MustParse("mid:a@b/c")
	if got, err := scheme.ParseMid(u); err != nil || got != (scheme.Mid{MessageID: "a@b", ContentID: url.Some("c")}) {
		t.Errorf("ParseMid(%q) = %+v, %v, want the message-id and the content-id", u, got, err)
	}
}

// req: 1630-urn-1
func TestURN(t *testing.T) {
	testViews(t, []viewCase{
		{"urn:isbn:0451450523", `{"nid":"isbn","nss":"0451450523"}`, ""},
		{"URN:ISBN:x", `{"nid":"ISBN","nss":"x"}`, "urn:ISBN:x"},
		{"urn:example:a%2Fb/c", `{"nid":"example","nss":"a/b/c"}`, ""},
		{"urn:example:a:b?+r?=q#f", `{"nid":"example","nss":"a:b"}`, "urn:example:a:b?+r?=q"},
		{"urn:example:a?=q", `{"nid":"example","nss":"a"}`, ""},
		{"urn:a-1:%FF", `{"nid":"a-1","nss":{"base64":"/w=="}}`, ""},
		{"urn:abcdefghijklmnopqrstuvwxyz012345:x", `{"nid":"abcdefghijklmnopqrstuvwxyz012345","nss":"x"}`, ""},
		{text: "urn:‸/iana/dns/ch/cern/cn/techdoc/94/1642-3"},
		{text: "urn:‸"},
		{text: "urn:‸:x"},
		{text: "urn:a‸:x"},
		{text: "urn:‸-a:x"},
		{text: "urn:a-‸:x"},
		{text: "urn:abcdefghijklmnopqrstuvwxyz012345‸6:x"},
		{text: "urn:a‸_b:x"},
		{text: "urn:ab‸"},
		{text: "urn:ab:‸"},
		{text: "urn:ab:‸/x"},
		{text: "urn:ab:x?‸y"},
		{text: "urn:‸//h/x"},
	})
}
