/* SPDX-License-Identifier: MIT */
#include "cmd/report/profile_files.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/report/render_failure.h"
#include "common/error.h"
#include "common/output_file.h"
#include "common/regular_file.h"
#include "report/profile/profile_report.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int render_to(const struct profile_report *report, render_profile *render,
	      FILE *out)
{
	int status = render(report, out);

	return status ? render_failure(status, report->sort) : EXIT_OK;
}

static int render_file(const struct profile_report *report,
		       render_profile *render, const char *path,
		       const char *suffix)
{
	char name[PATH_MAX];
	struct output_file *file;
	int status;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	file = output_file_open(name);
	if (!file) {
		say("%s: cannot be written: %s", name,
		    regular_file_error(errno));
		return EXIT_FAILED;
	}
	status = render_to(report, render, output_file_stream(file));
	if (!output_file_close(file, !status) && !status) {
		say("%s: not written: %s", name, strerror(errno));
		status = EXIT_FAILED;
	}
	return status;
}

/* Writes the file name for the group @label to @name, which has @size bytes.
 * Different groups get different names.
 */
static void name_file(char *name, size_t size, const char *path,
		      const char *label)
{
	size_t used = (size_t)snprintf(name, size, "%s.", path);

	for (; *label && used + 4 < size; label++) {
		unsigned char byte = (unsigned char)*label;

		if (byte == '/')
			name[used++] = ',';
		else if (isalnum(byte) || strchr("._+@:-", byte))
			name[used++] = (char)byte;
		else
			used += (size_t)snprintf(name + used, size - used,
						 "%%%02X", byte);
		name[used] = '\0';
	}
}

static int render_group(const struct profile_report *report,
			const struct profile_renderer *renderer,
			const char *path, uint32_t root)
{
	struct group_label label =
		tree_label(report, call_tree_pid(report->tree, root));
	struct call_tree *tree = call_tree_part(report->tree, root);
	struct profile_report part = *report;
	char name[PATH_MAX];
	int status;

	if (!tree) {
		say("%s", error_text(-ERROR_MEMORY));
		return EXIT_FAILED;
	}
	part.tree = tree;
	part.groups = NULL;
	part.by_process = false;
	name_file(name, sizeof(name), path, label.text);
	status = render_file(&part, renderer->render, name, "");
	if (!status)
		status = render_file(&part, renderer->render_second, name,
				     ".elf");
	call_tree_free(tree);
	return status;
}

int render_beside(const struct profile_report *report,
		  const struct profile_renderer *renderer, const char *path)
{
	uint32_t root = call_tree_first_root(report->tree);
	int status = render_file(report, renderer->render_second, path, ".elf");

	for (; report->groups && !status && root != CALL_NODE_NONE;
	     root = call_tree_next_sibling(report->tree, root))
		status = render_group(report, renderer, path, root);
	return status;
}
