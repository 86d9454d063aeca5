// Package clusterenv is what a cluster is and how to run a command on one of its nodes.
//
// A [Spec] is a cluster as data: nodes, roles, addresses, devices. It comes from a YAML file ([Load]; docs/cluster.md is
// its schema) or is built in Go. [Open] connects to every node and gives a [Cluster] of [Node]s. All that is ever done on
// a node goes through one [Transport], an interface of two methods.
//
// Errors name the node, the operation and the cause, in this order: "cn0: ibstatus mlx5_2: exit status 255: …"
// ([OpError]). A command that ended badly is an [ExitError]; one whose fate is unknown is [ErrDisconnected].
package clusterenv
