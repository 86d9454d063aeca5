package verbs_test

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gotestbed/gotestbed/verbs"
)

const nodeFiles = `/sys/class/infiniband/mlx5_0/device/net/eno33/mtu:1500
/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_2/device/uevent:PCI_SLOT_NAME=0000:81:00.0
/sys/class/infiniband/mlx5_2/ports/1/state:4: ACTIVE
/sys/class/infiniband/mlx5_2/ports/1/gids/2:0000:0000:0000:0000:0000:ffff:0a0a:0103
/sys/class/infiniband/mlx5_2/ports/1/gids/3:0000:0000:0000:0000:0000:ffff:0a0a:0103
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/2:IB/RoCE v1
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/types/3:RoCE v2
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/2:ens1f0
/sys/class/infiniband/mlx5_2/ports/1/gid_attrs/ndevs/3:ens1f0
`

// Which device and GID index carry the address of the experiment network?
func ExampleDeviceMap_Carrying() {
	files, err := verbs.ParseSysfs(strings.NewReader(nodeFiles))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := verbs.MapDevices(verbs.DeviceEvidence{Sysfs: files})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, answer := m.Carrying(netip.MustParseAddr("10.10.1.3"))
	fmt.Println(answer)
	fmt.Println(c.Device, c.Port, c.Netdev, c.PCI, c.Index)
	// Output:
	// yes: 10.10.1.3 is on mlx5_2 (ens1f0) GID 3
	// mlx5_2 1 ens1f0 0000:81:00.0 3
}

// A cluster file that names another device than the one with the address, or the control network, is refused.
func ExampleDeviceMap_Check() {
	files, err := verbs.ParseSysfs(strings.NewReader(nodeFiles))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := verbs.MapDevices(verbs.DeviceEvidence{Sysfs: files})
	if err != nil {
		fmt.Println(err)
		return
	}
	index := 2
	want := verbs.DeviceWant{Device: "mlx5_2", GIDIndex: &index, Addr: netip.MustParseAddr("10.10.1.3")}
	_, answer := m.Check(want)
	fmt.Println(answer)
	_, answer = m.Check(verbs.DeviceWant{Device: "mlx5_0", Addr: want.Addr, ControlNetdev: "eno33"})
	fmt.Println(answer)
	// Output:
	// no: cluster file says mlx5_2 GID 2 (RoCE v1), 10.10.1.3 is on mlx5_2 (ens1f0) GID 3
	// no: cluster file says mlx5_0, whose netdev is eno33, the control network
}
