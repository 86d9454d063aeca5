// Package recording keeps what tests ask of a cluster's nodes and what the nodes answer, and answers the same tests from it
// later, without nodes.
//
// A [Recorder] stands between a cluster and its transport ([Recorder.Dialer]) and writes one directory for each top-level test
// that ended well, with one file for each node in it; docs/recordings.md describes both. A [Replay] is such a directory, opened
// ([Open]); its [Replay.Dialer] takes the place of the transport. Requests belong to the test that makes them, which travels in
// their context ([WithScope]).
//
// What differs from run to run is registered by name on both sides ([Values]) and stands in a recording as a placeholder. What
// is nobody else's business (user names, home directories, addresses and names of hosts, keys, tokens, serial numbers) is
// replaced before anything is written, by replacements of the same shape.
package recording
