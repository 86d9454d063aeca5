package results

// A Node is one machine of the cluster, as run.json describes it. Facts are what the fixtures asked it; see
// docs/run-directory.md for their names. A fact that was asked and not found out reads "unknown: <reason>"; one that was
// not asked is absent.
type Node struct {
	Name     string            `json:"name"`
	Roles    []string          `json:"roles"`
	Address  string            `json:"address"` // in the experiment network
	Device   string            `json:"device"`  // RDMA device: mlx5_2
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Kernel   string            `json:"kernel"`
	Hardware string            `json:"hardware"` // type of machine: c6525-25g
	Facts    map[string]string `json:"facts"`
}

// A ClusterInfo names the cluster and lists its nodes.
type ClusterInfo struct {
	Name    string `json:"name"`
	Profile string `json:"profile"` // what it was made from: small-lan
	Site    string `json:"site"`    // where it stands: CloudLab Utah
	Nodes   []Node `json:"nodes"`
}

// Params are the parameters of the program that all cells of an experiment share. Zero: not recorded, or no such limit.
type Params struct {
	DurationS float64 `json:"duration_s"` // seconds a cell runs
	Txns      int64   `json:"txns"`       // transactions at most
	Threads   int     `json:"threads"`    // of each compute node
	Coros     int     `json:"coros"`      // of each thread
}

// A Deferral says why a cell was put off: which of the four criteria, in words, when it was decided, and why here.
type Deferral struct {
	Criterion int    `json:"criterion"` // 1 to 4
	Text      string `json:"text"`      // the criterion
	Date      string `json:"date"`      // 2026-01-31
	Reason    string `json:"reason"`
}
