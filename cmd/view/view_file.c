/* SPDX-License-Identifier: MIT */
#include "cmd/view/view_file.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/view/view_session.h"
#include "common/error.h"
#include "common/file_io.h"
#include "common/name_choice.h"
#include "common/output_file.h"
#include "common/regular_file.h"
#include "view/answer/file_data.h"
#include "view/http/token.h"
#include "view/page/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The size of a file that can be sent by mail. */
#define MOST_BYTES (UINT64_C(20) << 20)

struct file_page {
	const struct view_session *view;
	int status;
};

static void write_data(FILE *out, void *ctx)
{
	struct file_page *page = ctx;

	page->status = file_data_write(&page->view->sources, MOST_BYTES, out);
}

static int write_page(const struct view_session *view, FILE *out)
{
	struct file_page page = { .view = view };
	struct view_token nonce;

	if (!view_token_make(&nonce))
		return -ERROR_SYSTEM;
	page_write(out, &recording_page, nonce.text, write_data, &page);
	return page.status;
}

static int fail(const char *path, const char *why)
{
	say("--html: %s: not written: %s", path, why);
	return EXIT_FAILED;
}

/* Replaces the file atomically: readers see the whole page or the old file. */
static int write_file(const struct view_session *view, const char *path)
{
	struct new_file file;
	bool is_open = new_file_open(&file, path, 0666);
	FILE *out = is_open ? fdopen(dup(file.fd), "w") : NULL;
	int status = EXIT_OK;
	int error;

	if (!out) {
		status = fail(path, regular_file_error(errno));
	} else {
		error = write_page(view, out);
		if (!close_written(out))
			status = fail(path, strerror(errno));
		else if (error < 0)
			status = fail(path, error_text(error));
		else if (!new_file_finish(&file))
			status = fail(path, strerror(errno));
	}
	new_file_close(&file);
	return status;
}

/* The page contains the whole recording, or reports omissions itself. */
static bool chooses(const struct report_options *options)
{
	return options->output || options->format || options->since ||
	       options->until || options->pids.count || options->trees.count ||
	       name_choice_is_made(&options->comms) || options->cpus.count ||
	       options->top != UINT64_MAX;
}

int write_view_file(const struct report_options *options, const char *path)
{
	struct report_options unpaged = *options;
	struct view_session view;
	int close_status;
	int status;

	if (chooses(options)) {
		say("--html writes a page of the whole recording: it cannot be "
		    "combined with a selection");
		return EXIT_USAGE;
	}
	unpaged.is_paged = false;
	status = view_session_open(&view, &unpaged);
	if (!status && (input_has(view.session.input.path, path) ||
			(options->input && input_has(options->input, path)))) {
		fail(path, "is part of the recording");
		status = EXIT_USAGE;
	}
	if (!status)
		status = view_session_fill(&view);
	if (!status)
		status = write_file(&view, path);
	close_status = view_session_close(&view);
	return status ? status : close_status;
}
