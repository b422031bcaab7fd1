/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/session_recording.h"

#include "cmd/command.h"
#include "cmd/console/console_log.h"
#include "cmd/console/say.h"
#include "cmd/pipeline/debuginfod_consent.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A failed recording may have renamed the previous one. */
static void say_if_old(const char *path)
{
	size_t length = strlen(path);

	if (length > 4 && !strcmp(path + length - 4, ".old"))
		log_message(&console_log, LOG_NOTE, NULL, LOG_NO_OFFSET,
			    "the last recording here is %s: a newer one "
			    "failed, or was removed",
			    path);
}

/* Must be called before anything is read or written. */
static int check_names(const struct report_options *options, const char *path)
{
	struct stat folder;

	if (options->output && input_has(path, options->output)) {
		say("%s: is part of the recording: write to another file",
		    options->output);
		return EXIT_USAGE;
	}
	if (options->symfs && stat(options->symfs, &folder) < 0) {
		say("--symfs: %s: %s", options->symfs, strerror(errno));
		return EXIT_USAGE;
	}
	return 0;
}

static int open_input(struct session *session,
		      const struct report_options *options, const char *path)
{
	int status = input_open(&session->input, path, &console_log);

	if (!status)
		status = recording_open(session->input.path, &console_log,
					&session->recording);
	if (status < 0)
		log_message(&console_log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "not opened: %s", error_text(status));
	else
		recording_set_root(session->recording,
				   options->symfs ? options->symfs :
						    session->input.files);
	return status < 0 ? EXIT_FAILED : 0;
}

int session_open_recording(struct session *session,
			   const struct report_options *options)
{
	const char *path = options->input;
	char *found = NULL;
	int status;

	if (!path)
		path = found = find_last_recording();
	if (!path) {
		say("no recording in this directory; make one with ktrace-hw "
		    "record, or name one with -i DIR");
		return EXIT_FAILED;
	}
	if (found)
		say_if_old(found);
	status = check_names(options, path);
	if (!status)
		status = debuginfod_consent(options->debuginfod);
	if (!status)
		status = open_input(session, options, path);
	free(found);
	return status;
}
