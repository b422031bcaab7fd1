/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_RANGE_EXIT_INTERNAL_H
#define KT_DECODER_CORESIGHT_RANGE_EXIT_INTERNAL_H

#include "decoder/flow/flow.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_space;

/* Computes where a direct branch leads (Arm ARM DDI 0487, C4.1 "Branches",
 * F3.1, F4.1).
 *
 * @bytes: the branch, from memory at @address; @size bytes are available.
 * Returns false, without *@target, if the instruction is incomplete or not a
 * direct branch.
 */
bool coresight_target(ocsd_isa isa, uint64_t address, const uint8_t *bytes,
		      size_t size, uint64_t *target);

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

/* Returns how control left an instruction range. @last_bytes: the bytes of its
 * last instruction, of which @size are available; may be NULL.
 */
enum flow_exit coresight_exit(const ocsd_generic_trace_elem *range,
			      const uint8_t *last_bytes, size_t size);

/* Returns whether the instruction at @bytes waits: WFI or WFE in A64, A32 or
 * T32. Only a guess: the instruction set is not known.
 */
bool coresight_looks_slow(const uint8_t *bytes, size_t size);

/* Returns whether an instruction raised the exception of this number: a system
 * call, or a call to the hypervisor or to secure firmware.
 */
bool coresight_is_call(bool is_old, uint32_t exception_number);

#endif
