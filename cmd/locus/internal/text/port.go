package text

import (
	"encoding/json"
	"strings"

	"locus/render"
	"locus/url"
)

// Port returns a port in JSON: a number of any size, or the text if it is no number.
func Port(port url.Part) any {
	if port.Text == "" || strings.Trim(port.Text, "0123456789") != "" {
		return render.Part(port)
	}
	if digits := strings.TrimLeft(port.Text, "0"); digits != "" {
		return json.Number(digits)
	}
	return json.Number("0")
}
