package verbs

// A Unit is the unit of a bandwidth.
type Unit string

// The units that perftest prints. Its label was MB/sec until 2024-03 and MiB/sec since, for the same
// unit: 2^20 bytes a second. Gb/sec are 10^9 bits a second.
const (
	MiBPerSec Unit = "MiB/s"
	GbPerSec  Unit = "Gb/s"
)

// BytesPer returns the bytes per second in one unit; 0 for an unknown unit.
func (u Unit) BytesPer() float64 {
	switch u {
	case MiBPerSec:
		return 1 << 20
	case GbPerSec:
		return 1e9 / 8
	}
	return 0
}

// unitLabel reads the part of a column's title in brackets.
func unitLabel(s string) Unit {
	switch s {
	case "MB/sec", "MiB/sec":
		return MiBPerSec
	case "Gb/sec":
		return GbPerSec
	}
	return ""
}
