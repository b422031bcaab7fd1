/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_PATH_H
#define KT_DECODER_CORESIGHT_PATH_H

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stdint.h>

struct code_space;

/* The expected path of control after the last range of instructions. */
struct coresight_path {
	bool is_known;
	uint64_t next;
};

/* Computes the path after @range, whose last instruction is at @last. */
void coresight_path_expect(struct coresight_path *path, struct code_space *code,
			   const ocsd_generic_trace_elem *range, uint64_t last);

/* Returns whether @ip is off the expected path: damage may seem to lead from
 * one address to another without any invalid packet.
 */
static inline bool coresight_path_is_left(const struct coresight_path *path,
					  uint64_t ip)
{
	return path->is_known && path->next != ip;
}

/* Returns whether the 64-bit code on the expected path writes TRFCR_EL1 before
 * its first branch: the driver of a trace buffer switches tracing off this way
 * while it handles a full buffer (Linux,
 * drivers/hwtracing/coresight/coresight-trbe.c).
 */
bool coresight_path_turns_off(const struct coresight_path *path,
			      struct code_space *code);

#endif
