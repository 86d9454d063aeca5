package verbs

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// A QueuePair is what a peer must know of an RC queue pair and of the memory region behind it.
type QueuePair struct {
	Link            LinkLayer
	GID             netip.Addr // as an IPv6 address; the zero Addr for none, which only InfiniBand may have
	LID             uint16     // 1 to 0xbfff on InfiniBand; of no meaning on Ethernet
	QPN             uint32     // 24 bits; 0, 1 and 0xffffff are never those of a connection
	PSN             uint32     // 24 bits: number of the first packet that this side sends
	MTU             MTU        // active MTU of the port
	MaxRdAtomic     uint8      // READs and atomics that this side wants in flight
	MaxDestRdAtomic uint8      // READs and atomics of the peer that this side can serve at a time
	RKey            uint32
	Address         uint64 // of the region, as the peer must give it
	Length          uint64 // of the region, in bytes; 0 when this side offers none
}

// Code returns the code of a path MTU in enum ibv_mtu: 1 for 256 bytes to 5 for 4096; 0 for what is no path MTU.
func (m MTU) Code() uint8 {
	for code := uint8(1); code <= 5; code++ {
		if m == MTUOfCode(code) {
			return code
		}
	}
	return 0
}

// MTUOfCode returns the path MTU of a code of enum ibv_mtu; 0 for what is no code.
func MTUOfCode(code uint8) MTU {
	if code < 1 || code > 5 {
		return 0
	}
	return 128 << code
}

// The link layers on the wire.
var linkCodes = [...]LinkLayer{1: LinkInfiniBand, 2: LinkEthernet}

func linkCode(l LinkLayer) uint8 {
	for code, known := range linkCodes {
		if l == known {
			return uint8(code)
		}
	}
	return 0
}

const cardSize = 56

// appendCard appends a queue pair as docs/exchange.md lays it out.
func (q QueuePair) appendCard(b []byte) []byte {
	var gid [16]byte
	if q.GID.IsValid() {
		gid = q.GID.As16()
	}
	b = append(b, gid[:]...)
	b = binary.BigEndian.AppendUint16(b, q.LID)
	b = append(b, linkCode(q.Link), q.MTU.Code())
	b = binary.BigEndian.AppendUint32(b, q.QPN)
	b = binary.BigEndian.AppendUint32(b, q.PSN)
	b = append(b, q.MaxRdAtomic, q.MaxDestRdAtomic, 0, 0)
	b = binary.BigEndian.AppendUint32(b, q.RKey)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint64(b, q.Address)
	return binary.BigEndian.AppendUint64(b, q.Length)
}

// parseCard reads what appendCard wrote. A value that no queue pair can have is for check to find.
func parseCard(b [cardSize]byte) QueuePair {
	q := QueuePair{
		LID:             binary.BigEndian.Uint16(b[16:]),
		MTU:             MTUOfCode(b[19]),
		QPN:             binary.BigEndian.Uint32(b[20:]),
		PSN:             binary.BigEndian.Uint32(b[24:]),
		MaxRdAtomic:     b[28],
		MaxDestRdAtomic: b[29],
		RKey:            binary.BigEndian.Uint32(b[32:]),
		Address:         binary.BigEndian.Uint64(b[40:]),
		Length:          binary.BigEndian.Uint64(b[48:]),
	}
	if gid := netip.AddrFrom16([16]byte(b[:16])); !gid.IsUnspecified() {
		q.GID = gid
	}
	if int(b[18]) < len(linkCodes) {
		q.Link = linkCodes[b[18]]
	}
	return q
}

// check finds the first value that the queue pair of a side cannot have.
func (q QueuePair) check(whose Side) error {
	wrong := func(field, format string, a ...any) error {
		return &QueuePairError{Whose: whose, Field: field, Msg: fmt.Sprintf(format, a...)}
	}
	switch {
	case linkCode(q.Link) == 0:
		return wrong("link layer", "%q is neither %s nor %s", q.Link, LinkInfiniBand, LinkEthernet)
	case q.Link == LinkEthernet && (!q.GID.IsValid() || q.GID.IsUnspecified()):
		return wrong("GID", "zero: RoCE cannot address a peer without one; the GID index names an empty entry")
	case q.Link == LinkInfiniBand && (q.LID == 0 || q.LID > 0xbfff):
		return wrong("LID", "%#x is not from 1 to 0xbfff: has a subnet manager set up the port?", q.LID)
	case q.QPN < 2 || q.QPN >= max24:
		return wrong("QPN", "%#x is not from 2 to 0xfffffe", q.QPN)
	case q.PSN > max24:
		return wrong("PSN", "%#x is more than 24 bits", q.PSN)
	case q.MTU.Code() == 0:
		return wrong("MTU", "not 256, 512, 1024, 2048 or 4096 bytes")
	case q.Length > 0 && q.Address+(q.Length-1) < q.Address:
		return wrong("region", "%d bytes from %#x run past the end of memory", q.Length, q.Address)
	}
	return nil
}

// An Agreement is what both sides of an exchange know and will use.
type Agreement struct {
	Local, Peer     QueuePair
	MTU             MTU   // path MTU for both: the smaller one
	MaxRdAtomic     uint8 // for RTS: no more than the peer can serve
	MaxDestRdAtomic uint8 // for RTR: no more than the peer will have in flight
}

// agree joins the queue pairs of this side and of the peer, each found right in itself.
func agree(side Side, local, peer QueuePair, need uint64) (Agreement, error) {
	if peer.Link != local.Link {
		return Agreement{}, &QueuePairError{side.other(), "link layer", fmt.Sprintf("%s, and %s at the %v", peer.Link, local.Link, side)}
	}
	if peer.Length < need {
		return Agreement{}, &QueuePairError{side.other(), "region", fmt.Sprintf("%d bytes, and the %v asks for %d", peer.Length, side, need)}
	}
	return Agreement{
		Local: local, Peer: peer,
		MTU:             min(local.MTU, peer.MTU),
		MaxRdAtomic:     min(local.MaxRdAtomic, peer.MaxDestRdAtomic),
		MaxDestRdAtomic: min(local.MaxDestRdAtomic, peer.MaxRdAtomic),
	}, nil
}

// Notes tells where this side gets less than it offered.
func (a Agreement) Notes() []string {
	var notes []string
	if a.Local.MTU != a.Peer.MTU {
		notes = append(notes, fmt.Sprintf("active MTU %d here and %d at the peer: both use %d", a.Local.MTU, a.Peer.MTU, a.MTU))
	}
	if a.MaxRdAtomic < a.Local.MaxRdAtomic {
		notes = append(notes, fmt.Sprintf("%d READs and atomics wanted in flight and the peer serves %d: %d are used", a.Local.MaxRdAtomic, a.Peer.MaxDestRdAtomic, a.MaxRdAtomic))
	}
	return notes
}
