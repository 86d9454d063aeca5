package main

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/gotestbed/gotestbed/verbs/probe"
)

// Byte i of the pattern of a seed is a byte of a SplitMix64 stream with its lowest bit set: no byte of it is zero, so that memory
// which nobody wrote never passes for written, and each place and seed has other bytes.
//
// SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
func patternWord(seed, word uint64) uint64 {
	z := seed + (word+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31 | 0x0101010101010101
}

// poison is what memory holds that is to be written: no byte of a pattern, since it is even, and not zero.
const poison = 0xa4

func fill(mem []byte, seed uint64) {
	var word [8]byte
	for at := 0; at < len(mem); at += len(word) {
		binary.LittleEndian.PutUint64(word[:], patternWord(seed, uint64(at/len(word))))
		copy(mem[at:], word[:])
	}
}

func set(mem []byte, b byte) {
	for i := range mem {
		mem[i] = b
	}
}

// shown is how many bytes of a difference are shown.
const shown = 16

// compare finds how memory differs from the pattern of a seed; nil if it does not.
func compare(mem []byte, seed uint64) *probe.Difference {
	want := make([]byte, len(mem))
	fill(want, seed)
	return compareBytes(want, mem)
}

func compareBytes(want, got []byte) *probe.Difference {
	d := probe.Difference{Zeros: true}
	for i := range got {
		if got[i] == want[i] {
			continue
		}
		if d.Bytes == 0 {
			end := min(i+shown, len(got))
			d.Offset, d.Expected, d.Found = i, hex.EncodeToString(want[i:end]), hex.EncodeToString(got[i:end])
		}
		d.Bytes++
		d.Zeros = d.Zeros && got[i] == 0
	}
	if d.Bytes == 0 {
		return nil
	}
	return &d
}

// compareWord compares the words of 8 bytes at an offset.
func compareWord(offset int, want, got uint64) *probe.Difference {
	d := compareBytes(binary.BigEndian.AppendUint64(nil, want), binary.BigEndian.AppendUint64(nil, got))
	if d != nil {
		d.Offset, d.Expected, d.Found = offset, hex.EncodeToString(binary.BigEndian.AppendUint64(nil, want)), hex.EncodeToString(binary.BigEndian.AppendUint64(nil, got))
	}
	return d
}
