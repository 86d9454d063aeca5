//go:build ibverbs && linux && cgo

#include "ibverbs.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

enum { LIST = 32 }; // requests in one list, and completions in one poll

// failed is the errno of a call that returned NULL; some providers set none.
static int failed(void) { return errno ? errno : EIO; }

struct ibv_device **rc_device_list(int *n) { return ibv_get_device_list(n); }

struct ibv_context *rc_open(struct ibv_device **list, int i, int *err)
{
	errno = 0;
	struct ibv_context *ctx = ibv_open_device(list[i]);
	*err = ctx ? 0 : failed();
	return ctx;
}

int rc_query_gid(struct ibv_context *ctx, uint8_t port, int index, uint8_t gid[16])
{
	union ibv_gid g;
	errno = 0;
	if (ibv_query_gid(ctx, port, index, &g))
		return failed();
	memcpy(gid, g.raw, 16);
	return 0;
}

int rc_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr)
{
	memset(attr, 0, sizeof *attr);
	return ibv_query_port(ctx, port, attr);
}

struct ibv_pd *rc_alloc_pd(struct ibv_context *ctx, int *err)
{
	errno = 0;
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	*err = pd ? 0 : failed();
	return pd;
}

struct ibv_mr *rc_reg_mr(struct ibv_pd *pd, uintptr_t addr, uint64_t length, int access, int *err)
{
	errno = 0;
	// The parentheses keep the macro of that name away: with flags that are no constant it calls ibv_reg_mr_iova2, which
	// MLNX_OFED 4.9 does not have.
	struct ibv_mr *mr = (ibv_reg_mr)(pd, (void *)addr, length, access);
	*err = mr ? 0 : failed();
	return mr;
}

struct ibv_comp_channel *rc_create_channel(struct ibv_context *ctx, int *err)
{
	errno = 0;
	struct ibv_comp_channel *ch = ibv_create_comp_channel(ctx);
	*err = ch ? 0 : failed();
	return ch;
}

struct ibv_cq *rc_create_cq(struct ibv_context *ctx, struct ibv_comp_channel *ch, int depth, int *err)
{
	errno = 0;
	struct ibv_cq *cq = ibv_create_cq(ctx, depth, NULL, ch, 0);
	*err = cq ? 0 : failed();
	return cq;
}

struct ibv_qp *rc_create_qp(struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv,
			    uint32_t send_depth, uint32_t recv_depth, uint32_t *max_inline, int *err)
{
	struct ibv_qp_init_attr a = {
		.send_cq = send,
		.recv_cq = recv,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = send_depth,
			.max_recv_wr = recv_depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = *max_inline,
		},
	};
	errno = 0;
	struct ibv_qp *qp = ibv_create_qp(pd, &a);
	*err = qp ? 0 : failed();
	*max_inline = a.cap.max_inline_data;
	return qp;
}

int rc_modify_qp(struct ibv_qp *qp, int state, int mask, const struct rc_qp_params *p)
{
	struct ibv_qp_attr a = {
		.qp_state = state,
		.qp_access_flags = p->access,
		.port_num = p->port,
		.path_mtu = p->path_mtu,
		.dest_qp_num = p->dest_qp_num,
		.rq_psn = p->rq_psn,
		.sq_psn = p->sq_psn,
		.max_rd_atomic = p->max_rd_atomic,
		.max_dest_rd_atomic = p->max_dest_rd_atomic,
		.min_rnr_timer = p->min_rnr_timer,
		.timeout = p->timeout,
		.retry_cnt = p->retry_cnt,
		.rnr_retry = p->rnr_retry,
		.ah_attr = {
			.dlid = p->dlid,
			.port_num = p->port,
			.is_global = p->is_global,
			.grh = { .sgid_index = p->sgid_index, .hop_limit = p->hop_limit },
		},
	};
	memcpy(a.ah_attr.grh.dgid.raw, p->dgid, 16);
	return ibv_modify_qp(qp, &a, mask);
}

int rc_query_qp(struct ibv_qp *qp, int *state)
{
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;
	int err = ibv_query_qp(qp, &a, IBV_QP_STATE, &init);
	*state = err ? -1 : (int)a.qp_state;
	return err;
}

static void fill_send(struct ibv_send_wr *w, struct ibv_sge *s, const struct rc_send *r)
{
	*s = (struct ibv_sge){ .addr = r->local_addr, .length = r->local_len, .lkey = r->local_key };
	*w = (struct ibv_send_wr){
		.wr_id = r->id,
		.sg_list = s,
		.num_sge = r->local_len ? 1 : 0,
		.opcode = r->opcode,
		.send_flags = r->flags,
	};
	if (r->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		w->wr.atomic.remote_addr = r->remote_addr;
		w->wr.atomic.rkey = r->remote_key;
		w->wr.atomic.compare_add = r->compare_add;
		w->wr.atomic.swap = r->swap;
	} else {
		w->wr.rdma.remote_addr = r->remote_addr;
		w->wr.rdma.rkey = r->remote_key;
	}
}

int rc_post(struct ibv_qp *qp, const struct rc_send *r, int n, int *posted)
{
	struct ibv_send_wr w[LIST], *bad;
	struct ibv_sge s[LIST];
	for (*posted = 0; *posted < n;) {
		int list = n - *posted < LIST ? n - *posted : LIST;
		for (int i = 0; i < list; i++) {
			fill_send(&w[i], &s[i], &r[*posted + i]);
			w[i].next = i + 1 < list ? &w[i + 1] : NULL;
		}
		bad = w;
		int err = ibv_post_send(qp, w, &bad);
		if (err) {
			*posted += (int)(bad - w);
			return err;
		}
		*posted += list;
	}
	return 0;
}

int rc_post_recv(struct ibv_qp *qp, const struct rc_recv *r, int n, int *posted)
{
	struct ibv_recv_wr w[LIST], *bad;
	struct ibv_sge s[LIST];
	for (*posted = 0; *posted < n;) {
		int list = n - *posted < LIST ? n - *posted : LIST;
		for (int i = 0; i < list; i++) {
			const struct rc_recv *from = &r[*posted + i];
			s[i] = (struct ibv_sge){ .addr = from->addr, .length = from->len, .lkey = from->key };
			w[i] = (struct ibv_recv_wr){ .wr_id = from->id, .sg_list = &s[i], .num_sge = from->len ? 1 : 0 };
			w[i].next = i + 1 < list ? &w[i + 1] : NULL;
		}
		bad = w;
		int err = ibv_post_recv(qp, w, &bad);
		if (err) {
			*posted += (int)(bad - w);
			return err;
		}
		*posted += list;
	}
	return 0;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int rc_poll(struct ibv_cq *cq, struct rc_wc *out, int max, int min, int64_t spin_ns)
{
	struct ibv_wc wc[LIST];
	int64_t end = 0;
	int got = 0;
	for (;;) {
		int room = max - got < LIST ? max - got : LIST;
		int n = room > 0 ? ibv_poll_cq(cq, room, wc) : 0;
		if (n < 0)
			return -EIO;
		for (int i = 0; i < n; i++)
			out[got + i] = (struct rc_wc){
				.id = wc[i].wr_id,
				.status = wc[i].status,
				.vendor_err = wc[i].vendor_err,
				.byte_len = wc[i].status == IBV_WC_SUCCESS ? wc[i].byte_len : 0,
				.qp_num = wc[i].qp_num,
			};
		got += n;
		if (got == max || (n < room && got >= min))
			return got;
		if (n == 0) {
			int64_t t = now_ns();
			if (end == 0)
				end = t + spin_ns;
			else if (t >= end)
				return got;
			sched_yield();
		}
	}
}

int rc_post_poll(struct ibv_qp *qp, const struct rc_send *wr, int n, int *posted, int *err,
		 struct ibv_cq *cq, struct rc_wc *wc, int max, int min, int64_t spin_ns)
{
	*err = rc_post(qp, wr, n, posted);
	return rc_poll(cq, wc, max, *err ? 0 : min, *err ? 0 : spin_ns);
}

int rc_arm(struct ibv_cq *cq) { return ibv_req_notify_cq(cq, 0); }

int rc_take_event(struct ibv_comp_channel *ch)
{
	struct ibv_cq *cq;
	void *context;
	errno = 0;
	if (ibv_get_cq_event(ch, &cq, &context))
		return failed();
	ibv_ack_cq_events(cq, 1);
	return 0;
}
