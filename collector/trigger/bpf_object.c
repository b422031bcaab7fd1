/* SPDX-License-Identifier: MIT */
#include "collector/trigger/bpf_object.h"
#include "collector/trigger/bpf_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int call_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

int bpf_map_new(enum bpf_map_type type, size_t key_bytes, size_t value_bytes,
		size_t entries)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = (uint32_t)key_bytes;
	attr.value_size = (uint32_t)value_bytes;
	attr.max_entries = (uint32_t)entries;
	return call_bpf(BPF_MAP_CREATE, &attr);
}

int bpf_map_set(int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)key;
	attr.value = (uintptr_t)value;
	return call_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

int bpf_map_forget(int map, const void *key)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = (uintptr_t)key;
	return call_bpf(BPF_MAP_DELETE_ELEM, &attr);
}

/* Copies the last line of the verifier's @text, ignoring its statistics, to
 * @why.
 */
static void last_reason(char *text, char *why, size_t size)
{
	char *rest = text;
	const char *line;

	while ((line = strsep(&rest, "\n")))
		if (*line && strncmp(line, "processed ", 10))
			snprintf(why, size, "%s", line);
}

/* Some helpers are only available to programs under the GPL, and the kernel
 * does not accept MIT alone as compatible (linux/license.h).
 */
static const char licence[] = "Dual MIT/GPL";

static void set_code(union bpf_attr *attr, const struct bpf_code *code)
{
	memset(attr, 0, sizeof(*attr));
	attr->insns = (uintptr_t)code->insns;
	attr->insn_cnt = (uint32_t)code->count;
	attr->license = (uintptr_t)licence;
}

int bpf_program_load(enum bpf_prog_type type, const struct bpf_code *code,
		     char *why, size_t size)
{
	char text[16384] = "";
	union bpf_attr attr;
	int saved;
	int fd;

	*why = '\0';
	set_code(&attr, code);
	attr.prog_type = type;
	fd = call_bpf(BPF_PROG_LOAD, &attr);
	if (fd >= 0 || errno == EPERM)
		return fd;
	saved = errno;
	attr.log_level = 1;
	attr.log_buf = (uintptr_t)text;
	attr.log_size = sizeof(text);
	fd = call_bpf(BPF_PROG_LOAD, &attr);
	if (fd >= 0)
		return fd;
	last_reason(text, why, size);
	errno = saved;
	return -1;
}

int bpf_iterator_load(const struct bpf_code *code, uint32_t function)
{
	union bpf_attr attr;

	set_code(&attr, code);
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = function;
	return call_bpf(BPF_PROG_LOAD, &attr);
}

int bpf_iterator_attach(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	return call_bpf(BPF_LINK_CREATE, &attr);
}

int bpf_iterator_open(int link)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link;
	return call_bpf(BPF_ITER_CREATE, &attr);
}

int bpf_raw_tracepoint_open(const char *name, int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)name;
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	return call_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}
