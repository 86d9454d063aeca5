// Package e2e holds the experiments: tests only, one research question a file.
//
// A test reads as the experiment. Its comment states the question and draws the topology; its body names the system and
// the cells. What it takes to run them is in package fixtures; what a log says is in package crestlog.
//
// The build tag chooses the cluster: -tags local for five nodes on this machine, -tags rxe for guests with soft-RoCE, -tags
// cloudlab for the nodes of $CLUSTER.
// Without one, every test replays its recording, from testdata/recordings, and says so.
// Flags of the tests go last on the command line:
//
//	go test -tags local -timeout 0 ./e2e -run 'TestStep6/full_v27/rep0' -reps 3 -txns 200000
package e2e
