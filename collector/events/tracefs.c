/* SPDX-License-Identifier: MIT */
#include "collector/events/tracefs.h"

#include "collector/events/event_list.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tracefs_folder(void)
{
	static const char *const folders[] = {
		"/sys/kernel/tracing",
		"/sys/kernel/debug/tracing",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/events/header_page",
			 folders[i]);
		if (!access(path, R_OK))
			return folders[i];
	}
	return NULL;
}

/* Sets @path to the file @file of the tracepoint @name, "system:event". */
static int path_of(const char *name, const char *file, char *path, size_t size)
{
	const char *folder = tracefs_folder();
	const char *colon = strchr(name, ':');

	if (!folder || !colon)
		return -ERROR_NOT_FOUND;
	snprintf(path, size, "%s/events/%.*s/%s/%s", folder,
		 (int)(colon - name), name, colon + 1, file);
	return 0;
}

int tracefs_id(const char *name, uint64_t *id)
{
	struct byte_buffer text = { 0 };
	char path[256];
	int error = path_of(name, "id", path, sizeof(path));

	if (!error && byte_buffer_file(&text, path))
		error = -ERROR_NOT_FOUND;
	byte_buffer_zeros(&text, 1);
	if (!error && text.failed)
		error = -ERROR_MEMORY;
	if (!error)
		*id = strtoull((const char *)text.bytes, NULL, 10);
	byte_buffer_free(&text);
	return error;
}

int tracefs_write(const char *folder, const char *file, const char *text,
		  int mode)
{
	char path[256];
	ssize_t done;
	int cause;
	int fd;

	if (!folder) {
		errno = ENOENT;
		return -ERROR_SYSTEM;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | mode);
	if (fd < 0)
		return -ERROR_SYSTEM;
	done = write(fd, text, strlen(text));
	cause = errno;
	if (close(fd) < 0 && done >= 0) {
		done = -1;
		cause = errno;
	}
	errno = cause;
	return done < 0 ? -ERROR_SYSTEM : 0;
}

void tracefs_add_file(struct byte_buffer *bytes, const char *path)
{
	size_t position = bytes->size;
	uint64_t size;

	byte_buffer_u64(bytes, 0);
	byte_buffer_file(bytes, path);
	size = bytes->size - position - sizeof(size);
	if (!bytes->failed)
		memcpy(bytes->bytes + position, &size, sizeof(size));
}

static void add_header_file(struct byte_buffer *bytes, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/events/%s", tracefs_folder(), name);
	byte_buffer_text(bytes, name);
	tracefs_add_file(bytes, path);
}

static bool is_tracepoint(const struct event_spec *spec)
{
	return spec->attr.type == PERF_TYPE_TRACEPOINT;
}

bool tracefs_is_used(const struct event_list *events)
{
	const struct event_spec *specs = events->specs.items;

	for (size_t i = 0; i < events->specs.count; i++)
		if (is_tracepoint(&specs[i]))
			return true;
	return false;
}

static bool same_system(const struct event_spec *a, const struct event_spec *b)
{
	size_t length = strcspn(a->name, ":");

	return is_tracepoint(a) && is_tracepoint(b) &&
	       !strncmp(a->name, b->name, length + 1);
}

/* Adds the formats of all events of the system of event number @first. */
static void add_system(const struct event_list *events, size_t first,
		       struct byte_buffer *bytes)
{
	const struct event_spec *specs = events->specs.items;
	uint32_t count = 0;
	char path[256];

	for (size_t i = 0; i < events->specs.count; i++)
		count += same_system(&specs[first], &specs[i]);
	byte_buffer_add(bytes, specs[first].name,
			strcspn(specs[first].name, ":"));
	byte_buffer_zeros(bytes, 1);
	byte_buffer_u32(bytes, count);
	for (size_t i = 0; i < events->specs.count; i++)
		if (same_system(&specs[first], &specs[i]) &&
		    !path_of(specs[i].name, "format", path, sizeof(path)))
			tracefs_add_file(bytes, path);
}

static void add_systems(const struct event_list *events,
			struct byte_buffer *bytes)
{
	const struct event_spec *specs = events->specs.items;
	size_t position = bytes->size;
	uint32_t systems = 0;

	byte_buffer_u32(bytes, 0);
	for (size_t i = 0; i < events->specs.count; i++) {
		size_t first = 0;

		while (!same_system(&specs[first], &specs[i]) && first < i)
			first++;
		if (first < i || !is_tracepoint(&specs[i]))
			continue;
		add_system(events, i, bytes);
		systems++;
	}
	if (!bytes->failed)
		memcpy(bytes->bytes + position, &systems, sizeof(systems));
}

void tracefs_add_start(struct byte_buffer *bytes, const char *version)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint8_t little_endian = 0;
	const uint8_t long_size = sizeof(long);

	byte_buffer_add(bytes, magic, sizeof(magic) - 1);
	byte_buffer_text(bytes, version);
	byte_buffer_add(bytes, &little_endian, 1);
	byte_buffer_add(bytes, &long_size, 1);
	byte_buffer_u32(bytes, (uint32_t)sysconf(_SC_PAGESIZE));
	add_header_file(bytes, "header_page");
	add_header_file(bytes, "header_event");
}

void tracefs_describe(const struct event_list *events,
		      struct byte_buffer *bytes)
{
	tracefs_add_start(bytes, "0.6");
	byte_buffer_u32(bytes, 0); /* no events of ftrace itself */
	add_systems(events, bytes);
	byte_buffer_u32(bytes, 0); /* kallsyms: in kcore_dir */
	byte_buffer_u32(bytes, 0); /* printk formats: not used */
	byte_buffer_u64(bytes, 0); /* saved command names: in records */
}

enum tracepoint_trait {
	ALWAYS,
	OPTIONAL,   /* not in every kernel, or in a module */
	USER_STACK, /* with the user stack, if that is requested */
};

struct wanted {
	const char *name;
	unsigned int sets; /* the sets that contain it */
	enum event_scope scope;
	enum tracepoint_trait trait;
};

enum {
	SCHED = TRACEPOINTS_SCHED,
	IRQ = TRACEPOINTS_IRQ,
	OBJECTS = TRACEPOINTS_OBJECTS,
	IDLE = TRACEPOINTS_IDLE,
};

/* Events that can happen in any task, on any CPU. */
#define OF_CPUS(event, sets) (event), (sets), EVENT_OF_CPUS

/* A waker and an interrupt may belong to any task: the scope is the CPU. A
 * system call belongs to its task. Events that the trace shows by itself are
 * not recorded by default: starts and ends of system calls, faults, interrupts,
 * softirqs, handlers and work items. Each recorded event costs the traced
 * kernel more than a thousand instructions.
 */
static const struct wanted wanted[] = {
	{ OF_CPUS("sched:sched_waking", SCHED), ALWAYS },
	{ OF_CPUS("sched:sched_wakeup_new", SCHED), ALWAYS },
	/* Costs nothing except when a task moves. */
	{ OF_CPUS("cgroup:cgroup_attach_task", SCHED), OPTIONAL },
	{ OF_CPUS("sched:sched_switch", TRACEPOINTS_SWITCH), ALWAYS },
	{ OF_CPUS("irq:softirq_raise", IRQ | OBJECTS), ALWAYS },
	{ OF_CPUS("irq:softirq_entry", IRQ), ALWAYS },
	{ OF_CPUS("irq:softirq_exit", IRQ), ALWAYS },
	{ OF_CPUS("irq:irq_handler_entry", IRQ | OBJECTS), ALWAYS },
	{ OF_CPUS("irq:irq_handler_exit", IRQ), ALWAYS },
	{ "raw_syscalls:sys_enter", TRACEPOINTS_SYSCALLS, EVENT_OF_TARGET,
	  USER_STACK },
	{ "raw_syscalls:sys_exit", TRACEPOINTS_SYSCALLS, EVENT_OF_TARGET,
	  ALWAYS },
	/* Arm's kernels do not have them. */
	{ OF_CPUS("exceptions:page_fault_user", TRACEPOINTS_FAULTS), OPTIONAL },
	{ OF_CPUS("exceptions:page_fault_kernel", TRACEPOINTS_FAULTS),
	  OPTIONAL },
	/* Linux 5.19 */
	{ OF_CPUS("lock:contention_begin", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("lock:contention_end", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("filelock:flock_lock_inode", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("filelock:posix_lock_inode", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("irq:tasklet_entry", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:netif_receive_skb", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:netif_rx", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:napi_gro_receive_entry", OBJECTS), OPTIONAL },
	{ OF_CPUS("napi:napi_poll", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:net_dev_queue", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:net_dev_start_xmit", OBJECTS), OPTIONAL },
	{ OF_CPUS("skb:skb_copy_datagram_iovec", OBJECTS), OPTIONAL },
	/* Linux 4.16; with the packet and the socket since 6.10 */
	{ OF_CPUS("tcp:tcp_probe", OBJECTS), OPTIONAL },
	{ OF_CPUS("skb:consume_skb", OBJECTS), OPTIONAL },
	{ OF_CPUS("skb:kfree_skb", OBJECTS), OPTIONAL },
	/* Linux 6.3 */
	{ OF_CPUS("sock:sk_data_ready", OBJECTS), OPTIONAL },
	{ OF_CPUS("sock:sock_send_length", OBJECTS), OPTIONAL },
	{ OF_CPUS("sock:sock_recv_length", OBJECTS), OPTIONAL },
	/* Linux 4.16; costs nothing except when a connection starts or ends. */
	{ OF_CPUS("sock:inet_sock_set_state", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_bio_queue", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_bio_remap", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_bio_complete", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_rq_issue", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_rq_complete", OBJECTS), OPTIONAL },
	{ OF_CPUS("workqueue:workqueue_queue_work", OBJECTS), ALWAYS },
	{ OF_CPUS("workqueue:workqueue_execute_start", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:timer_start", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:timer_cancel", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:timer_expire_entry", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:hrtimer_start", OBJECTS | IDLE), ALWAYS },
	{ OF_CPUS("timer:hrtimer_cancel", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:hrtimer_expire_entry", OBJECTS | IDLE), ALWAYS },
	/* Costs nothing except when memory is short. */
	{ OF_CPUS("vmscan:mm_vmscan_kswapd_wake", OBJECTS), OPTIONAL },
	/* with CONFIG_CPU_IDLE or, on x86, always */
	{ OF_CPUS("power:cpu_idle", IDLE), OPTIONAL },
};

static const struct {
	const char *name;
	unsigned int sets;
} names[] = {
	{ "none", 0 },
	{ "sched", SCHED },
	{ "switches", SCHED | TRACEPOINTS_SWITCH },
	{ "irq", SCHED | IRQ },
	{ "syscalls", TRACEPOINTS_SYSCALLS },
	{ "faults", TRACEPOINTS_FAULTS },
	{ "locks", SCHED | TRACEPOINTS_LOCKS },
	{ "idle", TRACEPOINTS_IDLE },
	{ "all", TRACEPOINTS_ALL },
	{ "attribution", TRACEPOINTS_ATTRIBUTION },
};

static int parse_one(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length &&
		    !strncmp(names[i].name, name, length))
			return (int)names[i].sets;
	return -1;
}

int tracepoint_set_parse(const char *list)
{
	int sets = 0;

	for (;;) {
		size_t length = strcspn(list, ",");
		int one = parse_one(list, length);

		if (one < 0)
			return -1;
		sets |= one;
		if (!list[length])
			return sets;
		list += length + 1;
	}
}

bool tracepoint_set_can_be_read(unsigned int set)
{
	uint64_t id;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (wanted[i].sets & set && wanted[i].trait != OPTIONAL &&
		    tracefs_id(wanted[i].name, &id))
			return false;
	return true;
}

/* Returns the number of the calling thread in the first PID namespace; 0 if it is
 * in another one. PROC_PID_INIT_INO: include/linux/proc_ns.h
 */
static pid_t own_thread(void)
{
	const ino_t first = 0xEFFFFFFCU;
	struct stat namespace;

	return !stat("/proc/self/ns/pid", &namespace) &&
			       namespace.st_ino == first ?
		       gettid() :
		       0;
}

static int add_one(const struct wanted *one, uint32_t user_stack_bytes,
		   struct event_list *events, const struct log *log)
{
	struct event_spec spec;
	uint64_t id;
	int error = tracefs_id(one->name, &id);

	if (error && one->trait == OPTIONAL)
		return 0;
	if (error) {
		log_message(log, LOG_ERROR, tracefs_folder(), LOG_NO_OFFSET,
			    "tracepoint %s cannot be read: mount tracefs and "
			    "record as root, or use --events none without "
			    "--user-stacks",
			    one->name);
		return error;
	}
	spec = event_spec_tracepoint(one->name, id, one->scope);
	if (user_stack_bytes) {
		event_spec_add_user_stack(&spec, user_stack_bytes);
		/* The recorder would record itself writing its own stacks. */
		spec.left_out = own_thread();
	}
	error = event_list_add(events, spec);
	return error < 0 ? error : 0;
}

int tracepoint_set_add(unsigned int set, uint32_t user_stack_bytes,
		       struct event_list *events, const struct log *log)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct wanted *one = &wanted[i];
		uint32_t stack = one->trait == USER_STACK ? user_stack_bytes :
							    0;
		int error;

		if (!(one->sets & set) && !stack)
			continue;
		error = add_one(one, stack, events, log);
		if (error)
			return error;
	}
	return 0;
}

int tracepoint_add_module(struct event_list *events, const char *name)
{
	uint64_t id;
	int error = tracefs_id(name, &id);

	return error ? error :
		       event_list_add(events, event_spec_module(name, id));
}
