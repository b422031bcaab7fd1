/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/kernel_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* For addresses that no symbol covers. */
static const struct kernel_name unknown = { .name = "[unknown]", .module = "" };

static char *read_file(const char *path)
{
	struct stat status;
	FILE *file = fopen(path, "re");
	char *text = NULL;

	if (file && !fstat(fileno(file), &status))
		text = calloc(1, (size_t)status.st_size + 1);
	if (text && fread(text, 1, (size_t)status.st_size, file) !=
			    (size_t)status.st_size) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	if (!text)
		fprintf(stderr, "%s: cannot be read\n", path);
	return text;
}

/* Cuts ".cold" and everything after it. Returns whether it was present. */
static bool cut_cold(char *name)
{
	char *mark = strstr(name, ".cold");

	if (!mark || mark == name)
		return false;
	*mark = '\0';
	return true;
}

static enum code_kind kind_of(const char *name)
{
	static const char *const returns[] = {
		"__x86_return_thunk",	   "__x86_return_skl",
		"call_depth_return_thunk", "its_return_thunk",
		"retbleed_return_thunk",   "zen_return_thunk",
		"srso_return_thunk",	   "srso_alias_return_thunk",
		"srso_safe_ret",	   "srso_alias_safe_ret",
	};

	for (size_t i = 0; i < sizeof(returns) / sizeof(*returns); i++)
		if (!strcmp(name, returns[i]))
			return KIND_RETURN_THUNK;
	if (!strcmp(name, "vectors") || !strcmp(name, "tramp_vectors"))
		return KIND_VECTOR;
	return strncmp(name, "__x86_indirect_", 15) ? KIND_FUNCTION :
						      KIND_INDIRECT_THUNK;
}

/* Parses a line without its newline: "address type name\t[module]". Data
 * symbols end the preceding function; absolute symbols are not addresses. Arm's
 * mapping symbols, such as $x, only mark the kind of the following bytes.
 */
static bool read_line(char *line, struct kernel_name *name)
{
	char *at;
	char *word;
	char type;

	name->start = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !name->start)
		return false;
	type = at[1];
	word = at + 3;
	at = word + strcspn(word, " \t");
	name->module = *at ? at + 1 + strspn(at + 1, " \t") : "";
	*at = '\0';
	name->kind = kind_of(word);
	name->is_padding = !strncmp(word, "__pfx_", 6);
	name->name = word + (name->is_padding ? 6 : 0);
	name->is_cold = cut_cold(word);
	if (!strchr("tTwW", type))
		name->name = unknown.name;
	return !strchr("aA", type) && *word != '$';
}

/* Returns whether the name marks the start or end of a section: it is used only
 * if there is no other.
 */
static bool is_section_mark(const struct kernel_name *name)
{
	return strstr(name->name, "_text_start") ||
	       strstr(name->name, "_text_end");
}

/* Sorts by address; the preferred name of an address is last: a thunk by any of
 * its names, then the last in the file, with data and marks only as a last
 * resort.
 */
static int by_address(const void *a, const void *b)
{
	const struct kernel_name *one = a;
	const struct kernel_name *other = b;
	bool one_is_code = one->name != unknown.name;
	bool other_is_code = other->name != unknown.name;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one_is_code != other_is_code)
		return one_is_code - other_is_code;
	if (is_section_mark(one) != is_section_mark(other))
		return is_section_mark(other) - is_section_mark(one);
	if (!one->kind != !other->kind)
		return !other->kind - !one->kind;
	return (one->name > other->name) - (one->name < other->name);
}

static void drop_doubles(struct kernel_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++)
		if (i + 1 == names->count ||
		    names->names[i].start != names->names[i + 1].start)
			names->names[kept++] = names->names[i];
	names->count = kept;
}

/* Returns @text followed by the file at @path, or NULL. */
static char *read_more(char *text, const char *path)
{
	char *more = read_file(path);
	char *both = NULL;

	if (more && asprintf(&both, "%s%s", text, more) < 0)
		abort();
	free(more);
	free(text);
	return both;
}

bool kernel_names_read(struct kernel_names *names, const char *recording,
		       const char *more)
{
	char path[4096];
	size_t lines = 0;
	char *rest;
	char *line;

	memset(names, 0, sizeof(*names));
	snprintf(path, sizeof(path), "%s/kcore_dir/kallsyms", recording);
	names->text = read_file(path);
	if (names->text && more)
		names->text = read_more(names->text, more);
	if (!names->text)
		return false;
	for (rest = names->text; (rest = strchr(rest, '\n')); rest++)
		lines++;
	names->names = calloc(lines + 1, sizeof(*names->names));
	if (!names->names)
		abort();
	rest = names->text;
	while ((line = strsep(&rest, "\n")))
		names->count += read_line(line, &names->names[names->count]);
	qsort(names->names, names->count, sizeof(*names->names), by_address);
	kernel_names_tell_apart(names);
	drop_doubles(names);
	return names->count > 0;
}

void kernel_names_free(struct kernel_names *names)
{
	for (size_t i = 0; i < names->made_count; i++)
		free(names->made[i]);
	free(names->made);
	free(names->names);
	free(names->text);
}

const struct kernel_name *kernel_names_find(const struct kernel_names *names,
					    uint64_t address)
{
	size_t low = 0;
	size_t high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->names[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &names->names[low - 1] : &unknown;
}

bool kernel_name_equal(const struct kernel_name *one,
		       const struct kernel_name *other)
{
	return one == other || (!strcmp(one->name, other->name) &&
				!strcmp(one->module, other->module));
}

bool kernel_name_begins(const struct kernel_name *name, uint64_t address)
{
	return name->start == address || name->is_padding;
}
