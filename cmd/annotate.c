/* SPDX-License-Identifier: MIT */
#include "report/annotate/annotate.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/annotate/annotation.h"

static const char *const contradictions[][2] = {
	{ "unexecuted", "inlined" },
	{ NULL },
};

struct choice {
	bool with_unexecuted;
	bool lists_inlined;
};

static const struct own_option own_options[] = {
	{ "unexecuted", NULL, "list every instruction that never ran", 0,
	  FLAG(struct choice, with_unexecuted) },
	{ "inlined", NULL,
	  "instead list the functions inlined into it, with their entries and "
	  "times",
	  0, FLAG(struct choice, lists_inlined) },
};

/* Sets *@format to the format called @name. Returns false, after a message, if
 * there is none.
 */
static bool read_format(const char *name, enum record_format *format)
{
	if (record_format_find(name, format))
		return true;
	report_format_refuse("annotate", name, "text, csv or json");
	return false;
}

static int render(const struct annotation *annotation,
		  const struct annotate_options *options, bool lists_inlined,
		  enum record_format format, FILE *out)
{
	if (lists_inlined)
		return annotate_inlined(annotation, options, format, out);
	switch (format) {
	case RECORD_CSV:
		return annotate_csv(annotation, options, out);
	case RECORD_JSON:
		return annotate_json(annotation, options, out);
	case RECORD_TABLE:
	case RECORD_NDJSON: /* read_format() refuses it */
		break;
	}
	return annotate_text(annotation, options, out);
}

/* Reports why no function @name ran: user space was not recorded, the options
 * leave it out, or it did not run.
 */
static void say_none(const struct session *session, const char *name)
{
	bool is_chosen = step_filter_has_tasks(&session->filter) ||
			 session->filter.cpu_count ||
			 !time_window_is_all(session->window);

	if (is_chosen)
		say_of("annotate",
		       "no function '%s' ran by the tasks, on the CPUs and in "
		       "the time that your options choose",
		       name);
	else
		say_of("annotate",
		       "no function '%s' ran%s; ktrace-hw report --flat lists "
		       "those that did",
		       name,
		       recording_traces_user(session->recording) ?
			       "" :
			       " in the kernel, and user space was not recorded "
			       "(record --user)");
}

/* Counts the instructions of the functions @name. Returns an exit code, after a
 * message if it is not EXIT_OK.
 */
static int annotate(const struct session *session, const char *name,
		    struct annotation *annotation)
{
	int status = session_annotate(session, annotation);

	if (status < 0) {
		log_message(&console_log, LOG_ERROR,
			    recording_path(session->recording), LOG_NO_OFFSET,
			    "%s", error_text(status));
		return EXIT_FAILED;
	}
	if (!annotation->codes.items.count) {
		say_none(session, name);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int annotate_session(const struct session *session,
			    const struct report_options *options,
			    const struct name_choice *functions,
			    const struct choice *choice)
{
	struct annotate_options annotate_options = {
		.lines = session->lines,
		.top = options->top,
		.with_unexecuted = choice->with_unexecuted,
	};
	struct annotation annotation = annotation_of(&(struct annotation_input){
		.recording = session->recording,
		.image = session->image,
		.symbols = session->symbols,
		.functions = functions,
		.filter = &session->filter,
		.window = session->window,
	});
	enum record_format format;
	int status = read_format(options->format, &format) ?
			     annotate(session, options->query, &annotation) :
			     EXIT_USAGE;

	if (!status &&
	    render(&annotation, &annotate_options, choice->lists_inlined,
		   format, session->out) < 0) {
		say("%s", error_text(-ERROR_MEMORY));
		status = EXIT_FAILED;
	}
	annotation_free(&annotation);
	return status;
}

static int annotate_recording(const struct report_options *options,
			      const struct choice *choice)
{
	struct name_choice functions = NAME_CHOICE_NONE;
	struct session session;
	int status;

	if (!options->query) {
		say_of("annotate", "which function? ktrace-hw annotate [DIR] "
				   "FUNCTION");
		return EXIT_USAGE;
	}
	if (!name_choice_add(&functions, options->query)) {
		say_of("annotate",
		       "'%s' is not a list of names, globs and regular "
		       "expressions",
		       options->query);
		name_choice_free(&functions);
		return EXIT_USAGE;
	}
	status = session_open(&session, options);
	if (!status)
		status =
			annotate_session(&session, options, &functions, choice);
	status = session_finish(&session, status);
	name_choice_free(&functions);
	return status;
}

static int run_annotate(int argc, char **argv)
{
	struct choice choice = { 0 };
	const struct option_set set = {
		.command = "annotate",
		.purpose = "Shows how often each instruction and source line "
			   "of a function ran and how long\nit took: ktrace-hw "
			   "annotate [DIR] FUNCTION. FUNCTION may be a list of "
			   "names, globs\n(vfs_*) and /regular expressions/.",
		.formats = "text, csv or json",
		.is_paged = true,
		.takes_input = true,
		.takes_query = true,
		.shows_code = true,
		OWN_OPTIONS(own_options),
		.contradictions = contradictions,
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	options.wants_lines = true;
	if (status < 0)
		status = annotate_recording(&options, &choice);
	report_options_free(&options);
	return status;
}

const struct command annotate_command = {
	.name = "annotate",
	.summary = "show how often each instruction of a function ran",
	.run = run_annotate,
};
