/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_COMM_H
#define KT_REPORT_PERFETTO_COMM_H

#include <stdint.h>

struct protobuf;
struct task_names;

/* A thread at a time; if tid is 0, the idle task of @cpu. */
struct perfetto_comm {
	int32_t tid;
	uint32_t cpu;
	uint64_t time_ns;
};

/* Writes the thread's name as field @field. */
void perfetto_put_comm(struct protobuf *message, uint32_t field,
		       const struct task_names *names,
		       struct perfetto_comm comm);

#endif
