/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_EXIT_H
#define KT_DECODER_CORESIGHT_EXIT_H

#include "decoder/flow/flow.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stddef.h>

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
