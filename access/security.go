package access

// Security says when an engine uses TLS on a connection that begins without it. Schemes
// such as https and nntps begin with TLS and always use it.
type Security uint8

const (
	// OpportunisticTLS uses TLS if the server offers it and something needs
	// protection; each engine says when. Unless the engine says otherwise, it sends
	// unencrypted passwords only to this machine.
	OpportunisticTLS Security = iota
	// RequireTLS refuses to continue without TLS. An engine for a protocol without
	// TLS refuses before it connects.
	RequireTLS
	// NeverTLS does not ask for TLS. It sends unencrypted passwords to any server.
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
