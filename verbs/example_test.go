package verbs_test

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gotestbed/gotestbed/verbs"
)

// A system's memcached on loopback is what compute nodes see as "connection refused".
func ExampleAnswers() {
	listeners, err := verbs.ParseSS(strings.NewReader(`State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess
LISTEN 0      1024       127.0.0.1:11211      0.0.0.0:*    users:(("memcached",pid=2417,fd=26))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verbs.Answers(listeners, "memcached", netip.MustParseAddrPort("10.10.1.3:11211")))
	// Output: no: nothing answers at 10.10.1.3:11211; memcached[2417] on 127.0.0.1:11211
}

// The first error is the cause; what follows speaks of a socket.
func ExampleParsePerftest() {
	run, err := verbs.ParsePerftest(strings.NewReader(`Couldn't allocate MR
failed to create mr
Unable to init the socket connection
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: line %d: %s\n", run.Failure.Cause, run.Failure.Line, run.Failure.Text)
	// Output: mr: line 1: Couldn't allocate MR
}

// The group of the device itself outweighs what the command line asks for.
func ExampleIOMMUEvidence_Passthrough() {
	group := "DMA-FQ"
	evidence := verbs.IOMMUEvidence{
		Device:    "mlx5_2",
		GroupType: &group,
		Cmdline:   &verbs.Cmdline{Text: "ro quiet iommu=pt"},
	}
	fmt.Println(evidence.Passthrough())
	// Output: no: mlx5_2: iommu_group/type is DMA-FQ: addresses are translated
}
