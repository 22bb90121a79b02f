package guard

import (
	"fmt"
	"net"
	"net/netip"

	"locus/access"
)

// An Own refuses the addresses of the program itself. Call its Check with the addresses to dial, after names have been
// looked up. Do not change its fields after the first use.
type Own struct {
	// Listeners are the addresses at which the program listens. An unspecified address stands for every address of
	// this machine.
	Listeners []net.Addr

	// Machine refuses every address of this machine's interfaces, at any port.
	Machine bool

	// Interfaces returns the addresses of this machine, as net.InterfaceAddrs does. If it is nil, only loopback
	// addresses are known to belong to this machine.
	Interfaces func() ([]net.Addr, error)
}

// Check returns nil if address, "IP:port", may be dialed. It returns [access.ErrLoop] for the address of a listener
// and, if Machine is set, an [*AddressError] for every other address of this machine. An address without an IP address
// or a port gets another error.
func (o *Own) Check(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial %q: %w", address, err)
	}
	to := at.Addr().Unmap().WithZone("")
	for _, l := range o.Listeners {
		own, err := netip.ParseAddrPort(l.String())
		if err != nil || own.Port() != at.Port() {
			continue
		}
		here := own.Addr().Unmap().WithZone("")
		if here == to || here.IsUnspecified() && o.isMachine(to) || to.IsUnspecified() {
			return access.ErrLoop
		}
	}
	if o.Machine && o.isMachine(to) {
		return &AddressError{Host: to.String(), Addr: to, Reason: "this machine"}
	}
	return nil
}

// isMachine reports whether addr belongs to this machine. It returns true if Interfaces fails, because addr may belong
// to an interface then. addr is neither v4-mapped nor has a zone.
func (o *Own) isMachine(addr netip.Addr) bool {
	if addr.IsLoopback() || addr.IsUnspecified() {
		return true
	}
	if o.Interfaces == nil {
		return false
	}
	all, err := o.Interfaces()
	if err != nil {
		return true
	}
	for _, one := range all {
		p, err := netip.ParsePrefix(one.String())
		if err == nil && p.Addr().Unmap().WithZone("") == addr {
			return true
		}
	}
	return false
}
