// Package crestlog reads what CREST, its AURA fork and minidm leave behind: the logs of the memory node, the compute
// nodes and the client, the details files with a counter per transaction type, and the rows of results.txt.
//
// Every file is read once, front to back, in constant memory. Every number keeps the line it came from. A bad line is a
// *SyntaxError in the result and the reading goes on; only an I/O error stops it. A number that a log does not have, or
// prints as nan, is absent, never 0.
package crestlog
