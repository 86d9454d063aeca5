package verbs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The numbers of <infiniband/verbs.h>, which go to the kernel as they are.
func TestNumbersOfTheHeader(t *testing.T) {
	got := map[string]int{
		"RESET": int(QPReset), "INIT": int(QPInit), "RTR": int(QPRTR), "RTS": int(QPRTS), "SQD": int(QPSQD), "SQE": int(QPSQE), "ERR": int(QPErr),
		"LOCAL_WRITE": int(LocalWrite), "REMOTE_WRITE": int(RemoteWrite), "REMOTE_READ": int(RemoteRead), "REMOTE_ATOMIC": int(RemoteAtomic),
		"STATE": int(AttrState), "ACCESS_FLAGS": int(AttrAccessFlags), "PORT": int(AttrPort), "AV": int(AttrAV), "TIMEOUT": int(AttrTimeout),
		"RQ_PSN": int(AttrRQPSN), "SQ_PSN": int(AttrSQPSN), "MAX_DEST_RD_ATOMIC": int(AttrMaxDestRdAtomic), "DEST_QPN": int(AttrDestQPN),
	}
	want := map[string]int{
		"RESET": 0, "INIT": 1, "RTR": 2, "RTS": 3, "SQD": 4, "SQE": 5, "ERR": 6,
		"LOCAL_WRITE": 1, "REMOTE_WRITE": 2, "REMOTE_READ": 4, "REMOTE_ATOMIC": 8,
		"STATE": 1, "ACCESS_FLAGS": 8, "PORT": 0x20, "AV": 0x80, "TIMEOUT": 0x200,
		"RQ_PSN": 0x1000, "SQ_PSN": 0x10000, "MAX_DEST_RD_ATOMIC": 0x20000, "DEST_QPN": 0x100000,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The whole state machine: what is not in this table is no transition.
func TestRCTransitions(t *testing.T) {
	const connected = " + CUR_STATE|ACCESS_FLAGS|ALT_PATH|MIN_RNR_TIMER|PATH_MIG_STATE"
	want := map[string]string{
		"RESET→INIT": "STATE|ACCESS_FLAGS|PKEY_INDEX|PORT + none",
		"INIT→INIT":  "STATE + ACCESS_FLAGS|PKEY_INDEX|PORT",
		"INIT→RTR":   "STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN + ACCESS_FLAGS|PKEY_INDEX|ALT_PATH",
		"RTR→RTS":    "STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN" + connected,
		"RTS→RTS":    "STATE" + connected,
		"RTS→SQD":    "STATE + EN_SQD_ASYNC_NOTIFY",
		"SQD→RTS":    "STATE" + connected,
		"SQD→SQD": "STATE + ACCESS_FLAGS|PKEY_INDEX|PORT|AV|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|ALT_PATH|MIN_RNR_TIMER|" +
			"MAX_DEST_RD_ATOMIC|PATH_MIG_STATE",
	}
	for from := QPReset; from <= QPErr; from++ {
		want[from.String()+"→RESET"] = "STATE + none"
		want[from.String()+"→ERR"] = "STATE + none"
	}
	got := map[string]string{}
	for from := QPReset; from <= QPErr+1; from++ {
		for to := QPReset; to <= QPErr+1; to++ {
			if tr, ok := RCTransition(from, to); ok {
				got[from.String()+"→"+to.String()] = tr.Required.String() + " + " + tr.Optional.String()
				if tr.From != from || tr.To != to {
					t.Errorf("%v→%v is answered with %v→%v", from, to, tr.From, tr.To)
				}
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Each attribute is tried alone: taken away, and added, from exactly what is required.
func TestCheckRCModifyBits(t *testing.T) {
	for _, states := range [][2]QPState{{QPReset, QPInit}, {QPInit, QPRTR}, {QPRTR, QPRTS}, {QPRTS, QPErr}} {
		tr, _ := RCTransition(states[0], states[1])
		if err := CheckRCModify(tr.From, tr.To, tr.Required|tr.Optional); err != nil {
			t.Errorf("everything allowed: %v", err)
		}
		for bit := AttrState; bit <= AttrDestQPN<<1; bit <<= 1 {
			var want *QPModifyError
			switch {
			case tr.Required&bit != 0:
				want = &QPModifyError{From: tr.From, To: tr.To, Missing: bit}
			case tr.Optional&bit == 0:
				want = &QPModifyError{From: tr.From, To: tr.To, NotAllowed: bit}
			}
			var got *QPModifyError
			errors.As(CheckRCModify(tr.From, tr.To, tr.Required^bit), &got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%v→%v, %v (-want +got):\n%s", tr.From, tr.To, bit, d)
			}
		}
	}
}

func TestCheckRCModifyTexts(t *testing.T) {
	check := func(from, to QPState, attrs QPAttrs, want string) {
		t.Helper()
		got := "ok"
		if err := CheckRCModify(from, to, attrs); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	init := AttrState | AttrPKeyIndex | AttrPort | AttrAccessFlags
	check(QPReset, QPInit, init, "ok")
	check(QPReset, QPInit, init&^AttrPort|AttrQKey, "RC queue pair RESET→INIT: missing PORT; not allowed QKEY")
	check(QPRTR, QPRTS, AttrState|AttrTimeout|AttrSQPSN, "RC queue pair RTR→RTS: missing RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC")
	check(QPErr, QPReset, AttrState|AttrDestQPN<<1, "RC queue pair ERR→RESET: not allowed 0x200000")
	check(QPReset, QPRTR, init, "RC queue pair RESET→RTR: no such transition")
	check(QPSQE, QPRTS, AttrState, "RC queue pair SQE→RTS: no such transition")
	check(QPState(9), QPReset, AttrState, "RC queue pair state 9→RESET: no such transition")
}

func TestAccessNames(t *testing.T) {
	check := func(a Access, want string) {
		t.Helper()
		if got := a.String(); got != want {
			t.Errorf("%#x: got %s, want %s", uint32(a), got, want)
		}
	}
	check(0, "none")
	check(LocalWrite|RemoteRead, "LOCAL_WRITE|REMOTE_READ")
	check(RemoteWrite|RemoteAtomic|0x30, "REMOTE_WRITE|REMOTE_ATOMIC|0x30")
}

func TestDefaultRC(t *testing.T) {
	want := RCParams{Timeout: 14, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 12, MaxRdAtomic: 1, MaxDestRdAtomic: 1, SQPSN: 0}
	if d := cmp.Diff(want, DefaultRC()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if err := DefaultRC().Check(); err != nil {
		t.Error(err)
	}
}

func TestRCParamsCheck(t *testing.T) {
	check := func(p RCParams, want string) {
		t.Helper()
		got := "ok"
		if err := p.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: got %s, want %s", p, got, want)
		}
	}
	check(RCParams{}, "ok")
	check(RCParams{Timeout: 31, RetryCnt: 7, RNRRetry: 7, MinRNRTimer: 31, MaxRdAtomic: 255, MaxDestRdAtomic: 255, SQPSN: 0xffffff}, "ok")
	check(RCParams{Timeout: 32}, "timeout 32: at most 31")
	check(RCParams{RetryCnt: 8}, "retry_cnt 8: at most 7")
	check(RCParams{RNRRetry: 8}, "rnr_retry 8: at most 7")
	check(RCParams{MinRNRTimer: 32}, "min_rnr_timer 32: at most 31")
	check(RCParams{SQPSN: 1 << 24}, "sq_psn 16777216: at most 16777215")
}

func TestDeadPeer(t *testing.T) {
	check := func(p RCParams, ack, least, most time.Duration, ever bool) {
		t.Helper()
		l, m, ok := p.DeadPeer()
		if a := time.Duration(p.AckTimeout()); a != ack || time.Duration(l) != least || time.Duration(m) != most || ok != ever {
			t.Errorf("%+v: got %v, %v to %v, %v; want %v, %v to %v, %v", p, a, time.Duration(l), time.Duration(m), ok, ack, least, most, ever)
		}
	}
	check(DefaultRC(), 67108864, 536870912, 2147483648, true) // 4.096 µs × 2^14 × 8, and four times that
	check(RCParams{Timeout: 1, RetryCnt: 0}, 8192, 8192, 32768, true)
	check(RCParams{Timeout: 31, RetryCnt: 7}, 8796093022208, 70368744177664, 281474976710656, true)
	check(RCParams{Timeout: 0, RetryCnt: 7}, 0, 0, 0, false)

	if _, ok := DefaultRC().NotReadyPeer(12); ok {
		t.Error("rnr_retry 7 ends")
	}
	if d, ok := (RCParams{RNRRetry: 6}).NotReadyPeer(24); !ok || time.Duration(d) != 6*40960*time.Microsecond {
		t.Errorf("rnr_retry 6, timer 24: got %v, %v", time.Duration(d), ok)
	}
}

func TestRNRDelay(t *testing.T) {
	microseconds := strings.Fields(`655360 10 20 30 40 60 80 120 160 240 320 480 640 960 1280 1920 2560 3840 5120 7680 10240 15360 20480 30720
		40960 61440 81920 122880 163840 245760 327680 491520`)
	for code, us := range microseconds {
		want, err := time.ParseDuration(us + "us")
		if got := time.Duration(RNRDelay(uint8(code))); err != nil || got != want {
			t.Errorf("code %d: got %v, want %v %v", code, got, want, err)
		}
	}
	if len(microseconds) != 32 || RNRDelay(32+12) != RNRDelay(12) {
		t.Error("codes have five bits")
	}
}

func TestMTUCodes(t *testing.T) {
	for code, want := range []MTU{0, 256, 512, 1024, 2048, 4096, 0} {
		if got := MTUOfCode(uint8(code)); got != want {
			t.Errorf("code %d: got %d, want %d", code, got, want)
		}
		if want != 0 && want.Code() != uint8(code) {
			t.Errorf("MTU %d: got code %d, want %d", want, want.Code(), code)
		}
	}
	for _, m := range []MTU{0, 128, 255, 1500, 8192, -256} {
		if m.Code() != 0 {
			t.Errorf("MTU %d has code %d", m, m.Code())
		}
	}
}
