package waisd

import (
	"cmp"
	"math"
	"slices"

	"locus/demo/library"
)

// An index ranks texts by words, with Okapi BM25: rare words count more, repeated words
// less each time, and long texts less than short ones.
type index struct {
	texts    map[string][]posting // by word
	lengths  []int                // of the texts, in words
	allWords int                  // sum of lengths
}

// A posting says that a text has a word, and how often.
type posting struct{ text, times int }

// add adds the next text. The words of its headline count weight times.
func (x *index) add(headline, text string) {
	const weight = 3
	if x.texts == nil {
		x.texts = map[string][]posting{}
	}
	id, length := len(x.lengths), 0
	count := func(words []string, times int) {
		for _, w := range words {
			in := x.texts[w]
			if len(in) == 0 || in[len(in)-1].text != id {
				in = append(in, posting{text: id})
			}
			in[len(in)-1].times += times
			x.texts[w] = in
			length += times
		}
	}
	count(words(headline), weight)
	count(words(text), 1)
	x.lengths = append(x.lengths, length)
	x.allWords += length
}

// A ranked is a text with its score.
type ranked struct {
	text  int
	score float64
}

// rank returns the texts that have any of the words, the best first.
func (x *index) rank(asked []string) []ranked {
	const k, b = 1.2, 0.75
	if x.allWords == 0 {
		return nil
	}
	scores := map[int]float64{}
	average := float64(x.allWords) / float64(len(x.lengths))
	for _, w := range asked {
		in := x.texts[w]
		rarity := math.Log(1 + (float64(len(x.lengths)-len(in))+0.5)/(float64(len(in))+0.5))
		for _, p := range in {
			times := float64(p.times)
			long := 1 - b + b*float64(x.lengths[p.text])/average
			scores[p.text] += rarity * times * (k + 1) / (times + k*long)
		}
	}
	found := make([]ranked, 0, len(scores))
	for text, score := range scores {
		found = append(found, ranked{text, score})
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.text, b.text))
	})
	return found
}

// words returns the words of a text, in lower case. Bytes that are not UTF-8 are
// Latin-1, which WAIS clients send.
func words(text string) []string {
	return library.Words(decode(text))
}
