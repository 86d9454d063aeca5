package verbs

import (
	"regexp"
	"strconv"
	"strings"
)

const pciAddr = `(?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])`

// kernEvents are the wordings of the kernel and its drivers (mm/oom_kill.c apart, see oom). A line without
// the word is not compared with the expression, which costs a hundred times as much.
var kernEvents = []struct {
	word string
	re   *regexp.Regexp
	kind EventKind
}{
	{"Kernel panic", regexp.MustCompile(`Kernel panic - not syncing`), EventPanic},
	{"BUG: ", regexp.MustCompile(`\bBUG: (?:unable to handle|kernel NULL)`), EventOops},
	{"Oops: ", regexp.MustCompile(`\bOops: `), EventOops},
	{"general protection fault", regexp.MustCompile(`general protection fault`), EventOops},
	{"reg mr failed", regexp.MustCompile(`infiniband (?P<device>\S+): create_mkey_warn.*reg mr failed`), EventMR},
	{"_MKEY(", regexp.MustCompile(`mlx5_core ` + pciAddr + `.*(?:CREATE_MKEY|UPDATE_MKEY)\(.*failed`), EventMR},
	{"get failed", regexp.MustCompile(`(?:infiniband |mlx5_\d+: )(?P<device>[\w-]+)?.*umem[_ ]get failed`), EventMR},
	{"mlx5_core", regexp.MustCompile(`mlx5_core ` + pciAddr + `.*(?:Fatal error \d+ detected|health compromised|handling bad device|enter_error_state|print_health_info|timeout\. Will cause a leak)`), EventHealth},
	{": Link ", regexp.MustCompile(`mlx5_core ` + pciAddr + ` (?P<netdev>[^\s:]+): Link (?P<way>[Uu]p|[Dd]own)`), EventLinkUp},
	{"NIC Link is", regexp.MustCompile(`(?:^|\s)(?P<netdev>[\w.@-]+):? NIC Link is (?P<way>Up|Down)`), EventLinkUp},
	{": set ", regexp.MustCompile(`infiniband (?P<device>[\w-]+): set (?P<way>active|down)`), EventLinkUp},
	{"Cable unplugged", regexp.MustCompile(`mlx5_core ` + pciAddr + `.*Port module event.*Cable unplugged`), EventLinkDown},
	{"segfault at", regexp.MustCompile(`(?P<process>[^\s\]\[]+)\[(?P<pid>\d+)\]: segfault at`), EventSegfault},
	{"blocked for more", regexp.MustCompile(`INFO: task (?P<process>\S+):(?P<pid>\d+) blocked for more than`), EventHung},
}

var (
	oomInvoked = regexp.MustCompile(`\S+ invoked oom-killer:`)
	oomKill    = regexp.MustCompile(`oom-kill:constraint=(\w+),.*\btask=(.+),pid=(\d+)`)
	oomKilled  = regexp.MustCompile(`(Memory cgroup o|O)ut of memory[^:]*: Kill(?:ed)? process (\d+),? \(([^)]*)\)`)
)

// oom takes the up to three lines of one kill: who ran out, who was chosen and why, who was killed. The one
// who ran out need not be the one who was killed.
func (p *kernlog) oom(text string, e KernelEvent) bool {
	if !strings.Contains(text, "oom-kill") && !strings.Contains(text, "ut of memory") {
		return false
	}
	e.Kind = EventOOM
	switch {
	case oomInvoked.MatchString(text):
		p.add(e)
		return true
	case oomKill.MatchString(text):
		m := oomKill.FindStringSubmatch(text)
		e.Scope = map[string]OOMScope{"CONSTRAINT_NONE": OOMNode, "CONSTRAINT_MEMCG": OOMCgroup,
			"CONSTRAINT_CPUSET": OOMPolicy, "CONSTRAINT_MEMORY_POLICY": OOMPolicy}[m[1]]
		e.Process = m[2]
		e.PID, _ = strconv.Atoi(m[3])
	case oomKilled.MatchString(text):
		m := oomKilled.FindStringSubmatch(text)
		e.Scope = OOMNode
		if m[1] != "O" {
			e.Scope = OOMCgroup
		}
		e.PID, _ = strconv.Atoi(m[2])
		e.Process = m[3]
	default:
		return false
	}
	if !p.mergeOOM(e) {
		p.add(e)
	}
	return true
}

// mergeOOM adds to the last event when it is about the same kill.
func (p *kernlog) mergeOOM(e KernelEvent) bool {
	n := len(p.Events)
	if n == 0 || p.Events[n-1].Kind != EventOOM {
		return false
	}
	last := &p.Events[n-1]
	if last.PID != 0 && last.PID != e.PID {
		return false
	}
	last.PID, last.Process = e.PID, e.Process
	if last.Scope == "" {
		last.Scope = e.Scope
	}
	return true
}
