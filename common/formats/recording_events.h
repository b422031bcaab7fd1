/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_RECORDING_EVENTS_H
#define KT_COMMON_FORMATS_RECORDING_EVENTS_H

#include <stdint.h>

/* Events of a recording that are not the kernel's own: collector/ writes them
 * as samples under these names, and decoder/ and symbolize/ read them.
 * Everything else in a recording is defined by perf
 * (common/formats/perf_data.h).
 */

/* How a recording reports the code of classic BPF programs (seccomp and socket
 * filters), for which the kernel writes no KSYMBOL record
 * (bpf_prog_kallsyms_candidate() in kernel/bpf/core.c): as samples of
 * breakpoints on these functions, with the registers of their arguments:
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
 * arch/arm64/net/bpf_jit_comp.c (since 6.9). Register numbers:
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

/* How a recording reports the patches of a kernel without TEXT_POKE records: as
 * samples of a breakpoint on the function that patches the kernel's text, with
 * the registers of its first two arguments, the address and the instruction.
 * The function is __aarch64_insn_write(addr, insn) of
 * arch/arm64/kernel/patching.c; register numbers are those of
 * arch/arm64/include/uapi/asm/perf_regs.h. Kernels are little-endian.
 */
#define TEXT_POKE_BREAKPOINT_EVENT "text_patch"

#define TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER 0

#define TEXT_POKE_BREAKPOINT_INSTRUCTION_REGISTER 1

#define TEXT_POKE_BREAKPOINT_REGISTERS \
	(1 << TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER | \
	 1 << TEXT_POKE_BREAKPOINT_INSTRUCTION_REGISTER)

/* How a recording reports mremap(), for which the kernel writes no MMAP record:
 * as samples of a breakpoint on the function of the system call,
 *
 *	mremap(old_address, old_size, new_size, flags, new_address)
 *
 * with the registers of user space, which have the arguments. Register numbers
 * are those of arch/.../include/uapi/asm/perf_regs.h. The result of the call is
 * not recorded.
 */
#define MREMAP_EVENT "mremap"

/* x86: DX, R10, R8. */
#define MREMAP_X86_SIZE 3

#define MREMAP_X86_FLAGS 18

#define MREMAP_X86_ADDRESS 16

/* arm64: x2, x3, x4. */
#define MREMAP_ARM64_SIZE 2

#define MREMAP_ARM64_FLAGS 3

#define MREMAP_ARM64_ADDRESS 4

#define MREMAP_X86_REGISTERS \
	(1 << MREMAP_X86_SIZE | 1 << MREMAP_X86_FLAGS | 1 << MREMAP_X86_ADDRESS)

#define MREMAP_ARM64_REGISTERS \
	(1 << MREMAP_ARM64_SIZE | 1 << MREMAP_ARM64_FLAGS | \
	 1 << MREMAP_ARM64_ADDRESS)

/* How a recording made with --only reports when each CPU's trace unit ran, and
 * for which task: as samples of a software event of the name GATE_MARK_EVENT,
 * with the task, the CPU, the time, the kernel's call chain at that point, and
 * a struct gate_mark as raw bytes.
 */
#define GATE_MARK_EVENT "ktrace_hw:gate"

enum gate_mark_kind {
	GATE_BEGIN = 1, /* a chosen call starts: the trace resumes */
	GATE_END,	/* it ends: the trace pauses */
	GATE_LEAVE,	/* its task leaves the CPU: the trace pauses */
	GATE_COME,	/* its task is switched in: the trace resumes */
	GATE_FIRST,	/* the recording starts with all traces paused */
	GATE_LAST,	/* the recording ends */
};

/* @caller completes the sample's call chain: on CPUs that pass the return
 * address in a register, the kernel's call chain at a function's start has the
 * function and all its callers except the direct one.
 */
struct gate_mark {
	uint32_t kind; /* enum gate_mark_kind */
	uint32_t reserved;
	uint64_t caller; /* the return address; 0: see the chain */
};

/* Size of a mark without a caller, which older recorders wrote. */
enum { GATE_MARK_OLD_SIZE = 8 };

/* Changes of the chosen calls: samples of an event of this name, with a struct
 * gate_choice as raw bytes. A call that starts after the sample's time is
 * traced if it is in the list.
 */
#define GATE_CHOICE_EVENT "ktrace_hw:only"

/* Size of a list of names, with its NUL. */
enum { GATE_LIST_SIZE = 1024 };

struct gate_choice {
	char list[GATE_LIST_SIZE]; /* comma-separated names; or GATE_NONE */
};

/* Stands for a list without names. */
#define GATE_NONE "none"

/* How a recording reports a trace that was saved for a trigger: as a sample of
 * a software event of the name TRIGGER_HIT_EVENT, of the task and CPU that
 * fired the trigger, at the time when all trace had been stopped, with a struct
 * trigger_hit as raw bytes. Times are of the recording's clock.
 */
#define TRIGGER_HIT_EVENT "ktrace_hw:hit"

enum { TRIGGER_HIT_TEXT_SIZE = 256 };

struct trigger_hit {
	uint32_t number; /* from 1 on */
	/* hits since the previous saved one that were not saved, because
	 * another was being saved
	 */
	uint32_t overlapped;
	uint64_t hit_ns;
	uint64_t latency_ns; /* measured by the trigger; 0: none */
	uint64_t begin_ns;   /* start of the call or wait; 0: none */
	char text[TRIGGER_HIT_TEXT_SIZE]; /* the trigger; NUL-terminated */
};

/* Probes of record --args: tracepoints "ktrace_hw_PID:argumentsN" at the start
 * of a function and "ktrace_hw_PID:resultN" at its return. Their own fields
 * follow the fields that the kernel adds: the probe's address, in __probe_ip or
 * __probe_func, and __probe_ret_ip.
 */
#define CALL_EVENTS_GROUP "ktrace_hw_"

#define CALL_ARGUMENTS_EVENT "arguments"

#define CALL_RESULT_EVENT "result"

/* Probes of record --goroutines: tracepoints "ktrace_hw_PID:goroutineN", when
 * Go's scheduler is about to switch to a goroutine. The field GOROUTINE_ID is
 * the goroutine's id.
 */
#define GOROUTINE_EVENT "goroutine"

#define GOROUTINE_ID "goid"

#endif
