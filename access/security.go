package access

// Security says when an engine uses TLS on a connection that does not begin
// with it. A scheme that begins with TLS, such as https or nntps, always uses it.
type Security uint8

const (
	// OpportunisticTLS uses TLS where the server offers it and something needs
	// protection; each engine says when. It is the default. Unless the engine
	// says otherwise, a password goes in the clear to this machine alone.
	OpportunisticTLS Security = iota
	// RequireTLS refuses to continue without TLS. An engine whose protocol has no
	// TLS refuses before it connects.
	RequireTLS
	// NeverTLS does not ask for TLS. Passwords go in the clear to any server.
	NeverTLS
)

// String returns "opportunistic", "required" or "never".
func (s Security) String() string {
	switch s {
	case RequireTLS:
		return "required"
	case NeverTLS:
		return "never"
	}
	return "opportunistic"
}
