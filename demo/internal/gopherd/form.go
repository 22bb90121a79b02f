package gopherd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"locus/demo/internal/serve"
)

// largestBlock is the maximum number of bytes of the answers to a form.
const largestBlock = 64 << 10

var (
	errBlockTooLarge = errors.New("the answers are longer than 64 KiB")
	errBlockHeader   = errors.New("the answers do not begin with +length, +-1 or +-2")
)

// readBlock reads the data after a request line, which begin with a header line: "+" and the number
// of bytes, "+-1" for lines up to ".", or "+-2" for all bytes to the end. It returns the data
// without the header. More than largestBlock bytes are an error.
func readBlock(r *bufio.Reader) ([]byte, error) {
	header, err := serve.Line(r)
	if err != nil {
		return nil, err
	}
	switch header {
	case "+-1":
		return readDotted(r)
	case "+-2":
		return readAll(r)
	}
	digits, ok := strings.CutPrefix(header, "+")
	n, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil {
		return nil, errBlockHeader
	}
	if n > largestBlock {
		return nil, errBlockTooLarge
	}
	block := make([]byte, n)
	if _, err := io.ReadFull(r, block); err != nil {
		return nil, fmt.Errorf("the answers are shorter than their header says: %w", err)
	}
	return block, nil
}

// readDotted reads lines up to a line that is just a dot, which is not part of the result. It
// returns errBlockTooLarge after largestBlock bytes.
func readDotted(r *bufio.Reader) ([]byte, error) {
	var block []byte
	for {
		line, err := serve.Line(r)
		if err != nil {
			return nil, fmt.Errorf("the answers have no last line: %w", err)
		}
		if line == "." {
			return block, nil
		}
		block = append(append(block, line...), "\r\n"...)
		if len(block) > largestBlock {
			return nil, errBlockTooLarge
		}
	}
}

// readAll reads a block that ends with the connection. It returns errBlockTooLarge if the block is
// longer than largestBlock.
func readAll(r *bufio.Reader) ([]byte, error) {
	block, err := io.ReadAll(io.LimitReader(r, largestBlock+1))
	if len(block) > largestBlock {
		return nil, errBlockTooLarge
	}
	return block, err
}

// A question is a line of the form's +ASK block.
type question struct {
	kind     string // Note, Ask, AskP, AskL, Select, Choose, AskF, ChooseF
	prompt   string
	defaults []string // the default, or the choices
}

// guestbook returns a question of every kind. The file comes last, because its bytes are the
// rest of the block.
func guestbook() []question {
	return []question{
		{"Note", "This book forgets: nothing you write is kept.", nil},
		{"Ask", "Your name?", []string{"Anonymous"}},
		{"AskP", "A secret?", nil},
		{"AskL", "Your words?", nil},
		{"Select", "Do you run a server?", []string{"1"}},
		{"Choose", "Your protocol?", []string{"gopher", "ftp", "wais", "http"}},
		{"AskF", "A name to save this under?", []string{"guestbook.txt"}},
		{"ChooseF", "A file to send?", nil},
	}
}

// askLines returns the questions of the guestbook as lines of an +ASK block.
func askLines() []string {
	var lines []string
	for _, q := range guestbook() {
		lines = append(lines, strings.Join(append([]string{q.kind + ": " + q.prompt}, q.defaults...), "\t"))
	}
	return lines
}

// filled answers a filled-in form: with the list of its answers, or with an error if an answer is
// missing or wrong.
func (a *answer) filled() {
	text, err := listAnswers(guestbook(), a.block)
	if err != nil {
		a.fail(err.Error())
		return
	}
	a.text(text)
}

// listAnswers returns a text for the user with the answer to each question, taken from block in
// order. It shows only the length of a secret. A missing or wrong answer is an error.
func listAnswers(questions []question, block []byte) (string, error) {
	var b strings.Builder
	b.WriteString("Thank you. This is what you wrote:\n\n")
	for _, q := range questions {
		if q.kind == "Note" {
			continue
		}
		text, rest, err := q.answered(block)
		if err != nil {
			return "", err
		}
		block = rest
		b.WriteString(q.prompt + text + "\n")
	}
	return b.String(), nil
}

// answered takes the answer to the question from the start of block. text describes the answer
// without showing a secret, and rest is the block after the answer.
func (q question) answered(block []byte) (text string, rest []byte, err error) {
	if q.kind == "ChooseF" {
		return fmt.Sprintf(" %d bytes: %q", len(block), block[:min(len(block), 200)]), nil, nil
	}
	line, rest, ok := cutLine(block)
	if !ok {
		return "", nil, fmt.Errorf("there is no answer to %q", q.prompt)
	}
	switch q.kind {
	case "AskP":
		return fmt.Sprintf(" %d bytes", len(line)), rest, nil
	case "AskL":
		return q.severalLines(line, rest)
	case "Select":
		if line != "0" && line != "1" {
			return "", nil, fmt.Errorf("the answer to %q is neither 0 nor 1", q.prompt)
		}
		return map[string]string{"0": " no", "1": " yes"}[line], rest, nil
	}
	return " " + line, rest, nil
}

// severalLines takes that number of lines from the start of block. It returns them indented, each
// after a line end, and the rest of block.
func (q question) severalLines(number string, block []byte) (text string, rest []byte, err error) {
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return "", nil, fmt.Errorf("the answer to %q does not begin with the number of its lines", q.prompt)
	}
	var b strings.Builder
	for range n {
		line, after, ok := cutLine(block)
		if !ok {
			return "", nil, fmt.Errorf("the answer to %q has fewer lines than it says", q.prompt)
		}
		b.WriteString("\n  " + line)
		block = after
	}
	return b.String(), block, nil
}

// cutLine returns the first line of b, without its line end, and the bytes after it. ok is false if
// b has no line end.
func cutLine(b []byte) (line string, rest []byte, ok bool) {
	before, rest, ok := bytes.Cut(b, []byte("\n"))
	return string(bytes.TrimSuffix(before, []byte("\r"))), rest, ok
}
