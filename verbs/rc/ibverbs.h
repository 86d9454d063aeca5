// The part of libibverbs that package rc uses, in calls that do a whole step, so that a batch of work costs one call from Go.
// Only symbols that both rdma-core and the libibverbs of MLNX_OFED 4.9 export are used: nothing later than IBVERBS_1.1.
#ifndef GOTESTBED_RC_IBVERBS_H
#define GOTESTBED_RC_IBVERBS_H

#include <stdint.h>
#include <infiniband/verbs.h>

// One work request or completion, in memory of Go: no pointers, addresses are numbers.
struct rc_send {
	uint64_t id;
	uint64_t local_addr;
	uint64_t remote_addr;
	uint64_t compare_add;
	uint64_t swap;
	uint32_t local_len;
	uint32_t local_key;
	uint32_t remote_key;
	uint32_t opcode;
	uint32_t flags;
	uint32_t reserved;
};

struct rc_recv {
	uint64_t id;
	uint64_t addr;
	uint32_t len;
	uint32_t key;
};

struct rc_wc {
	uint64_t id;
	uint32_t status;
	uint32_t vendor_err;
	uint32_t byte_len;
	uint32_t qp_num;
};

// What a queue pair must know to get from RESET to RTS.
struct rc_qp_params {
	uint32_t dest_qp_num;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint8_t dgid[16];
	uint16_t dlid;
	uint8_t port;
	uint8_t sgid_index;
	uint8_t is_global;
	uint8_t hop_limit;
	uint8_t path_mtu;
	uint8_t access; // of the peer: bits of enum ibv_access_flags
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
};

// Each returns 0 or an errno, unless it says otherwise.
struct ibv_device **rc_device_list(int *n);
struct ibv_context *rc_open(struct ibv_device **list, int i, int *err);
int rc_query_gid(struct ibv_context *ctx, uint8_t port, int index, uint8_t gid[16]);
int rc_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr);
struct ibv_pd *rc_alloc_pd(struct ibv_context *ctx, int *err);
struct ibv_mr *rc_reg_mr(struct ibv_pd *pd, uintptr_t addr, uint64_t length, int access, int *err);
struct ibv_comp_channel *rc_create_channel(struct ibv_context *ctx, int *err);
struct ibv_cq *rc_create_cq(struct ibv_context *ctx, struct ibv_comp_channel *ch, int depth, int *err);
struct ibv_qp *rc_create_qp(struct ibv_pd *pd, struct ibv_cq *send, struct ibv_cq *recv,
			    uint32_t send_depth, uint32_t recv_depth, uint32_t *max_inline, int *err);

// rc_modify_qp moves a queue pair to a state, with those attributes of p that the mask names (enum ibv_qp_attr_mask).
int rc_modify_qp(struct ibv_qp *qp, int state, int mask, const struct rc_qp_params *p);
int rc_query_qp(struct ibv_qp *qp, int *state);

// rc_post posts n requests in lists; *posted says how many the queue took.
int rc_post(struct ibv_qp *qp, const struct rc_send *wr, int n, int *posted);
int rc_post_recv(struct ibv_qp *qp, const struct rc_recv *wr, int n, int *posted);

// rc_poll takes up to max completions and looks for them until it has min, but no longer than spin_ns. It returns how
// many it took, or a negative errno.
int rc_poll(struct ibv_cq *cq, struct rc_wc *wc, int max, int min, int64_t spin_ns);

// rc_post_poll is rc_post and then rc_poll; a request that was not taken shows in *posted and *err.
int rc_post_poll(struct ibv_qp *qp, const struct rc_send *wr, int n, int *posted, int *err,
		 struct ibv_cq *cq, struct rc_wc *wc, int max, int min, int64_t spin_ns);

// rc_arm asks for an event on the next completion.
int rc_arm(struct ibv_cq *cq);
// rc_take_event takes one event from a channel whose descriptor does not block; EAGAIN when there is none.
int rc_take_event(struct ibv_comp_channel *ch);

#endif
