/* SPDX-License-Identifier: MIT */
#include "collector/events/rights.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CAP_OF_PERFMON = 38, /* newer than some distributions' headers */
	/* size of a CPU's rings without its trace
	 * (collector/rings/cpu_rings.c), rounded up
	 */
	RINGS_KB = 8192,
};

static int read_number(const char *path, int otherwise)
{
	FILE *file = fopen(path, "re");
	int number = otherwise;

	if (file && fscanf(file, "%d", &number) != 1)
		number = otherwise;
	if (file)
		fclose(file);
	return number;
}

/* Returns whether the file has a line that contains @word. */
static bool has_word(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, word);
	if (file)
		fclose(file);
	return found;
}

static uint64_t read_capabilities(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t capabilities = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %" SCNx64, &capabilities) == 1)
			break;
	if (file)
		fclose(file);
	return capabilities;
}

/* The initial namespace maps all 2^32 - 1 users. */
static bool is_in_user_namespace(void)
{
	FILE *file = fopen("/proc/self/uid_map", "re");
	unsigned long inside = 0, outside = 0, count = UINT32_MAX;

	if (file && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) != 3)
		count = UINT32_MAX;
	if (file)
		fclose(file);
	return inside || outside || count != UINT32_MAX;
}

static uint64_t read_limit_kb(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) ? 0 : limit.rlim_cur >> 10;
}

void rights_facts_read(struct rights_facts *facts)
{
	struct stat kcore;

	*facts = (struct rights_facts){
		.capabilities = read_capabilities(),
		.in_user_namespace = is_in_user_namespace(),
		.in_container = !access("/.dockerenv", F_OK) ||
				!access("/run/.containerenv", F_OK),
		.is_locked_down = has_word("/sys/kernel/security/lockdown",
					   "[confidentiality]"),
		.kcore_is_hidden = !stat("/proc/kcore", &kcore) &&
				   !S_ISREG(kcore.st_mode),
		.paranoid =
			read_number("/proc/sys/kernel/perf_event_paranoid", 2),
		.mlock_kb = read_number("/proc/sys/kernel/perf_event_mlock_kb",
					516),
		.limit_kb = read_limit_kb(),
		.cpus = sysconf(_SC_NPROCESSORS_ONLN),
		.kptr_restrict =
			read_number("/proc/sys/kernel/kptr_restrict", 0),
	};
}

static bool has(const struct rights_facts *facts, int capability)
{
	return facts->capabilities >> capability & 1;
}

/* Debian's and Ubuntu's kernels have levels above 2, at which CAP_PERFMON is not
 * enough (Debian's patch "perf: Allow further restriction of perf_event_open").
 */
enum { PARANOID_MOST = 2 };

/* Advises setcap, which grants all capabilities that a recording uses to
 * everybody who may run the program. In a container, root lacks them too, and a
 * file cannot grant them: advises how to start the container.
 */
static void advise_setcap(const struct rights_facts *facts,
			  struct rights_advice *advice)
{
	char path[64] = "";
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (facts->in_container) {
		snprintf(advice->command, sizeof(advice->command),
			 "record as root in a container that was started with "
			 "--cap-add=PERFMON,SYS_RAWIO,DAC_READ_SEARCH,SYSLOG,"
			 "IPC_LOCK,BPF (podman; docker needs an option for "
			 "each)");
		return;
	}
	snprintf(advice->command, sizeof(advice->command),
		 "record as root, or: %ssetcap cap_perfmon,cap_sys_rawio,"
		 "cap_dac_read_search,cap_syslog,cap_ipc_lock,cap_bpf=ep %s",
		 facts->paranoid > PARANOID_MOST ?
			 "sysctl kernel.perf_event_paranoid=2; " :
			 "",
		 length > 0 && (size_t)length < sizeof(path) - 1 ?
			 path :
			 "$(which ktrace-hw)");
}

static void explain_filter(const struct rights_facts *facts,
			   struct rights_advice *advice)
{
	snprintf(advice->missing, sizeof(advice->missing),
		 "a filter of system calls (seccomp) or a security module "
		 "forbids perf_event_open(2)");
	snprintf(advice->command, sizeof(advice->command), "%s",
		 facts->in_container ?
			 "start the container with --security-opt "
			 "seccomp=unconfined" :
			 "record outside of this service or sandbox");
}

static void explain_events(const struct rights_facts *facts,
			   struct rights_advice *advice)
{
	if (has(facts, CAP_SYS_ADMIN)) {
		explain_filter(facts, advice);
	} else if (!has(facts, CAP_OF_PERFMON)) {
		snprintf(advice->missing, sizeof(advice->missing),
			 "CAP_PERFMON is missing (kernel.perf_event_paranoid "
			 "is %d)",
			 facts->paranoid);
		advise_setcap(facts, advice);
	} else if (facts->paranoid > PARANOID_MOST) {
		snprintf(advice->missing, sizeof(advice->missing),
			 "kernel.perf_event_paranoid is %d: events then need "
			 "CAP_SYS_ADMIN",
			 facts->paranoid);
		snprintf(advice->command, sizeof(advice->command),
			 "sysctl kernel.perf_event_paranoid=2");
	} else {
		explain_filter(facts, advice);
	}
}

static void explain_buffers(const struct rights_facts *facts,
			    struct rights_advice *advice)
{
	snprintf(advice->missing, sizeof(advice->missing),
		 "the buffers exceed kernel.perf_event_mlock_kb (%d for each "
		 "CPU), and CAP_IPC_LOCK is missing",
		 facts->mlock_kb);
	snprintf(advice->command, sizeof(advice->command),
		 "sysctl kernel.perf_event_mlock_kb=%u, or a smaller --buffer",
		 facts->buffer_kb + RINGS_KB);
}

static void explain_code(const struct rights_facts *facts, int cause,
			 struct rights_advice *advice)
{
	if (facts->kcore_is_hidden) {
		snprintf(advice->missing, sizeof(advice->missing),
			 "the container hides /proc/kcore");
		snprintf(advice->command, sizeof(advice->command),
			 "start the container with --security-opt "
			 "systempaths=unconfined");
		return;
	}
	if (facts->is_locked_down) {
		snprintf(advice->missing, sizeof(advice->missing),
			 "the kernel is locked down (confidentiality)");
		snprintf(advice->command, sizeof(advice->command),
			 "boot with lockdown=integrity");
		return;
	}
	/* The mode of the file, 0400, is checked first. */
	snprintf(advice->missing, sizeof(advice->missing), "%s is missing",
		 cause == EACCES && !has(facts, CAP_DAC_READ_SEARCH) ?
			 "CAP_DAC_READ_SEARCH" :
			 "CAP_SYS_RAWIO");
	advise_setcap(facts, advice);
}

static void explain_symbols(const struct rights_facts *facts,
			    struct rights_advice *advice)
{
	if (facts->kptr_restrict > 1) {
		snprintf(advice->missing, sizeof(advice->missing),
			 "kernel.kptr_restrict is %d: nobody may see addresses",
			 facts->kptr_restrict);
		snprintf(advice->command, sizeof(advice->command),
			 "sysctl kernel.kptr_restrict=1");
		return;
	}
	snprintf(advice->missing, sizeof(advice->missing),
		 "CAP_SYSLOG is missing");
	advise_setcap(facts, advice);
}

void rights_explain(const struct rights_facts *facts, enum right right,
		    int cause, struct rights_advice *advice)
{
	if (facts->in_user_namespace) {
		snprintf(advice->missing, sizeof(advice->missing),
			 "the capabilities of a user namespace do not count");
		snprintf(advice->command, sizeof(advice->command),
			 "record on the host, or start the container without a "
			 "user namespace (--userns=host, --privileged)");
		return;
	}
	switch (right) {
	case RIGHT_EVENTS:
		explain_events(facts, advice);
		break;
	case RIGHT_BUFFERS:
		explain_buffers(facts, advice);
		break;
	case RIGHT_CODE:
		explain_code(facts, cause, advice);
		break;
	case RIGHT_SYMBOLS:
		explain_symbols(facts, advice);
		break;
	case RIGHT_COUNT:
		break;
	}
}

bool rights_allow_buffers(const struct rights_facts *facts)
{
	uint64_t cpus = (uint64_t)facts->cpus;
	uint64_t needed_kb = ((uint64_t)facts->buffer_kb + RINGS_KB) * cpus;
	uint64_t mlock_kb = (uint64_t)facts->mlock_kb * cpus;

	return facts->paranoid < 0 || has(facts, CAP_IPC_LOCK) ||
	       mlock_kb >= needed_kb || facts->limit_kb >= needed_kb - mlock_kb;
}

void rights_advise(enum right right, int cause, size_t buffer_bytes,
		   struct rights_advice *advice)
{
	struct rights_facts facts;
	int before = errno;

	rights_facts_read(&facts);
	facts.buffer_kb = (uint32_t)(buffer_bytes >> 10);
	rights_explain(&facts, right, cause, advice);
	errno = before;
}
