/* SPDX-License-Identifier: MIT */
#include "tests/perf_counts_fixture.h"

#include "common/byte_reader.h"
#include "tests/shared_fixture.h"

#include <stdlib.h>
#include <string.h>

enum place_kind { PLACE_FUNCTION, PLACE_RETURN_THUNK, PLACE_INDIRECT_THUNK };

struct place {
	char name[128];
	uint64_t offset;
	enum place_kind kind;
};

struct branch {
	char flags[32];
	struct place from;
	struct place to;
};

/* Control that went into a thunk. */
struct thunk {
	bool is_active;
	bool is_call;
	bool is_return;
	char from[128];
};

struct perf_count *perf_counts_get(struct array *counts, const char *name)
{
	struct perf_count *count;

	for (size_t i = 0; i < counts->count; i++) {
		count = array_at(counts, i);
		if (strcmp(count->name, name) == 0)
			return count;
	}
	count = array_add(counts);
	snprintf(count->name, sizeof(count->name), "%s", name);
	return count;
}

static bool is_suffix(const char *dot)
{
	static const char *const words[] = { ".cold", ".part", ".isra",
					     ".constprop" };

	for (size_t i = 0; i < 4; i++)
		if (strcmp(dot, words[i]) == 0)
			return true;
	return dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1);
}

static enum place_kind kind_of(const char *name)
{
	static const char *const returns[] = {
		"__x86_return_thunk",	"its_return_thunk",
		"retbleed_return_thunk", "srso_return_thunk",
		"srso_alias_return_thunk", "srso_safe_ret",
		"srso_alias_safe_ret",	"call_depth_return_thunk",
	};

	for (size_t i = 0; i < sizeof(returns) / sizeof(*returns); i++)
		if (strcmp(name, returns[i]) == 0)
			return PLACE_RETURN_THUNK;
	return strncmp(name, "__x86_indirect_", 15) == 0 ?
		       PLACE_INDIRECT_THUNK :
		       PLACE_FUNCTION;
}

/* "ffffffff81073918 native_write_msr+0x8" */
static void read_place(char *text, struct place *place)
{
	char *name = text + strspn(text, " ");
	char *plus;
	char *dot;

	name += strspn(name, "0123456789abcdef");
	name += strspn(name, " ");
	name[strcspn(name, " \n")] = '\0';
	plus = strrchr(name, '+');
	place->offset = plus ? strtoull(plus + 1, NULL, 16) : 0;
	if (plus)
		*plus = '\0';
	while ((dot = strrchr(name, '.')) && dot != name && is_suffix(dot))
		*dot = '\0';
	snprintf(place->name, sizeof(place->name), "%s", name);
	place->kind = kind_of(place->name);
}

/* "  tr end  iret    ffffffff81c01199 sym+0x0 =>   0 [unknown]" */
static bool read_branch(char *line, struct branch *branch)
{
	char *arrow = strstr(line, " => ");
	char *end;
	size_t length;

	if (!arrow)
		return false;
	*arrow = '\0';
	end = arrow;
	/* Back over the symbol and the address. */
	for (int words = 0; words < 2; words++) {
		while (end > line && end[-1] == ' ')
			end--;
		while (end > line && end[-1] != ' ')
			end--;
	}
	read_place(arrow + 4, &branch->to);
	read_place(end, &branch->from);
	line += strspn(line, " ");
	length = end > line ? (size_t)(end - line) : 0;
	while (length && line[length - 1] == ' ')
		length--;
	snprintf(branch->flags, sizeof(branch->flags), "%.*s", (int)length,
		 line);
	return true;
}

static bool is_jump(const char *flags)
{
	return strcmp(flags, "jmp") == 0 || strcmp(flags, "jcc") == 0;
}

static void enter(struct array *counts, const struct branch *branch,
		  bool is_call, bool is_other_jump, const char *from)
{
	if (is_call)
		perf_counts_get(counts, branch->to.name)->direct++;
	else if (is_other_jump && !branch->to.offset &&
		 strcmp(from, branch->to.name) != 0)
		perf_counts_get(counts, branch->to.name)->tail++;
}

static void take_branch(struct array *counts, struct thunk *thunk,
			const struct branch *branch)
{
	bool is_call = strcmp(branch->flags, "call") == 0;

	if (strstr(branch->flags, "int")) {
		thunk->is_active = false;
		perf_counts_get(counts, branch->to.name)->async++;
	} else if (strncmp(branch->flags, "tr ", 3) == 0) {
		thunk->is_active = false;
	} else if (branch->to.kind != PLACE_FUNCTION) {
		if (thunk->is_active)
			return;
		thunk->is_active = true;
		thunk->is_call = is_call;
		thunk->is_return = branch->to.kind == PLACE_RETURN_THUNK;
		strcpy(thunk->from, branch->from.name);
	} else if (thunk->is_active) {
		thunk->is_active = false;
		enter(counts, branch, thunk->is_call && !thunk->is_return,
		      !thunk->is_return, thunk->from);
	} else {
		enter(counts, branch, is_call, is_jump(branch->flags),
		      branch->from.name);
	}
}

void perf_counts_read(FILE *script, struct array *counts)
{
	struct thunk thunk = { 0 };
	struct branch branch;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, script) > 0)
		if (read_branch(line, &branch))
			take_branch(counts, &thunk, &branch);
	free(line);
}

/* perf_header of perf.data: where the records are. */
enum { HEADER_DATA = 40, RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71,
       INFO_PRIV = 16, HAVE_SCHED_SWITCH = 7 };

static size_t find_info(const uint8_t *bytes, size_t size)
{
	struct byte_reader header = byte_reader_of(bytes, size);
	size_t at;

	byte_reader_bytes(&header, HEADER_DATA);
	at = byte_reader_u64(&header);
	while (at < size) {
		struct byte_reader record =
			byte_reader_of(bytes + at, size - at);
		uint32_t type = byte_reader_u32(&record);
		size_t step;

		byte_reader_u16(&record);
		step = byte_reader_u16(&record);
		if (type == RECORD_AUXTRACE_INFO)
			return at;
		if (type == RECORD_AUXTRACE)
			step += byte_reader_u64(&record);
		if (record.failed || !step)
			break;
		at += step;
	}
	return 0;
}

bool perf_ignore_switches(const char *path)
{
	char name[4096];
	const uint64_t none = 0;
	uint8_t *bytes;
	size_t size;
	size_t at;
	FILE *file;

	snprintf(name, sizeof(name), "%s/data", path);
	bytes = shared_file(name, &size);
	at = bytes ? find_info(bytes, size) : 0;
	free(bytes);
	file = at ? fopen(name, "r+e") : NULL;
	if (!file)
		return false;
	fseek(file, (long)(at + INFO_PRIV + HAVE_SCHED_SWITCH * 8), SEEK_SET);
	fwrite(&none, sizeof(none), 1, file);
	return fclose(file) == 0;
}
