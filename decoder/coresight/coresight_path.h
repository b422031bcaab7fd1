/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PATH_H
#define KT_DECODER_CORESIGHT_PATH_H

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stdint.h>

struct code_space;

/* Where control has to go on behind the last range of instructions. */
struct coresight_path {
	bool is_known;
	uint64_t next;
};

/* Notes that for @range, whose last instruction is at @last. */
void coresight_path_expect(struct coresight_path *path, struct code_space *code,
			   const ocsd_generic_trace_elem *range, uint64_t last);

/* Returns whether @ip is not where control had to go on: damage may lead from
 * one place in the code to another without a packet that is none.
 */
static inline bool coresight_path_is_left(const struct coresight_path *path,
					  uint64_t ip)
{
	return path->is_known && path->next != ip;
}

/* Returns whether the 64-bit code that control went on to writes TRFCR_EL1 before
 * it leaves its straight path: so the driver of a trace buffer switches tracing
 * off while it handles a full one (Linux,
 * drivers/hwtracing/coresight/coresight-trbe.c).
 */
bool coresight_path_turns_off(const struct coresight_path *path,
			      struct code_space *code);

#endif
