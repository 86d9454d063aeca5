package verbs

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPerftestCases(t *testing.T) {
	runCases(t, "perftest", func(t *testing.T, _ toolCase, in io.Reader) object {
		p, err := ParsePerftest(in)
		if err != nil {
			t.Fatal(err)
		}
		rows := list(p.Rows, func(r PerfRow) any {
			if c := r.Consistent(); c.Answer == No {
				t.Error(c)
			}
			return object{"bytes": r.Bytes, "iterations": r.Iterations, "bw_peak": r.Peak, "bw_avg": r.Average,
				"bw_unit": r.Unit, "msg_rate_mpps": r.MsgRate}
		})
		out := object{"test": orNull(p.Tool), "rows": rows, "error": nil, "link": orNull(p.Link), "gid_index": p.GIDIndex,
			"flags": list(p.Flags, func(f PerfFlag) any { return f }), "truncated": p.Truncated, "signal": p.Signal}
		if len(p.Rows) > 0 {
			gbit, _ := p.Rows[0].GbitPerSec()
			out["gbit_per_s"] = math.Round(gbit*100) / 100
		}
		if f := p.Failure; f != nil {
			out["error"], out["peer"], out["port"] = f.Cause, f.Peer, f.Port
			out["wc_status"], out["vendor_error"], out["completed"] = f.WCStatus, f.VendorError, f.Completed
		}
		return out
	})
}

func TestPerftestGoldens(t *testing.T) { goldens(t, "perftest/*.txt", ParsePerftest) }

func FuzzParsePerftest(f *testing.F) {
	f.Add([]byte(jsonLat))
	f.Add([]byte(jsonBW))
	fuzzParser(f, "perftest", ParsePerftest)
}

func mustPerf(t *testing.T, in string) Perftest {
	t.Helper()
	p, err := ParsePerftest(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// As --out_json wrote it before 2024-01: no quotes, commas before closing braces, a blank before a colon.
const jsonLat = `{
test_info: {
test: RDMA_Write_Latency_Test,
Device: "rxe0",
Number_of_qps: 1,
Connection_type: RC,
TX_depth : 1,
Mtu: 1024,
Link_type: Ethernet,
GID_index: 1,
},
results: {
MsgSize: 128,
n_iterations: 5000,
t_min: 2.37,
t_max: 5.39,
t_typical: 2.42,
t_avg: 2.43,
t_stdev: 0.05,
percentile_99: 2.47,
percentile_99.9: 4.03,
},
}
`

const jsonBW = `{
"test_info": {
"test": "RDMA_Read_Bidirectional_BW_Test",
"Device": "mlx5_2",
"Mtu": 4096,
"Link_type": "IB"
},
"results": {
"MsgSize": 65536,
"n_iterations": 1000,
"BW_peak": 0.00,
"BW_average": 94.65,
"MsgRate": 0.180537
}
}
`

func TestPerftestJSON(t *testing.T) {
	ptr := func(v float64) *float64 { return &v }
	lat := mustPerf(t, jsonLat)
	want := []PerfRow{{Bytes: 128, Iterations: 5000, Min: ptr(2.37), Max: ptr(5.39), Typical: ptr(2.42), Avg: ptr(2.43),
		Stdev: ptr(0.05), P99: ptr(2.47), P999: ptr(4.03), LatencyUnit: "usec"}}
	if diff := cmp.Diff(want, lat.Rows); diff != "" {
		t.Errorf("latency (-want +got):\n%s", diff)
	}
	if lat.Tool != "ib_write_lat" || lat.Device != "rxe0" || *lat.GIDIndex != 1 || lat.Truncated {
		t.Errorf("latency run: %+v", lat)
	}
	bw := mustPerf(t, jsonBW)
	want = []PerfRow{{Bytes: 65536, Iterations: 1000, Average: ptr(94.65), Unit: GbPerSec, MsgRate: ptr(0.180537)}}
	if diff := cmp.Diff(want, bw.Rows); diff != "" {
		t.Errorf("bandwidth (-want +got):\n%s", diff)
	}
	if bw.Tool != "ib_read_bw" || !bw.Bidirectional || bw.Truncated {
		t.Errorf("bandwidth run: %+v", bw)
	}
	for _, in := range []string{jsonBW, strings.ReplaceAll(jsonBW, "\n", ""), jsonLat} {
		if cut := mustPerf(t, in[:len(in)-3]); !cut.Truncated {
			t.Errorf("cut JSON is not truncated: %q", in)
		}
	}
}

// The file does not name the unit of its bandwidth; the rate of messages does, or nothing.
func TestPerftestUnit(t *testing.T) {
	unit := func(average, rate string, want Unit) {
		t.Helper()
		in := strings.Replace(strings.Replace(jsonBW, "94.65", average, 1), "0.180537", rate, 1)
		if got := mustPerf(t, in).Rows[0].Unit; got != want {
			t.Errorf("%s at %s Mpps: %q, want %q", average, rate, got, want)
		}
	}
	unit("94.65", "0.180537", GbPerSec)
	unit("11283.56", "0.180537", MiBPerSec)
	unit("500.00", "0.180537", "")
	unit("0.00", "0.000000", "")
	unit("0.00", "0.000001", "") // either unit fits
	for label, want := range map[string]Unit{"MB/sec": MiBPerSec, "MiB/sec": MiBPerSec, "Gb/sec": GbPerSec, "GB/sec": ""} {
		if got := unitLabel(label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
}

func TestPerftestRows(t *testing.T) {
	const title = "                    RDMA_Read Bidirectional BW Test\n"
	const rule = "---------------------------------------------------------------------------------------\n"
	const header = " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"
	const row = " 65536      1000             11286.04             11283.56		     0.180537\n"
	rows := func(in string, truncated bool, sides ...string) Perftest {
		t.Helper()
		p := mustPerf(t, in)
		var got []string
		for _, r := range p.Rows {
			got = append(got, r.Side)
		}
		if diff := cmp.Diff(sides, got); diff != "" || p.Truncated != truncated {
			t.Errorf("truncated %v, want %v; sides (-want +got):\n%s", p.Truncated, truncated, diff)
		}
		return p
	}
	table := header + row + rule
	if p := rows(title+rule+table, false, ""); !p.Bidirectional {
		t.Error("not bidirectional")
	}
	rows(title+table+" Local results: \n"+rule+table+"\n Remote results: \n"+rule+table, false, "", "local", "remote")
	rows(title+header+row, true, "")
	rows(title+header+row+row[:60]+"\n"+rule, true, "")
	rows(title+header+row+row[:len(row)-3], true, "") // digits of the rate are cut
	rows(title+header, true)
	rows(table, true, "") // begins in the middle
	nan := rows(title+header+" 65536      1000             inf              -nan		     0.180537\n"+rule, false, "")
	if r := nan.Rows[0]; r.Peak != nil || r.Average != nil || r.Unit != "" || r.MsgRate == nil {
		t.Errorf("infinite peak and no average: %+v, want both absent", r)
	}
	cpu := rows(title+strings.TrimSpace(header)+"    CPU_Util[%]\n"+strings.TrimSuffix(row, "\n")+"\t    12.50\n"+rule, false, "")
	if c := cpu.Rows[0].CPU; c == nil || *c != 12.5 {
		t.Errorf("CPU %v, want 12.5", c)
	}
	dur := rows(" Send Latency Test\n #bytes        #iterations       t_avg[usec]    tps average\n"+
		" 64            5000                2.50           400000.00\n"+rule, false, "")
	if tps := dur.Rows[0].TPS; tps == nil || *tps != 400000 || dur.Tool != "ib_send_lat" {
		t.Errorf("%s: %v transactions a second, want 400000", dur.Tool, tps)
	}
}

func TestPerftestFailures(t *testing.T) {
	cause := func(in string, want PerfCause) *PerfFailure {
		t.Helper()
		p := mustPerf(t, in)
		if p.Failure == nil || p.Failure.Cause != want || p.Truncated {
			t.Fatalf("%q: %+v, want %s", in, p.Failure, want)
		}
		return p.Failure
	}
	// The last line of every early failure speaks of the socket; the first is the cause.
	mr := cause("Couldn't allocate MR with error=12\nfailed to create mr\nUnable to init the socket connection\n", CauseMR)
	if mr.Line != 1 || mr.Errno == nil || *mr.Errno != 12 {
		t.Errorf("%+v, want line 1, errno 12", mr)
	}
	if f := cause("IB device mlx5_9 not found\n Unable to find the Infiniband/RoCE device\n", CauseDevice); f.Device != "mlx5_9" {
		t.Errorf("device %q, want mlx5_9", f.Device)
	}
	cause("Couldn't connect to cn0:18515\n", CauseConnect)
	cause("Failed to modify QP 24 to INIT, ret=22\n", CauseQP)
	cause("Unexpected CM event bl blka 8\n", CauseCM)
	cause(" Completion wth error at client:\n", CauseCompletion)
	cause("can't read sgid of index 9\n", CauseGID)
	cause("Found Incompatibility issue with GID types.\n", CauseGID)
	cause(" Unable to perform rdma_client function\n", CauseCM)
	cause(" Couldn't create IB resources\n", CauseResources)
	cause(" Parser function exited with Error\n", CauseArguments)
	cause("Failed to modify QP to RTR\nCouldn't connect to remote QP\n", CauseQPRTR)
	if f := cause("Failed status transport retry counter exceeded (12) for wr_id 2\nparse WC failed 1\n", CauseCompletion); f.WCStatus == nil || *f.WCStatus != 12 {
		t.Errorf("status %v, want 12", f.WCStatus)
	}
	cause("client read/write: No space left on device\nCouldn't read/write remote address\n", CauseExchange)
}

func TestPerftestWaiting(t *testing.T) {
	const stars = "************************************\n"
	p := mustPerf(t, stars+"* Waiting for client to connect... *\n"+stars)
	if !p.Waiting || p.Truncated {
		t.Errorf("%+v, want waiting", p)
	}
	for _, in := range []string{"", "0.05\n", "bash: ib_write_bw: command not found\n"} {
		if _, err := ParsePerftest(strings.NewReader(in)); !errors.Is(err, ErrNoData) {
			t.Errorf("%q: %v, want %v", in, err, ErrNoData)
		}
	}
}

func TestPerfRowRates(t *testing.T) {
	ptr := func(v float64) *float64 { return &v }
	rate := func(r PerfRow, want float64, ok bool) {
		t.Helper()
		if got, k := r.BytesPerSec(); math.Abs(got-want) > 1e-6*want || k != ok {
			t.Errorf("%+v: %g, %v; want %g, %v", r, got, k, want, ok)
		}
	}
	rate(PerfRow{Bytes: 8, MsgRate: ptr(2.5), Average: ptr(19.07), Unit: MiBPerSec}, 2e7, true)
	rate(PerfRow{Bytes: 8, Average: ptr(2), Unit: MiBPerSec}, 2<<20, true)
	rate(PerfRow{Bytes: 8, Average: ptr(8), Unit: GbPerSec}, 1e9, true)
	rate(PerfRow{Bytes: 8, Average: ptr(8)}, 0, false)
	rate(PerfRow{Bytes: 8, Typical: ptr(2)}, 0, false)

	agrees := func(average, rate float64, want Tri) {
		t.Helper()
		r := PerfRow{Bytes: 65536, Average: &average, Unit: MiBPerSec, MsgRate: &rate}
		if p := r.Consistent(); p.Answer != want {
			t.Errorf("%g MiB/s at %g Mpps: %s, want %s", average, rate, p, want)
		}
	}
	agrees(11283.56, 0.180537, Yes)
	agrees(11283.56, 0.018053, No) // a digit was lost
	if p := (PerfRow{Bytes: 8}).Consistent(); p.Answer != Unknown {
		t.Errorf("nothing to compare: %s, want unknown", p)
	}
}

func TestPerftestVersion(t *testing.T) {
	for in, want := range map[string]string{
		"Version: 6.06\n": "6.06",
		"Version: 5.84":   "5.84",
		" WARNING: BW peak won't be measured in this run.\r\nVersion: 6.21\r\n": "6.21",
	} {
		if got, err := ParsePerftestVersion(strings.NewReader(in)); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"Version:\n", "Version: 6 or so\n", "ib_read_bw: unrecognized option '--version'\n"} {
		if got, err := ParsePerftestVersion(strings.NewReader(in)); !errors.Is(err, ErrNoData) || got != "" {
			t.Errorf("%q: %q, %v, want %v", in, got, err, ErrNoData)
		}
	}
}

func FuzzParsePerftestVersion(f *testing.F) {
	f.Add([]byte("Version: 6.06\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if v, err := ParsePerftestVersion(strings.NewReader(string(in))); (err == nil) != (v != "") {
			t.Errorf("%q: %q, %v", in, v, err)
		}
	})
}

// Large messages have few digits in their rate, small ones in their bandwidth.
func TestBytesPerSecTakesWhatWasRoundedLess(t *testing.T) {
	row := func(bytes uint64, average, rate float64) float64 {
		r := PerfRow{Bytes: bytes, Average: &average, Unit: MiBPerSec, MsgRate: &rate}
		v, _ := r.BytesPerSec()
		return v
	}
	for _, c := range []struct{ got, want float64 }{
		{row(8<<20, 15.09, 0.000002), 15.09 * (1 << 20)},
		{row(8, 0.05, 0.006452), 8 * 6452},
		{row(65536, 11180.43, 0.178887), 11180.43 * (1 << 20)},
	} {
		if math.Abs(c.got/c.want-1) > 1e-12 {
			t.Errorf("%g bytes/s, want %g", c.got, c.want)
		}
	}
}
