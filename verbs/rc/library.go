package rc

import "unsafe"

// A handle is an object of libibverbs.
type handle = unsafe.Pointer

// A library is libibverbs, or stands for it in a test. Errors of its methods are errno, with no more words. The device lock is held
// so that no handle is used after it was destroyed.
type library interface {
	devices() ([]string, error)
	openDevice(name string) (handle, error) // a nil handle for no such device
	closeDevice(handle) error
	queryDevice(handle) (Limits, error)
	queryPort(ctx handle, port int) (portAttr, error)
	queryGID(ctx handle, port, index int) ([16]byte, error)

	allocPD(ctx handle) (handle, error)
	deallocPD(handle) error

	regMR(pd handle, addr uint64, length int, access uint32) (mr handle, lkey, rkey uint32, err error)
	deregMR(handle) error

	createCQ(ctx handle, depth int) (cq, channel handle, fd int, err error) // fd does not block
	arm(cq handle) error
	takeEvent(channel handle) error // EAGAIN when there is none
	destroyCQ(cq, channel handle) error

	createQP(pd, sendCQ, recvCQ handle, sendDepth, recvDepth, maxInline int) (qp handle, qpn uint32, inline int, err error)
	modifyQP(qp handle, state, mask int, p *qpParams) error
	queryQP(handle) (state int, err error)
	destroyQP(handle) error

	post(qp handle, wr []rawSend) (posted int, err error)
	postRecv(qp handle, wr []rawRecv) (posted int, err error)
	poll(cq handle, wc []rawCompletion, min int) (int, error)
	postPoll(qp handle, wr []rawSend, cq handle, wc []rawCompletion, min int) (posted, n int, postErr, pollErr error)
}

// portAttr is what ibv_query_port says of a port.
type portAttr struct {
	state      int // enum ibv_port_state
	maxMTU     int // enum ibv_mtu
	activeMTU  int // enum ibv_mtu
	gids       int // length of the GID table
	maxMessage uint32
	lid        uint16
	linkLayer  int // 1 InfiniBand, 2 Ethernet; 0 is InfiniBand too
}

// qpParams is struct rc_qp_params of ibverbs.h.
type qpParams struct {
	destQPN         uint32
	rqPSN           uint32
	sqPSN           uint32
	dgid            [16]byte
	dlid            uint16
	port            uint8
	sgidIndex       uint8
	isGlobal        uint8
	hopLimit        uint8
	pathMTU         uint8
	access          uint8
	maxRdAtomic     uint8
	maxDestRdAtomic uint8
	minRNRTimer     uint8
	timeout         uint8
	retryCnt        uint8
	rnrRetry        uint8
}
