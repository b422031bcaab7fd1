/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/code_breakpoints.h"

#include "collector/events/event_list.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/error.h"
#include "common/formats/recording_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#ifdef __x86_64__
#define COPY_REGISTERS BPF_TEXT_X86_COPY_REGISTERS
#define WIPE_REGISTERS BPF_TEXT_X86_WIPE_REGISTERS
#define MREMAP_REGISTERS MREMAP_X86_REGISTERS
#else
#define COPY_REGISTERS BPF_TEXT_ARM64_COPY_REGISTERS
#define WIPE_REGISTERS BPF_TEXT_ARM64_WIPE_REGISTERS
#define MREMAP_REGISTERS MREMAP_ARM64_REGISTERS
#endif

static const struct {
	const char *name;
	const char *functions[2];
	uint64_t registers;
} breakpoints[] = {
	[BPF_TEXT_COPY] = { BPF_TEXT_COPY_EVENT,
			    { "bpf_arch_text_copy", NULL },
			    COPY_REGISTERS },
	[BPF_TEXT_WIPE] = { BPF_TEXT_WIPE_EVENT,
			    { "bpf_arch_text_invalidate", NULL },
			    WIPE_REGISTERS },
	[BPF_TEXT_DONE] = { BPF_TEXT_DONE_EVENT,
			    { "bpf_prog_jit_attempt_done", NULL },
			    WIPE_REGISTERS },
};

int bpf_text_breakpoints_add(struct event_list *events,
			     enum bpf_text_event which)
{
	uint64_t address;
	int error = kernel_symbols_search(
		"/proc/kallsyms", breakpoints[which].functions, &address);

	if (error)
		return error;
	if (!address)
		return -ERROR_NOT_FOUND;
	return event_list_add(
		events, event_spec_bpf_text(breakpoints[which].name, address,
					    breakpoints[which].registers));
}

int mremap_breakpoint_add(struct event_list *events)
{
	static const char *const functions[] = { "__x64_sys_mremap",
						 "__arm64_sys_mremap", NULL };
	uint64_t address;
	int error =
		kernel_symbols_search("/proc/kallsyms", functions, &address);

	if (error)
		return error;
	return address ? event_list_add(events,
					event_spec_mremap(address,
							  MREMAP_REGISTERS)) :
			 -ERROR_NOT_FOUND;
}

int text_poke_breakpoints_add(struct event_list *events,
			      const char *const *functions)
{
	uint64_t address;
	int error =
		kernel_symbols_search("/proc/kallsyms", functions, &address);

	if (error)
		return error;
	return address ? event_list_add(events, event_spec_text_poke_breakpoint(
							address)) :
			 -ERROR_NOT_FOUND;
}

int text_poke_breakpoints_open(struct event_list *events,
			       const char *const *functions,
			       const struct target *cpus)
{
	int spec = text_poke_breakpoints_add(events, functions);
	int error;
	int cause;

	if (spec < 0)
		return spec;
	error = event_list_open(events, (size_t)spec, cpus);
	if (!error)
		error = event_list_control(events, (size_t)spec,
					   PERF_EVENT_IOC_ENABLE, NULL);
	if (!error)
		return spec;
	cause = errno;
	event_list_remove_last(events);
	errno = cause;
	return error;
}

const char *text_poke_breakpoints_refusal(int error)
{
	if (error == -ERROR_NOT_FOUND)
		return "/proc/kallsyms has no address of the function that "
		       "does it";
	if (error != -ERROR_SYSTEM)
		return error_text(error);
	if (errno == ENOSPC)
		return "all breakpoints of a CPU are in use: end what uses them";
	if (errno == EPERM || errno == EACCES)
		return "not permitted: record as root (CAP_SYS_ADMIN)";
	return strerror(errno);
}
