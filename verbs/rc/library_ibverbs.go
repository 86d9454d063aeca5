//go:build ibverbs && linux && cgo

package rc

/*
#cgo CFLAGS: -O2 -Wall
#cgo noescape rc_post
#cgo nocallback rc_post
#cgo noescape rc_post_recv
#cgo nocallback rc_post_recv
#cgo noescape rc_poll
#cgo nocallback rc_poll
#cgo noescape rc_post_poll
#cgo nocallback rc_post_poll
#include <stdlib.h>
#include "ibverbs.h"
*/
import "C"

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

var libibverbs library = ibv{}

// ibv calls libibverbs.
type ibv struct{}

// spin is how long a poll looks for completions before it gives the thread back, in nanoseconds.
const spin = 1_000_000

// The structs of Go that C reads have the sizes of their models.
var (
	_ [C.sizeof_struct_rc_send]byte      = [unsafe.Sizeof(rawSend{})]byte{}
	_ [C.sizeof_struct_rc_recv]byte      = [unsafe.Sizeof(rawRecv{})]byte{}
	_ [C.sizeof_struct_rc_wc]byte        = [unsafe.Sizeof(rawCompletion{})]byte{}
	_ [C.sizeof_struct_rc_qp_params]byte = [unsafe.Sizeof(qpParams{})]byte{}
)

// errno turns what C returns into an error.
func errno(n C.int) error {
	switch {
	case n == 0:
		return nil
	case n < 0: // some providers return -errno, others -1
		n = -n
	}
	return syscall.Errno(n)
}

func list() (**C.struct_ibv_device, []*C.struct_ibv_device, error) {
	var n C.int
	l, err := C.rc_device_list(&n)
	if l == nil {
		return nil, nil, err
	}
	return l, unsafe.Slice(l, int(n)), nil
}

func (ibv) devices() ([]string, error) {
	l, devices, err := list()
	if err != nil {
		return nil, err
	}
	defer C.ibv_free_device_list(l)
	var names []string
	for _, d := range devices {
		names = append(names, C.GoString(C.ibv_get_device_name(d)))
	}
	return names, nil
}

func (ibv) openDevice(name string) (handle, error) {
	l, devices, err := list()
	if err != nil {
		return nil, err
	}
	defer C.ibv_free_device_list(l)
	for i, d := range devices {
		if C.GoString(C.ibv_get_device_name(d)) == name {
			var e C.int
			ctx := C.rc_open(l, C.int(i), &e)
			return handle(ctx), errno(e)
		}
	}
	return nil, nil
}

func (ibv) closeDevice(ctx handle) error {
	return errno(C.ibv_close_device((*C.struct_ibv_context)(ctx)))
}

func (ibv) queryDevice(ctx handle) (Limits, error) {
	var a C.struct_ibv_device_attr
	if err := errno(C.ibv_query_device((*C.struct_ibv_context)(ctx), &a)); err != nil {
		return Limits{}, err
	}
	return Limits{
		Firmware: C.GoString(&a.fw_ver[0]), VendorID: uint32(a.vendor_id), PartID: uint32(a.vendor_part_id),
		MaxMRSize: uint64(a.max_mr_size), MaxMR: int(a.max_mr), MaxQP: int(a.max_qp), MaxQPWR: int(a.max_qp_wr),
		MaxCQ: int(a.max_cq), MaxCQE: int(a.max_cqe),
		MaxRdAtomic: int(a.max_qp_init_rd_atom), MaxDestRdAtomic: int(a.max_qp_rd_atom),
		Atomics: a.atomic_cap != C.IBV_ATOMIC_NONE,
	}, nil
}

func (ibv) queryPort(ctx handle, port int) (portAttr, error) {
	var a C.struct_ibv_port_attr
	if err := errno(C.rc_query_port((*C.struct_ibv_context)(ctx), C.uint8_t(port), &a)); err != nil {
		return portAttr{}, err
	}
	return portAttr{
		state: int(a.state), maxMTU: int(a.max_mtu), activeMTU: int(a.active_mtu), gids: int(a.gid_tbl_len),
		maxMessage: uint32(a.max_msg_sz), lid: uint16(a.lid), linkLayer: int(a.link_layer),
	}, nil
}

func (ibv) queryGID(ctx handle, port, index int) (gid [16]byte, err error) {
	err = errno(C.rc_query_gid((*C.struct_ibv_context)(ctx), C.uint8_t(port), C.int(index), (*C.uint8_t)(&gid[0])))
	return gid, err
}

func (ibv) allocPD(ctx handle) (handle, error) {
	var e C.int
	pd := C.rc_alloc_pd((*C.struct_ibv_context)(ctx), &e)
	return handle(pd), errno(e)
}

func (ibv) deallocPD(pd handle) error { return errno(C.ibv_dealloc_pd((*C.struct_ibv_pd)(pd))) }

func (ibv) regMR(pd handle, addr uint64, length int, access uint32) (handle, uint32, uint32, error) {
	var e C.int
	mr := C.rc_reg_mr((*C.struct_ibv_pd)(pd), C.uintptr_t(addr), C.uint64_t(length), C.int(access), &e)
	if mr == nil {
		return nil, 0, 0, errno(e)
	}
	return handle(mr), uint32(mr.lkey), uint32(mr.rkey), nil
}

func (ibv) deregMR(mr handle) error { return errno(C.ibv_dereg_mr((*C.struct_ibv_mr)(mr))) }

func (ibv) createCQ(ctx handle, depth int) (handle, handle, int, error) {
	var e C.int
	ch := C.rc_create_channel((*C.struct_ibv_context)(ctx), &e)
	if ch == nil {
		return nil, nil, -1, errno(e)
	}
	if err := unix.SetNonblock(int(ch.fd), true); err != nil {
		C.ibv_destroy_comp_channel(ch)
		return nil, nil, -1, err
	}
	cq := C.rc_create_cq((*C.struct_ibv_context)(ctx), ch, C.int(depth), &e)
	if cq == nil {
		C.ibv_destroy_comp_channel(ch)
		return nil, nil, -1, errno(e)
	}
	return handle(cq), handle(ch), int(ch.fd), nil
}

func (ibv) arm(cq handle) error { return errno(C.rc_arm((*C.struct_ibv_cq)(cq))) }

func (ibv) takeEvent(ch handle) error {
	return errno(C.rc_take_event((*C.struct_ibv_comp_channel)(ch)))
}

func (ibv) destroyCQ(cq, ch handle) error {
	if err := errno(C.ibv_destroy_cq((*C.struct_ibv_cq)(cq))); err != nil {
		return err
	}
	return errno(C.ibv_destroy_comp_channel((*C.struct_ibv_comp_channel)(ch)))
}

func (ibv) createQP(pd, send, recv handle, sendDepth, recvDepth, maxInline int) (handle, uint32, int, error) {
	inline, e := C.uint32_t(maxInline), C.int(0)
	qp := C.rc_create_qp((*C.struct_ibv_pd)(pd), (*C.struct_ibv_cq)(send), (*C.struct_ibv_cq)(recv),
		C.uint32_t(sendDepth), C.uint32_t(recvDepth), &inline, &e)
	if qp == nil {
		return nil, 0, 0, errno(e)
	}
	return handle(qp), uint32(qp.qp_num), int(inline), nil
}

func (ibv) modifyQP(qp handle, state, mask int, p *qpParams) error {
	return errno(C.rc_modify_qp((*C.struct_ibv_qp)(qp), C.int(state), C.int(mask), (*C.struct_rc_qp_params)(unsafe.Pointer(p))))
}

func (ibv) queryQP(qp handle) (int, error) {
	var state C.int
	err := errno(C.rc_query_qp((*C.struct_ibv_qp)(qp), &state))
	return int(state), err
}

func (ibv) destroyQP(qp handle) error { return errno(C.ibv_destroy_qp((*C.struct_ibv_qp)(qp))) }
