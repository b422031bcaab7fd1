/* SPDX-License-Identifier: MIT */
#include "collector/trigger/goroutine_probes.h"

#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/trigger/function_names_internal.h"
#include "collector/trigger/probe_events.h"
#include "common/error.h"
#include "common/files/regular_file.h"
#include "common/formats/recording_events.h"
#include "common/log.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The start of runtime.gogo up to its jump, and the register that then has the
 * goroutine's struct g.
 */
#ifdef __x86_64__
static const uint8_t gogo_start[] = {
	0x48, 0x8b, 0x5c, 0x24, 0x08, /* mov 0x8(%rsp),%rbx: struct gobuf */
	0x48, 0x8b, 0x53, 0x10,	      /* mov 0x10(%rbx),%rdx: its g */
	0x48, 0x8b, 0x0a,	      /* mov (%rdx),%rcx */
};
#define G_REGISTER "dx"
#else
static const uint8_t gogo_start[] = {
	0xe5, 0x07, 0x40, 0xf9, /* ldr x5, [sp, #8]: struct gobuf */
	0xa6, 0x08, 0x40, 0xf9, /* ldr x6, [x5, #16]: its g */
	0xc4, 0x00, 0x40, 0xf9, /* ldr x4, [x6] */
};
#define G_REGISTER "x6"
#endif

/* Returns whether the instruction at @code is a direct jump. */
static bool is_jump(const uint8_t code[4])
{
#ifdef __x86_64__
	return code[0] == 0xe9 || code[0] == 0xeb;
#else
	return code[3] >> 2 == 0x14 >> 2;
#endif
}

/* Sets probe->offset. Returns NULL, or the reason why there is none. */
static const char *find_jump(const char *path, struct goroutine_probe *probe)
{
	uint8_t code[sizeof(gogo_start) + 4];
	struct user_functions found = { .count = 0 };
	int error = user_functions_find(path, "runtime.gogo.abi0", &found);
	ssize_t size;
	int fd;

	if (error == -ERROR_NOT_FOUND)
		error = user_functions_find(path, "runtime.gogo", &found);
	if (error == -ERROR_SYSTEM)
		return strerror(errno);
	if (error || found.count != 1)
		return "no Go program with symbols";
	fd = regular_file_open(path);
	if (fd < 0)
		return strerror(errno);
	size = pread(fd, code, sizeof(code), (off_t)found.offset);
	close(fd);
	if (size != (ssize_t)sizeof(code) ||
	    memcmp(code, gogo_start, sizeof(gogo_start)) != 0 ||
	    !is_jump(code + sizeof(gogo_start)))
		return "its runtime.gogo differs from that of Go 1.17 and "
		       "later";
	probe->offset = found.offset + sizeof(gogo_start);
	return NULL;
}

/* Sets *@offset to the offset of member @name of @type. Returns whether there is
 * one, of eight bytes.
 */
static bool find_member(Dwarf_Die *type, const char *name, uint64_t *offset)
{
	Dwarf_Die member;
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_child(type, &member))
		return false;
	do {
		const char *found = dwarf_diename(&member);

		if (dwarf_tag(&member) != DW_TAG_member || !found ||
		    strcmp(found, name) != 0)
			continue;
		if (dwarf_formudata(dwarf_attr(&member,
					       DW_AT_data_member_location,
					       &attribute),
				    &value))
			return false;
		*offset = value;
		return value < 4096;
	} while (!dwarf_siblingof(&member, &member));
	return false;
}

/* Looks for runtime.g.goid in the unit of the debug data whose first entry is
 * @unit. Go's types are direct members of units.
 */
static bool find_in_unit(Dwarf_Die *unit, uint64_t *offset)
{
	Dwarf_Die entry;

	if (dwarf_child(unit, &entry))
		return false;
	do {
		const char *name = dwarf_diename(&entry);

		if (dwarf_tag(&entry) == DW_TAG_structure_type && name &&
		    !strcmp(name, "runtime.g"))
			return find_member(&entry, "goid", offset);
	} while (!dwarf_siblingof(&entry, &entry));
	return false;
}

static bool find_goid(int fd, uint64_t *offset)
{
	Dwarf *debug = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Off at = 0;
	Dwarf_Off next;
	size_t header;
	bool is_found = false;

	while (debug && !is_found &&
	       !dwarf_nextcu(debug, at, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit;

		is_found = dwarf_offdie(debug, at + header, &unit) &&
			   find_in_unit(&unit, offset);
		at = next;
	}
	dwarf_end(debug);
	return is_found;
}

const char *goroutine_probe_find(const char *path,
				 struct goroutine_probe *probe)
{
	const char *refusal = find_jump(path, probe);
	bool is_found;
	int fd;

	if (refusal)
		return refusal;
	fd = regular_file_open(path);
	if (fd < 0)
		return strerror(errno);
	is_found = find_goid(fd, &probe->goid);
	close(fd);
	return is_found ? NULL :
			  "no debug data, where the id is in a goroutine: "
			  "build without -ldflags=-w";
}

static int add(const char *path, size_t number, struct event_list *events,
	       const struct log *log)
{
	struct goroutine_probe probe;
	const char *refusal = goroutine_probe_find(path, &probe);
	char name[PROBE_NAME_SIZE];
	char value[64];
	uint64_t id;
	int added;

	if (refusal) {
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "ids of goroutines are not recorded: %s", refusal);
		return 0;
	}
	snprintf(value, sizeof(value),
		 " " GOROUTINE_ID "=+%" PRIu64 "(%%" G_REGISTER "):u64",
		 probe.goid);
	probe_event_goroutine_name(number, name);
	if (probe_event_read_user(name, path, probe.offset, value) ||
	    tracefs_id(name, &id)) {
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "ids of goroutines: a probe needs root and a "
			    "mounted tracefs: %s",
			    strerror(errno));
		return -ERROR_SYSTEM;
	}
	added = event_list_add(events, event_spec_tracepoint(name, id,
							     EVENT_OF_TARGET));
	return added < 0 ? added : 0;
}

int goroutine_probes_add(const char *list, struct event_list *events,
			 const struct log *log)
{
	char path[PATH_MAX];
	int error = 0;

	for (size_t number = 0; !error && *list; number++) {
		size_t length = strcspn(list, ",");

		snprintf(path, sizeof(path), "%.*s", (int)length, list);
		error = add(path, number, events, log);
		list += length;
		list += *list == ',';
	}
	return error;
}
