package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gotestbed/gotestbed/fixtures"
	"github.com/gotestbed/gotestbed/reportgen/crestlog"
)

// TestRDMADispatch asks: does the dispatcher of a1 take every way to a set of locks, and do its counters add up?
//
//	            ┌─ path_local     the process holds them already (a2, a4)
//	lock_set ───┼─ path_onesided  CAS and READ ═══════════════╗
//	            └─ path_rpc       a call ──── the CPU of mn ───╨── mn
//	                └─ path_update    of these, the whole transaction in one call (PAYMENT)
//
// One cell with all levers. That its results are consistent the client has checked, or the cell would not have passed.
func TestRDMADispatch(t *testing.T) {
	c := fixtures.NewCluster(t)
	fixtures.NewPlan(t, c, fixtures.Experiment{
		Name:     "dispatch",
		Question: "Does the dispatcher take every way to a set of locks, and do its counters add up?",
		System:   program(t, c),
		NoAA:     true,
		Short:    2 * time.Second,
		Cells:    []fixtures.Cell{{Name: "full_v27", Levers: levers}},
		Verify:   dispatched,
	}).Run(t)
}

// ways are counters that must have counted something, on one compute node at least.
var ways = []string{"a1.path_local.cnt", "a1.path_onesided.cnt", "a1.path_rpc.cnt", "a1.path_update.cnt", "a1.explored.cnt"}

// A relation between the counters of one type of transaction.
type relation struct {
	text  string
	holds func(n func(counter string) float64) bool
}

// relations hold for each type of transaction on each compute node.
var relations = []relation{
	{"a1.lock_set = a1.path_local + a1.path_onesided + a1.path_rpc", func(n func(string) float64) bool {
		return n("a1.lock_set.cnt") == n("a1.path_local.cnt")+n("a1.path_onesided.cnt")+n("a1.path_rpc.cnt")
	}},
	{"rdma.rpc = a1.path_rpc", func(n func(string) float64) bool { return n("rdma.rpc.total") == n("a1.path_rpc.cnt") }},
	{"rdma.atomic = lock.cas + a3.fetch_add", func(n func(string) float64) bool {
		return n("rdma.atomic.total") == n("lock.cas.cnt")+n("a3.fetch_add.cnt")
	}},
	{"a1.path_update ≤ a1.path_rpc", func(n func(string) float64) bool { return n("a1.path_update.cnt") <= n("a1.path_rpc.cnt") }},
	{"a1.explored ≤ a1.path_onesided + a1.path_rpc", func(n func(string) float64) bool {
		return n("a1.explored.cnt") <= n("a1.path_onesided.cnt")+n("a1.path_rpc.cnt")
	}},
	{"lock.cas ≥ a1.path_onesided", func(n func(string) float64) bool { return n("lock.cas.cnt") >= n("a1.path_onesided.cnt") }},
}

// transactions are those of the workload, as the counters name them.
var transactions = []string{"tpcc.NEWORDER", "tpcc.PAYMENT", "tpcc.DELIVER", "tpcc.STOCK_LEVEL", "tpcc.ORDER_STATUS"}

// dispatched says which way was not taken, or which counters contradict each other.
func dispatched(cellDir string) error {
	details, err := readDetails(cellDir)
	if err != nil {
		return err
	}
	if len(details) == 0 {
		return errors.New("no compute node left its counters")
	}
	var errs []error
	total := map[string]float64{}
	for _, d := range details {
		for _, txn := range transactions {
			counter := func(name string) crestlog.Value { return d.Counters[txn+"."+name] }
			if err := related(counter); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", d.Name, txn, err))
			}
			for _, way := range ways {
				total[way] += counter(way).V
			}
		}
	}
	for _, way := range ways {
		if total[way] == 0 {
			errs = append(errs, fmt.Errorf("%s is 0 on all compute nodes: a way was not taken", way))
		}
	}
	return errors.Join(errs...)
}

// related says which relations do not hold between the counters of one type of transaction.
func related(counter func(name string) crestlog.Value) error {
	var errs []error
	for _, r := range relations {
		n := func(name string) float64 {
			v := counter(name)
			if !v.OK() {
				errs = append(errs, fmt.Errorf("no counter %s", name))
			}
			return v.V
		}
		before := len(errs)
		if !r.holds(n) && len(errs) == before {
			errs = append(errs, fmt.Errorf("%s does not hold", r.text))
		}
	}
	return errors.Join(errs...)
}
