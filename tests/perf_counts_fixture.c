/* SPDX-License-Identifier: MIT */
#include "tests/perf_counts_fixture.h"
#include "symbolize/functions/function_name.h"
#include "tests/kernel_entries_fixture.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum place_kind { PLACE_FUNCTION, PLACE_RETURN_THUNK, PLACE_INDIRECT_THUNK };

struct place {
	char name[512];
	uint64_t address;
	uint64_t offset;
	enum place_kind kind;
};

struct branch {
	unsigned int cpu;
	char flags[32];
	struct place from;
	struct place to;
};

struct thunk_range {
	uint64_t start;
	uint64_t end;
	enum place_kind kind;
};

/* A symbol for a section's start or end. If a function starts at the same
 * address, perf prints the section symbol's name.
 */
struct section_mark {
	char name[512];
	uint64_t address;
	char function[512]; /* or "" */
};

/* The parts of a kernel's symbol list needed to match perf's names. */
struct kernel_names {
	struct array thunks; /* struct thunk_range */
	struct array marks;  /* struct section_mark */
	struct kernel_entries entries;
};

/* A branch that entered a thunk. */
struct thunk {
	bool is_active;
	bool is_call;
	bool is_return;
	char from[512];
};

/* A CPU's state while its branches are read in order. */
struct cpu_line {
	struct thunk now;
	struct thunk interrupted; /* the last interrupted thunk */
	/* the address where the interrupted thunk resumes */
	uint64_t resume;
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

static enum place_kind kind_of_name(const char *name)
{
	static const char *const returns[] = {
		"__x86_return_thunk",	   "its_return_thunk",
		"retbleed_return_thunk",   "srso_return_thunk",
		"srso_alias_return_thunk", "srso_safe_ret",
		"srso_alias_safe_ret",	   "call_depth_return_thunk",
	};

	for (size_t i = 0; i < sizeof(returns) / sizeof(*returns); i++)
		if (strcmp(name, returns[i]) == 0)
			return PLACE_RETURN_THUNK;
	return strncmp(name, "__x86_indirect_", 15) == 0 ?
		       PLACE_INDIRECT_THUNK :
		       PLACE_FUNCTION;
}

/* Adds a thunk, from its symbol, which may be one of several at that address,
 * to the next symbol's address.
 */
static void consume_thunk(struct array *thunks, uint64_t address,
			  const char *name)
{
	struct thunk_range *last =
		thunks->count ? array_at(thunks, thunks->count - 1) : NULL;
	enum place_kind kind = kind_of_name(name);

	if (last && !last->end && address > last->start)
		last->end = address;
	if (kind == PLACE_FUNCTION || (last && !last->end))
		return;
	last = array_add(thunks);
	*last = (struct thunk_range){ .start = address, .kind = kind };
}

/* Section symbols are listed before the function's name, or after it. */
static void consume_mark(struct array *marks, uint64_t address,
			 const char *name, const char *before,
			 uint64_t before_address)
{
	struct section_mark *mark;

	if (!function_name_is_mark(name, strlen(name))) {
		for (size_t i = 0; i < marks->count; i++) {
			mark = array_at(marks, i);
			if (mark->address == address && !*mark->function)
				snprintf(mark->function, sizeof(mark->function),
					 "%s", name);
		}
		return;
	}
	mark = array_add(marks);
	mark->address = address;
	snprintf(mark->name, sizeof(mark->name), "%s", name);
	if (before_address == address)
		snprintf(mark->function, sizeof(mark->function), "%s", before);
}

static void read_names(const char *path, struct kernel_names *names)
{
	char line[1024];
	char name[512];
	char function[512] = "";
	uint64_t function_address = 0;
	char type;
	uint64_t address;
	FILE *kallsyms;

	snprintf(line, sizeof(line), "%s/kcore_dir/kallsyms", path);
	kallsyms = fopen(line, "re");
	while (kallsyms && fgets(line, sizeof(line), kallsyms)) {
		if (sscanf(line, "%" SCNx64 " %c %511s", &address, &type,
			   name) != 3)
			continue;
		consume_thunk(&names->thunks, address, name);
		consume_mark(&names->marks, address, name, function,
			     function_address);
		if (function_name_is_mark(name, strlen(name)))
			continue;
		strcpy(function, name);
		function_address = address;
	}
	if (kallsyms)
		fclose(kallsyms);
}

static enum place_kind kind_of(const struct array *thunks, uint64_t address)
{
	for (size_t i = 0; i < thunks->count; i++) {
		const struct thunk_range *thunk = array_at(thunks, i);

		if (address >= thunk->start && address < thunk->end)
			return thunk->kind;
	}
	return PLACE_FUNCTION;
}

static const char *function_at_mark(const struct array *marks, const char *name)
{
	for (size_t i = 0; i < marks->count; i++) {
		const struct section_mark *mark = array_at(marks, i);

		if (!strcmp(name, mark->name) && *mark->function)
			return mark->function;
	}
	return name;
}

/* "ffffffff81073918 native_write_msr+0x8" */
static void read_place(char *text, const struct kernel_names *names,
		       struct place *place)
{
	char *name = text + strspn(text, " ");
	char *plus;
	char *cold;

	place->address = strtoull(name, &name, 16);
	place->kind = kind_of(&names->thunks, place->address);
	name += strspn(name, " ");
	name[strcspn(name, " \n")] = '\0';
	plus = strrchr(name, '+');
	place->offset = plus ? strtoull(plus + 1, NULL, 16) : 0;
	if (plus)
		*plus = '\0';
	cold = strstr(name, ".cold");
	if (cold)
		*cold = '\0';
	snprintf(place->name, sizeof(place->name), "%s",
		 function_at_mark(&names->marks, name));
	if (!cold)
		kernel_entries_tell_apart(&names->entries,
					  place->address - place->offset,
					  place->name, sizeof(place->name));
}

/* "[000]  tr end  iret    ffffffff81c01199 sym+0x0 =>   0 [unknown]" */
static bool read_branch(char *line, const struct kernel_names *names,
			struct branch *branch)
{
	char *arrow = strstr(line, " => ");
	char *end;
	size_t length;

	if (!arrow || sscanf(line, "[%u]", &branch->cpu) != 1)
		return false;
	line += strcspn(line, " ");
	*arrow = '\0';
	end = arrow;
	/* Steps back over the symbol and the address. */
	for (int words = 0; words < 2; words++) {
		while (end > line && end[-1] == ' ')
			end--;
		while (end > line && end[-1] != ' ')
			end--;
	}
	read_place(arrow + 4, names, &branch->to);
	read_place(end, names, &branch->from);
	line += strspn(line, " ");
	length = end > line ? (size_t)(end - line) : 0;
	/* perf appends whether interrupts are disabled or whether that changes:
	 * (D), (t), (Dt).
	 */
	if (memchr(line, '(', length))
		length = strcspn(line, "(");
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
	bool is_inside = strcmp(from, branch->to.name) == 0;

	if (is_call && (!is_inside || !branch->to.offset))
		perf_counts_get(counts, branch->to.name)->direct++;
	else if (is_other_jump && !branch->to.offset && !is_inside)
		perf_counts_get(counts, branch->to.name)->tail++;
}

/* Handles an interrupt in a thunk: the branch continues after it. */
static void interrupt(struct cpu_line *cpu, const struct branch *branch)
{
	if (cpu->now.is_active) {
		cpu->interrupted = cpu->now;
		cpu->resume = branch->from.address;
	}
	cpu->now.is_active = false;
}

static bool resumes(struct cpu_line *cpu, const struct branch *branch)
{
	if (strcmp(branch->flags, "iret") != 0 || !cpu->interrupted.is_active ||
	    cpu->resume != branch->to.address)
		return false;
	cpu->now = cpu->interrupted;
	cpu->interrupted.is_active = false;
	return true;
}

static void consume_branch(struct array *counts, struct cpu_line *cpu,
			   const struct branch *branch)
{
	bool is_call = strcmp(branch->flags, "call") == 0;
	struct thunk *thunk = &cpu->now;

	if (strstr(branch->flags, "int")) {
		interrupt(cpu, branch);
		perf_counts_get(counts, branch->to.name)->async++;
	} else if (strncmp(branch->flags, "tr ", 3) == 0) {
		thunk->is_active = false;
	} else if (branch->to.kind != PLACE_FUNCTION) {
		if (thunk->is_active || resumes(cpu, branch))
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

/* Returns the state of a CPU: the branches of all CPUs are interleaved. */
static struct cpu_line *line_of(struct array *lines, unsigned int cpu)
{
	while (lines->count <= cpu)
		array_add(lines);
	return array_at(lines, cpu);
}

void perf_counts_read(const char *path, FILE *script, struct array *counts)
{
	struct kernel_names names = {
		.thunks = ARRAY_OF(struct thunk_range),
		.marks = ARRAY_OF(struct section_mark),
	};
	struct array lines = ARRAY_OF(struct cpu_line);
	struct branch branch;
	char *line = NULL;
	size_t room = 0;

	read_names(path, &names);
	names.entries = kernel_entries_read(path);
	while (getline(&line, &room, script) > 0)
		if (read_branch(line, &names, &branch))
			consume_branch(counts, line_of(&lines, branch.cpu),
				       &branch);
	free(line);
	array_free(&lines);
	kernel_entries_free(&names.entries);
	array_free(&names.marks);
	array_free(&names.thunks);
}
