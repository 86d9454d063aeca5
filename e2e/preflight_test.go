package e2e

import (
	"testing"

	"github.com/gotestbed/gotestbed/fixtures"
)

// The checks of TestSanity, each usable alone: before a run when something was changed, or to see whether a cure helped.

// TestSSH: does every node answer, and is its connection kept alive?
func TestSSH(t *testing.T) { preflight(t, "SSH") }

// TestNodeRoles: does no node have a role that its avoid list forbids?
func TestNodeRoles(t *testing.T) { preflight(t, "NodeRoles") }

// TestIOMMUPassthrough: does the NIC use physical addresses? Without that, RDMA can return zeros with status SUCCESS.
func TestIOMMUPassthrough(t *testing.T) { preflight(t, "IOMMUPassthrough") }

// TestOFED: are the verbs those that the program was built for, and the loaded modules theirs?
func TestOFED(t *testing.T) { preflight(t, "OFED") }

// TestPortActive: is the port of the experiment network up?
func TestPortActive(t *testing.T) { preflight(t, "PortActive") }

// TestActiveMTU: has it the MTU that the program or the cluster file wants?
func TestActiveMTU(t *testing.T) { preflight(t, "ActiveMTU") }

// TestGIDIndex: do the device and GID index of the cluster file carry the node's address?
func TestGIDIndex(t *testing.T) { preflight(t, "GIDIndex") }

// TestControlNetworkNotUsed: is the experiment network another one than the control network?
func TestControlNetworkNotUsed(t *testing.T) { preflight(t, "ControlNetworkNotUsed") }

// TestMemcachedReachable: does memcached answer every compute node at the address that it dials?
func TestMemcachedReachable(t *testing.T) { preflight(t, "MemcachedReachable") }

// TestBinariesIdentical: has every node the same program?
func TestBinariesIdentical(t *testing.T) { preflight(t, "BinariesIdentical") }

// TestConfigMatchesCluster: does the program's configuration name what will be started?
func TestConfigMatchesCluster(t *testing.T) { preflight(t, "ConfigMatchesCluster") }

// TestNoCoreDumps: is nothing left of crashes that fills the disks? With -apply it removes them.
func TestNoCoreDumps(t *testing.T) { preflight(t, "NoCoreDumps") }

// TestDiskSpace: is there room for logs?
func TestDiskSpace(t *testing.T) { preflight(t, "DiskSpace") }

// TestMemlock: may the program pin its memory region?
func TestMemlock(t *testing.T) { preflight(t, "Memlock") }

// TestClockSkew: do the nodes agree on the time?
func TestClockSkew(t *testing.T) { preflight(t, "ClockSkew") }

// TestSudo: does sudo work without a password, where something needs it?
func TestSudo(t *testing.T) { preflight(t, "Sudo") }

func preflight(t *testing.T, name string) {
	t.Helper()
	check, err := fixtures.CheckNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	c := fixtures.NewCluster(t)
	fixtures.Preflight(t, c, program(t, c), check)
}
