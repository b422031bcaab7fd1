/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_JIT_CODE_H
#define KT_COLLECTOR_JIT_CODE_H

#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kcore_copy.h"

/* Returns the code in @range of @kcore, the memory of one BPF program: omits its
 * header (struct bpf_binary_header) and the breakpoints before and after the
 * code, which starts at a random address (bpf_jit_binary_pack_alloc() in
 * kernel/bpf/core.c). Returns @range if it has no such header or cannot be read.
 */
struct code_range jit_code_find(const struct kcore *kcore,
				const struct code_range *range);

#endif
