package verbs

import (
	"fmt"
	"math/bits"
	"strings"
)

// A QPState is a state of a queue pair. The numbers are those of enum ibv_qp_state.
type QPState uint8

// The states of a queue pair. One of the reliable connected service (RC) never enters SQE: its errors lead to ERR.
const (
	QPReset QPState = iota // made, or taken back: holds nothing
	QPInit                 // receives may be posted; nothing is sent or taken from the wire
	QPRTR                  // ready to receive: answers the peer's requests
	QPRTS                  // ready to send: posts requests too
	QPSQD                  // send queue drains: requests begun are finished, no new ones start
	QPSQE                  // send queue error
	QPErr                  // all that is posted completes with a flush error
)

var qpStateNames = [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}

func (s QPState) String() string {
	if int(s) < len(qpStateNames) {
		return qpStateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// QPAttrs is a set of attributes of a queue pair: the mask of ibv_modify_qp, with the bits of enum ibv_qp_attr_mask.
type QPAttrs uint32

// The attributes.
const (
	AttrState QPAttrs = 1 << iota
	AttrCurState
	AttrEnSQDAsyncNotify
	AttrAccessFlags
	AttrPKeyIndex
	AttrPort
	AttrQKey
	AttrAV
	AttrPathMTU
	AttrTimeout
	AttrRetryCnt
	AttrRNRRetry
	AttrRQPSN
	AttrMaxQPRdAtomic
	AttrAltPath
	AttrMinRNRTimer
	AttrSQPSN
	AttrMaxDestRdAtomic
	AttrPathMigState
	AttrCap
	AttrDestQPN
)

var qpAttrNames = [...]string{"STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS", "PKEY_INDEX", "PORT", "QKEY", "AV", "PATH_MTU",
	"TIMEOUT", "RETRY_CNT", "RNR_RETRY", "RQ_PSN", "MAX_QP_RD_ATOMIC", "ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN", "MAX_DEST_RD_ATOMIC",
	"PATH_MIG_STATE", "CAP", "DEST_QPN"}

func (a QPAttrs) String() string { return flagNames(uint32(a), qpAttrNames[:]) }

// Access is what may be done to a memory region or through a queue pair, with the bits of enum ibv_access_flags.
// A region that takes REMOTE_WRITE or REMOTE_ATOMIC must have LOCAL_WRITE as well (ibv_reg_mr).
type Access uint32

// The rights.
const (
	LocalWrite Access = 1 << iota
	RemoteWrite
	RemoteRead
	RemoteAtomic
)

func (a Access) String() string {
	return flagNames(uint32(a), []string{"LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC"})
}

// flagNames joins the names of the bits that are set; bits without a name follow as one hexadecimal number.
func flagNames(set uint32, names []string) string {
	if set == 0 {
		return "none"
	}
	var out []string
	for rest := set; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros32(rest)
		if bit >= len(names) {
			out = append(out, fmt.Sprintf("%#x", rest))
			break
		}
		out = append(out, names[bit])
	}
	return strings.Join(out, "|")
}

// A QPTransition is a change of state, with the attributes that ibv_modify_qp must and may get for it.
type QPTransition struct {
	From, To QPState
	Required QPAttrs // STATE always among them
	Optional QPAttrs
}

// rcTransitions are the changes of state of an RC queue pair, but those to RESET and ERR, which are open to every state. From
// ibv_modify_qp(3), the InfiniBand Architecture Specification, volume 1, section 11.2.5.2, and the table that Linux checks
// requests against, drivers/infiniband/core/verbs.c.
var rcTransitions = []QPTransition{
	{QPReset, QPInit, AttrState | AttrPKeyIndex | AttrPort | AttrAccessFlags, 0},
	{QPInit, QPInit, AttrState, AttrPKeyIndex | AttrPort | AttrAccessFlags},
	{QPInit, QPRTR, AttrState | AttrAV | AttrPathMTU | AttrDestQPN | AttrRQPSN | AttrMaxDestRdAtomic | AttrMinRNRTimer,
		AttrAltPath | AttrAccessFlags | AttrPKeyIndex},
	{QPRTR, QPRTS, AttrState | AttrTimeout | AttrRetryCnt | AttrRNRRetry | AttrSQPSN | AttrMaxQPRdAtomic,
		whileConnected},
	{QPRTS, QPRTS, AttrState, whileConnected},
	{QPRTS, QPSQD, AttrState, AttrEnSQDAsyncNotify},
	{QPSQD, QPRTS, AttrState, whileConnected},
	{QPSQD, QPSQD, AttrState, AttrPort | AttrAV | AttrTimeout | AttrRetryCnt | AttrRNRRetry | AttrMaxQPRdAtomic | AttrMaxDestRdAtomic |
		AttrAltPath | AttrAccessFlags | AttrPKeyIndex | AttrMinRNRTimer | AttrPathMigState},
}

// whileConnected may change in a queue pair that has a peer.
const whileConnected = AttrCurState | AttrAltPath | AttrAccessFlags | AttrMinRNRTimer | AttrPathMigState

// RCTransition returns what an RC queue pair needs to go from one state to another, and whether it can.
func RCTransition(from, to QPState) (QPTransition, bool) {
	if from <= QPErr && (to == QPReset || to == QPErr) {
		return QPTransition{From: from, To: to, Required: AttrState}, true
	}
	for _, t := range rcTransitions {
		if t.From == from && t.To == to {
			return t, true
		}
	}
	return QPTransition{}, false
}

// CheckRCModify says what is wrong with a request to move an RC queue pair: the error is a *QPModifyError, or nil. The kernel
// answers the same mistakes with EINVAL and no word.
func CheckRCModify(from, to QPState, attrs QPAttrs) error {
	t, ok := RCTransition(from, to)
	if !ok {
		return &QPModifyError{From: from, To: to, NoSuch: true}
	}
	e := &QPModifyError{From: from, To: to, Missing: t.Required &^ attrs, NotAllowed: attrs &^ (t.Required | t.Optional)}
	if e.Missing == 0 && e.NotAllowed == 0 {
		return nil
	}
	return e
}

// A QPModifyError is a change of state that an RC queue pair cannot make.
type QPModifyError struct {
	From, To   QPState
	NoSuch     bool    // there is no such transition
	Missing    QPAttrs // required and not given
	NotAllowed QPAttrs // given and not allowed
}

func (e *QPModifyError) Error() string {
	msg := fmt.Sprintf("RC queue pair %v→%v: ", e.From, e.To)
	if e.NoSuch {
		return msg + "no such transition"
	}
	var parts []string
	if e.Missing != 0 {
		parts = append(parts, "missing "+e.Missing.String())
	}
	if e.NotAllowed != 0 {
		parts = append(parts, "not allowed "+e.NotAllowed.String())
	}
	return msg + strings.Join(parts, "; ")
}
