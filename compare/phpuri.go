package compare

import (
	"errors"
	"strconv"
	"strings"

	"locus/url"
)

// errPHPURI is the error for a URI that RFC 3986 permits.
var errPHPURI = errors.New("a zone, or a port that is too long (PHP Uri)")

// phpURIParts reads text as Uri\Rfc3986\Uri of PHP 8.5 does. It returns the parts that the getRaw methods return. It
// follows RFC 3986, but refuses zones, ports that do not fit into 64 bits, and ports of more than 20 digits.
// testdata/php-uri.jsonl has the answers of PHP.
func phpURIParts(text string) (url.Parts, error) {
	u, err := url.RFC3986.Parse(text)
	if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		return url.Parts{}, detail(syntax.Detail())
	}
	if err != nil {
		return url.Parts{}, err
	}
	const longest = 20 // digits of a port
	p := u.Parts()
	if len(p.Port.Text) > longest || strings.HasPrefix(p.Host.Text, "[") && strings.Contains(p.Host.Text, "%") {
		return url.Parts{}, errPHPURI
	}
	if p.Port.Text != "" {
		if _, err := strconv.ParseInt(p.Port.Text, 10, 64); err != nil {
			return url.Parts{}, errPHPURI
		}
	}
	return p, nil
}
