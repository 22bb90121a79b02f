package wais

import (
	"bytes"
	"strconv"
	"testing"
)

// byHand has the recordings with requests that this client never sends, and why.
// The client sends all different byte for byte.
var byHand = map[string]string{
	"x_bad_docid_nosuchfile_lines":      "a range of lines",
	"x_lines_beyond_end":                "a range of lines",
	"x_retrieve_lines":                  "a range of lines",
	"x_retrieve_whole_document":         "no range",
	"x_next_prev":                       "WAIS_NEXT, which leads from one document to another",
	"x_retrieve_no_type_term":           "no type",
	"x_retrieve_no_elementset_no_refid": "neither ElementSetNames nor ReferenceID",
	"x_no_init_search":                  "a ReferenceID",
	"x_search_no_database":              "no DatabaseNames",
	"x_search_relevance_feedback":       "a document that different are to be like",
	"x_search_feedback_fragment":        "a document that different are to be like",
	"x_search_feedback_words_plus_doc":  "a document that different are to be like",
	"x_query_type_0":                    "an unknown type of query",
	"x_present_apdu":                    "a Present",
	"x_hex_encoding":                    "an encoding",
}

// The requests are byte for byte the same as the original client's, except for Init, in which
// the original sends the user's name. Recorded requests that were made by hand are compared too
// if a URL can ask for the same.
// req: 1738-3.9-2
func TestRequestsAreTheOriginal(t *testing.T) {
	same, different := 0, map[string]bool{}
	for _, s := range readIndex(t) {
		genuine := s.name[:2] != "x_"
		for i, e := range recordedPairs(t, s.name) {
			if e.request[2] == apduInit && (genuine || s.name != "x_minimal_init") {
				continue
			}
			got := rebuild(t, e.request)
			switch {
			case bytes.Equal(got, e.request):
				same++
			default:
				different[s.name] = true
				if genuine || byHand[s.name] == "" {
					t.Errorf("%s, request %d is\n%q\nwant\n%q", s.name, i, got, e.request)
				}
			}
		}
	}
	if same != 84 || len(different) != len(byHand) {
		t.Errorf("%d requests are the same, and those of %v are not; want 84 and %v", same, different, byHand)
	}
}

// rebuild returns the client's request for the same thing as b. It returns nil if this client
// cannot make it.
func rebuild(t *testing.T, b []byte) []byte {
	if b[2] == apduInit {
		return initRequest()[headerSize:]
	}
	a, err := parseAPDU(b, apduSearch, 10)
	if err != nil {
		return nil
	}
	database, _ := find(t, a.variable, tagDatabaseNames)
	if text, ok := find(t, a.user, tagQuery); ok {
		q := parseQuery(t, text)
		start, err := strconv.ParseInt(q.start, 10, 64)
		end, err2 := strconv.ParseInt(q.end, 10, 64)
		if q.unit != "wb" || err != nil || err2 != nil {
			return nil
		}
		return docRef{string(database), q.kind, q.docID}.rangeRequest(start, end)[headerSize:]
	}
	info, _ := find(t, a.user, tagUserInformation)
	words, _ := find(t, info, tagSeedWords)
	var limit int64
	if value, ok := find(t, info, tagMaxDocuments); ok {
		limit, _ = element{tagMaxDocuments, value}.number()
	}
	return searchRequest(string(database), string(words), int(limit))[headerSize:]
}
