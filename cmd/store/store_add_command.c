/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console_log.h"
#include "cmd/console/say.h"
#include "cmd/pipeline/query_session.h"
#include "cmd/store/store_commands.h"
#include "common/error.h"
#include "store/store.h"
#include "store/target/store_target.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int send_recording(const struct query_session *query,
			  struct store_target *target,
			  struct store_entry *entry)
{
	bool is_there = false;
	uint64_t rows = 0;
	int error = upload_recording(target, &query->recording, entry,
				     &console_log, &is_there, &rows);

	if (error)
		say("store: %s: not added: %s", entry->path, error_text(error));
	else if (is_there)
		say("store: %s: was added before (id %s) and keeps the labels "
		    "of that time",
		    entry->path, entry->id);
	else
		say("store: %s: added, %" PRIu64 " rows (id %s)", entry->path,
		    rows, entry->id);
	return error ? EXIT_FAILED : EXIT_OK;
}

static int add_session(const struct store_options *options,
		       const struct session *session, const char *path,
		       struct store_target *target)
{
	struct store_entry entry = {
		.path = path,
		.min_duration_ns = options->min_duration_ns,
		.labels = &options->labels,
	};
	struct query_session query;
	int status = EXIT_FAILED;

	memcpy(entry.wanted, options->wanted, sizeof(entry.wanted));
	if (query_session_open(&query, session) < 0)
		say("%s", error_text(-ERROR_MEMORY));
	else
		status = send_recording(&query, target, &entry);
	query_session_close(&query);
	return status;
}

static int add_one(const struct store_options *options, const char *name,
		   struct store_target *target)
{
	const struct report_options input = {
		.input = name,
		.symfs = options->symfs,
		.jobs = options->jobs,
	};
	char *path = realpath(name, NULL);
	struct session session;
	int status;
	int close_status;

	if (!path) {
		say("store: %s: %s", name, strerror(errno));
		return EXIT_FAILED;
	}
	status = session_open_input(&session, &input);
	if (!status)
		status = add_session(options, &session, path, target);
	close_status = session_close(&session);
	free(path);
	return status ? status : close_status;
}

/* If one recording fails, the others are still added. */
static int add_all(const struct store_options *options,
		   struct store_target *target)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < options->words.count; i++) {
		const char *name = *(const char **)array_at(&options->words, i);

		if (add_one(options, name, target) != EXIT_OK)
			status = EXIT_FAILED;
	}
	return status;
}

static int run(const struct store_options *options)
{
	struct store_target *target;
	int status = EXIT_FAILED;

	if (!options->to) {
		say("store: name the store with --to TARGET");
		return EXIT_USAGE;
	}
	/* Treat the file size limit as a write error, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	target = store_open(options->to, STORE_OPEN_WRITE, &console_log);
	if (!target)
		return EXIT_FAILED;
	if (!target->class->prepare(target))
		status = add_all(options, target);
	target->class->close(target);
	return status;
}

const struct store_command store_add_command = {
	.name = "add",
	.summary = "Adds recordings to a store, each only once.",
	.words = "[OPTION]... --to TARGET DIR...",
	.options = 1 << STORE_TO | 1 << STORE_LABEL | 1 << STORE_TABLES |
		   1 << STORE_MIN_DURATION | 1 << STORE_SUMS |
		   1 << STORE_SYMFS | 1 << STORE_JOBS,
	.run = run,
};
