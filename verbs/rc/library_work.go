//go:build ibverbs && linux && cgo

package rc

// #include "ibverbs.h"
import "C"

import "unsafe"

func sends(wr []rawSend) (*C.struct_rc_send, C.int) {
	return (*C.struct_rc_send)(unsafe.Pointer(unsafe.SliceData(wr))), C.int(len(wr))
}

func completions(wc []rawCompletion) (*C.struct_rc_wc, C.int) {
	return (*C.struct_rc_wc)(unsafe.Pointer(unsafe.SliceData(wc))), C.int(len(wc))
}

// taken reads what rc_poll returns.
func taken(n C.int) (int, error) {
	if n < 0 {
		return 0, errno(n)
	}
	return int(n), nil
}

func (ibv) post(qp handle, wr []rawSend) (int, error) {
	var posted C.int
	first, n := sends(wr)
	err := errno(C.rc_post((*C.struct_ibv_qp)(qp), first, n, &posted))
	return int(posted), err
}

func (ibv) postRecv(qp handle, wr []rawRecv) (int, error) {
	var posted C.int
	first := (*C.struct_rc_recv)(unsafe.Pointer(unsafe.SliceData(wr)))
	err := errno(C.rc_post_recv((*C.struct_ibv_qp)(qp), first, C.int(len(wr)), &posted))
	return int(posted), err
}

func (ibv) poll(cq handle, wc []rawCompletion, min int) (int, error) {
	first, n := completions(wc)
	return taken(C.rc_poll((*C.struct_ibv_cq)(cq), first, n, C.int(min), spin))
}

func (ibv) postPoll(qp handle, wr []rawSend, cq handle, wc []rawCompletion, min int) (int, int, error, error) {
	var posted, e C.int
	send, sendN := sends(wr)
	done, doneN := completions(wc)
	got, pollErr := taken(C.rc_post_poll((*C.struct_ibv_qp)(qp), send, sendN, &posted, &e,
		(*C.struct_ibv_cq)(cq), done, doneN, C.int(min), spin))
	return int(posted), got, errno(e), pollErr
}
