// Package verbs holds what RDMA testbed tools say, as Go values.
//
// Every Parse function takes an io.Reader and returns values; nothing in this package starts a
// program, dials, or looks at a clock, so that a live node and a recording are read alike.
//
//	ParseSS            ss -tlnp                              iproute2, misc/ss.c
//	ParseChecksums     md5sum, sha256sum, … and their -c     GNU coreutils, src/digest.c
//
// The rules are the same for all of them. Escape codes, CR LF and lines of other programs do no harm.
// What a tool did not print is absent (nil, an empty string, or Unknown), never 0. An input from which
// nothing can be taken is an error compatible with ErrNoData that tells what was looked for; beside
// an error there is no value. Lines longer than 1 MiB are passed over and what stands after
// 64 MiB is not read, and both are told, as is a capture that ends inside the tool's output.
package verbs
