package clusterenv

import "time"

// An sshTarget is what the transport must know of a node.
type sshTarget struct {
	addr      string // host:port
	user      string
	keys      keySource
	hosts     hostStore
	keepalive keepalive
	timeout   time.Duration // for the whole dial, name lookup to login
}
