// Package typo finds the word that a person meant to type.
package typo

// Meant returns the word that is most similar to typed, the first one if several are equally
// similar. It returns "" if every word differs in more than one mistake, or in more than two if
// typed has more than six letters.
func Meant(typed string, words []string) string {
	best, least := "", min(2, (len(typed)+5)/6)+1
	for _, word := range words {
		if max(len(typed)-len(word), len(word)-len(typed)) >= least {
			continue // so that a long text does not take long
		}
		if n := mistakes(typed, word); n < least {
			best, least = word, n
		}
	}
	return best
}

// mistakes returns the smallest number of mistakes that turn b into a. A mistake is a byte that
// is missing, added, changed, or swapped with the next byte.
func mistakes(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row
		row = make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before = last
	}
	return row[len(b)]
}
