/* SPDX-License-Identifier: MIT */
#include "collector/diagnosis.h"

#include "collector/events/event_list.h"
#include "collector/events/rights.h"
#include "collector/events/tracefs.h"
#include "collector/function_graph/graph_instance.h"
#include "collector/kernel_code/code_breakpoints.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"
#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void find(struct diagnosis *diagnosis, enum diagnosis_verdict verdict,
		 const char *fix, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void find(struct diagnosis *diagnosis, enum diagnosis_verdict verdict,
		 const char *fix, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(diagnosis->finding, sizeof(diagnosis->finding), format, args);
	va_end(args);
	diagnosis->verdict = verdict;
	snprintf(diagnosis->fix, sizeof(diagnosis->fix), "%s", fix);
}

static bool cpu_has(const char *flag)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char word[64];
	bool found = false;

	while (file && !found && fscanf(file, "%63s", word) == 1)
		found = !strcmp(word, flag);
	if (file)
		fclose(file);
	return found;
}

/* Reads the first word of a file. Returns whether there is one. */
static bool first_word(const char *path, char word[32])
{
	FILE *file = fopen(path, "re");
	bool found = file && fscanf(file, "%31s", word) == 1;

	if (file)
		fclose(file);
	return found;
}

/* Returns whether a CPU in deep idle may lose the registers of its ETM: the
 * kernel's driver does not save them if its parameter pm_save_enable is 1
 * (PARAM_PM_SAVE_NEVER in coresight-etm4x-core.c). Not tried on hardware.
 */
static bool idle_ends_trace(void)
{
	char saving[32], driver[32];

	return first_word("/sys/module/coresight_etm4x/parameters/"
			  "pm_save_enable",
			  saving) &&
	       !strcmp(saving, "1") &&
	       first_word("/sys/devices/system/cpu/cpuidle/current_driver",
			  driver) &&
	       strcmp(driver, "none") != 0;
}

static void look_at_unit(struct diagnosis *diagnosis)
{
	struct pmu pmu;
	const struct tracer *tracer = tracer_find(PMU_DEVICES, &pmu);

	if (tracer && idle_ends_trace())
		find(diagnosis, DIAGNOSIS_LIMITED,
		     "start the kernel with coresight_etm4x.pm_save_enable=2, or "
		     "with cpuidle.off=1; ktrace-hw selftest shows whether it is "
		     "needed",
		     "%s, whose registers the kernel does not save while a CPU "
		     "idles deeply: its trace may end there",
		     tracer->title);
	else if (tracer)
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "%s, %u address filters, %scycle counts", tracer->title,
		     tracer->filter_ranges(&pmu),
		     pmu_term_mask(&pmu, tracer->cycle_term) ? "" : "no ");
	else if (cpu_has("intel_pt"))
		find(diagnosis, DIAGNOSIS_BAD,
		     "use a kernel with CONFIG_PERF_EVENTS_INTEL_PT, on the "
		     "hardware itself",
		     "the CPU has Intel Processor Trace, but the kernel has no "
		     "PMU for it");
	else
		find(diagnosis, DIAGNOSIS_BAD,
		     "ktrace-hw record --machine -- COMMAND records in a "
		     "virtual machine with one",
		     "the CPU has none that Linux supports");
}

/* Reports that a right is missing, and what grants it. */
static void find_missing(struct diagnosis *diagnosis, enum right right,
			 int cause, const char *what)
{
	struct rights_advice advice;

	rights_advise(right, cause, 0, &advice);
	find(diagnosis, DIAGNOSIS_BAD, advice.command, "%s%s", what,
	     advice.missing);
}

/* Opens @spec on all CPUs. Returns 0 or the errno. */
static int try_event(struct event_spec spec)
{
	struct event_list events = event_list_new();
	struct target target = target_new();
	int error = -ERROR_MEMORY;
	int cause;

	target.whole_cpus = true;
	if (!target_add_cpus(&target, NULL, NULL) &&
	    event_list_add(&events, spec) >= 0)
		error = event_list_open(&events, 0, &target);
	cause = error ? errno : 0;
	event_list_free(&events);
	target_free(&target);
	return cause;
}

static void look_at_rights(struct diagnosis *diagnosis)
{
	struct event_spec spec = event_spec_text_poke();
	int cause;

	spec.attr.text_poke = spec.attr.ksymbol = spec.attr.bpf_event = 0;
	spec.attr.exclude_kernel = 0;
	cause = try_event(spec);
	if (!cause)
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "whole CPUs and the kernel may be traced");
	else if (cause == EACCES || cause == EPERM)
		find_missing(diagnosis, RIGHT_EVENTS, cause, "");
	else
		find(diagnosis, DIAGNOSIS_BAD,
		     "use a kernel with CONFIG_PERF_EVENTS", "%s",
		     strerror(cause));
}

bool diagnosis_attribution(struct diagnosis *diagnosis)
{
	*diagnosis = (struct diagnosis){ .subject = "attribution" };
	look_at_rights(diagnosis);
	if (diagnosis->verdict != DIAGNOSIS_GOOD)
		return false;
	if (tracepoint_set_can_be_read(TRACEPOINTS_ATTRIBUTION))
		return true;
	find(diagnosis, DIAGNOSIS_LIMITED, "mount tracefs and record as root",
	     "tracefs cannot be read or lacks tracepoints");
	return false;
}

/* Checks whether changes of the kernel's code can be detected, on an
 * architecture whose kernel does not report them.
 */
static void look_at_patches(struct diagnosis *diagnosis,
			    const char *const *functions)
{
	struct event_list events = event_list_new();
	int error = text_poke_breakpoints_add(&events, functions);

	if (error >= 0) {
		errno = try_event(
			*(struct event_spec *)array_at(&events.specs, 0));
		error = errno ? -ERROR_SYSTEM : 0;
	}
	if (!error)
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "a breakpoint reports each patch of the kernel's code");
	else
		find(diagnosis, DIAGNOSIS_LIMITED,
		     text_poke_breakpoints_refusal(error),
		     "no breakpoint can report patches of the kernel's code: "
		     "code that differs at the end of a recording is a gap");
	event_list_free(&events);
}

static void look_at_pokes(struct diagnosis *diagnosis)
{
	struct pmu pmu;
	const struct tracer *tracer = tracer_find(PMU_DEVICES, &pmu);
	int cause = try_event(event_spec_text_poke());

	if (!cause && tracer && tracer->patch_functions)
		look_at_patches(diagnosis, tracer->patch_functions);
	else if (!cause)
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "the kernel reports each patch of its code");
	else if (cause == EINVAL)
		find(diagnosis, DIAGNOSIS_LIMITED, "use Linux 5.9 or newer",
		     "the kernel is too old to report patches of its code");
	else
		find(diagnosis, DIAGNOSIS_LIMITED, "record as root", "%s",
		     strerror(cause));
}

static void look_at_code(struct diagnosis *diagnosis)
{
	struct kcore kcore;

	int error = kcore_open(&kcore, "/proc/kcore");

	if (error && error != -ERROR_MEMORY &&
	    (error != -ERROR_SYSTEM || errno == EACCES || errno == EPERM))
		find_missing(diagnosis, RIGHT_CODE, errno, "/proc/kcore: ");
	else if (error)
		find(diagnosis, DIAGNOSIS_BAD,
		     "use a kernel with CONFIG_PROC_KCORE", "/proc/kcore: %s",
		     strerror(errno));
	if (error)
		return;
	find(diagnosis, DIAGNOSIS_GOOD, "", "/proc/kcore can be read");
	kcore_close(&kcore);
}

/* The default size of --buffer. */
enum { TRACE_BUFFER_KB = 8192 };

static void look_at_buffers(struct diagnosis *diagnosis)
{
	struct rights_facts facts;
	struct rights_advice advice;

	rights_facts_read(&facts);
	facts.buffer_kb = TRACE_BUFFER_KB;
	if (rights_allow_buffers(&facts)) {
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "%d KiB of each CPU's trace may be locked in memory",
		     TRACE_BUFFER_KB);
		return;
	}
	rights_explain(&facts, RIGHT_BUFFERS, EPERM, &advice);
	find(diagnosis, DIAGNOSIS_BAD, advice.command, "%s", advice.missing);
}

static void look_at_symbols(struct diagnosis *diagnosis)
{
	struct kernel_symbols symbols;
	int error = kernel_symbols_read(&symbols, "/proc/kallsyms");

	if (!error && kernel_symbols_address(&symbols, "_stext"))
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "/proc/kallsyms shows addresses");
	else if (error)
		find(diagnosis, DIAGNOSIS_BAD,
		     "use a kernel with CONFIG_KALLSYMS", "/proc/kallsyms: %s",
		     strerror(errno));
	else
		find_missing(diagnosis, RIGHT_SYMBOLS, 0, "");
	kernel_symbols_free(&symbols);
}

static void look_at_tracepoints(struct diagnosis *diagnosis)
{
	if (tracefs_folder())
		find(diagnosis, DIAGNOSIS_GOOD, "", "%s can be read",
		     tracefs_folder());
	else
		find(diagnosis, DIAGNOSIS_LIMITED,
		     "as root: mount -t tracefs none /sys/kernel/tracing",
		     "tracefs cannot be read: no --events, and modules loaded "
		     "during a recording are missing");
}

/* Checks function_graph, the fallback without a trace unit, which is useful but
 * not required.
 */
static void look_at_graph(struct diagnosis *diagnosis)
{
	const char *fix;
	const char *refusal = graph_instance_refusal(&fix);

	if (refusal)
		find(diagnosis, DIAGNOSIS_LIMITED, fix, "%s", refusal);
	else
		find(diagnosis, DIAGNOSIS_GOOD, "",
		     "the kernel's own tracer can replace a trace unit");
}

static const struct look {
	const char *subject;
	void (*look)(struct diagnosis *diagnosis);
} looks[] = {
	{ "trace unit", look_at_unit },
	{ "rights", look_at_rights },
	{ "trace buffers", look_at_buffers },
	{ "kernel code", look_at_code },
	{ "kernel symbols", look_at_symbols },
	{ "code changes", look_at_pokes },
	{ "tracepoints", look_at_tracepoints },
	{ "function_graph", look_at_graph },
};

int diagnosis_next(size_t *place, struct diagnosis *diagnosis)
{
	const struct look *look = &looks[*place];

	if (*place == sizeof(looks) / sizeof(looks[0]))
		return 0;
	*diagnosis = (struct diagnosis){ .subject = look->subject };
	look->look(diagnosis);
	++*place;
	return 1;
}
