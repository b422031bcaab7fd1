/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BPF_TEXT_BREAKPOINT_H
#define KT_COMMON_BPF_TEXT_BREAKPOINT_H

/* How a recording reports the code of classic BPF programs (seccomp and socket
 * filters), for which the kernel writes no KSYMBOL record
 * (bpf_prog_kallsyms_candidate() in kernel/bpf/core.c): as samples of
 * breakpoints with the registers of the arguments of
 *
 * 	bpf_arch_text_copy(void *dst, void *src, size_t size)
 * 		writes a program that the JIT compiler has made
 * 	bpf_arch_text_invalidate(void *dst, size_t size)
 * 		overwrites a program that is freed
 * 	bpf_prog_jit_attempt_done(struct bpf_prog *prog)
 * 		the same thread has written all of a program (kernel/bpf/core.c,
 * 		since Linux 5.13); the program runs only later
 *
 * of arch/x86/net/bpf_jit_comp.c (both since Linux 6.0) and
 * arch/arm64/net/bpf_jit_comp.c (since 6.9). Register numbers are those of
 * arch/.../include/uapi/asm/perf_regs.h.
 */
#define BPF_TEXT_COPY_EVENT "bpf_text_copy"
#define BPF_TEXT_WIPE_EVENT "bpf_text_wipe"
#define BPF_TEXT_DONE_EVENT "bpf_text_done"

/* x86: DI, SI, DX. */
#define BPF_TEXT_X86_ADDRESS 5
#define BPF_TEXT_X86_COPY_SIZE 3
#define BPF_TEXT_X86_WIPE_SIZE 4
/* arm64: x0, x1, x2. */
#define BPF_TEXT_ARM64_ADDRESS 0
#define BPF_TEXT_ARM64_COPY_SIZE 2
#define BPF_TEXT_ARM64_WIPE_SIZE 1

#define BPF_TEXT_X86_COPY_REGISTERS \
	(1 << BPF_TEXT_X86_ADDRESS | 1 << BPF_TEXT_X86_COPY_SIZE)
#define BPF_TEXT_X86_WIPE_REGISTERS \
	(1 << BPF_TEXT_X86_ADDRESS | 1 << BPF_TEXT_X86_WIPE_SIZE)
#define BPF_TEXT_ARM64_COPY_REGISTERS \
	(1 << BPF_TEXT_ARM64_ADDRESS | 1 << BPF_TEXT_ARM64_COPY_SIZE)
#define BPF_TEXT_ARM64_WIPE_REGISTERS \
	(1 << BPF_TEXT_ARM64_ADDRESS | 1 << BPF_TEXT_ARM64_WIPE_SIZE)

#endif
