// Package rc does one-sided and two-sided operations on reliable-connected queue pairs of a real RDMA device, by libibverbs.
//
// It needs cgo and the headers of libibverbs, and is built with the tag ibverbs. Without the tag everything compiles and Open
// and Devices return ErrNotBuilt, so that programs and go vet need neither.
//
//	go build -tags ibverbs ./verbs/cmd/rdmaprobe                        linked with the system's libibverbs.so
//	go build -tags ibverbs,rdmastatic,netgo,osusergo ./verbs/cmd/…      one static file with the providers rxe and mlx5
//
// A pair of programs does
//
//	dev, err := rc.Open(rc.Config{Device: "mlx5_2", Port: 1, GIDIndex: 3})
//	defer dev.Close()
//	mr, err := dev.Register(1<<20, verbs.RemoteRead|verbs.RemoteWrite|verbs.RemoteAtomic)
//	defer mr.Close()
//	cq, err := dev.NewCQ(64)
//	defer cq.Close()
//	qp, err := dev.NewQP(rc.QPConfig{SendCQ: cq, RecvCQ: cq, SendDepth: 32, RecvDepth: 32})
//	defer qp.Close()
//	agreed, err := verbs.Exchange(conn, verbs.Offer{Side: verbs.ClientSide, Token: token, Random: rand.Reader, Local: qp.Card(mr)}, qp.Connect)
//	peer := agreed.Peer
//	err = qp.Do(ctx, rc.WR{Op: rc.Read, Local: mr.Segment(0, 4096), RemoteAddr: peer.Address, RemoteKey: peer.RKey})
//
// # Rules
//
// No call blocks longer than its context allows, and none holds a thread while it waits: a call polls for a bounded
// time, then its goroutine sleeps until the device says that there is something. A batch of requests is posted, and its completions are
// polled, in one call of C.
//
// All methods may be called from several goroutines, Close too. An object closes only when nothing made of it is open any more,
// else its Close returns an error compatible with errors.Is(err, ErrBusy) and nothing happens; a queue pair and a CQ may be closed
// while other goroutines wait on them, which then get ErrClosed. A second Close returns ErrClosed. Nothing is released by
// the garbage collector.
//
// After a wait that ended early (its context ended) requests may still be under way, and the device may still write into the memory that
// they name: close the queue pair before that memory is used for something else.
package rc
