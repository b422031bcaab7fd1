/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/match.h"

#include "machine/tests/conformance/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of entries shown before and after a difference. */
enum { SHOWN = 8 };

/* A task that the truth knows only by its stack gets the tid of the first
 * timeline entry that matches it.
 */
struct matcher {
	struct match *match;
	const struct recording *recording;
	const struct passages *passages;
	const struct timeline *timeline;
	const struct replay *replay;
	bool all;
	uint64_t slack_ns;
	uint32_t cpu;
	int32_t *tids; /* by the truth's task number; INT32_MIN: none */
	size_t passage;
	size_t line;
};

static const struct passage *next_passage(struct matcher *matcher)
{
	while (matcher->passage < matcher->passages->count) {
		const struct passage *passage =
			&matcher->passages->items[matcher->passage];

		if (matcher->all || !passage->is_unseen)
			return passage;
		matcher->passage++;
	}
	return NULL;
}

static const struct line *next_line(struct matcher *matcher)
{
	for (; matcher->line < matcher->timeline->count; matcher->line++) {
		const struct line *line =
			&matcher->timeline->lines[matcher->line];

		if (line->cpu != matcher->cpu)
			continue;
		if (matcher->all || !line->is_unseen)
			return line;
		matcher->match->left_out++;
	}
	return NULL;
}

static bool same_task(struct matcher *matcher, uint64_t task, int32_t tid)
{
	int64_t pid = matcher->replay->tasks[task].pid;
	int32_t *known = &matcher->tids[task];

	if (pid >= 0 && pid != tid)
		return false;
	if (pid < -1 && tid != 0)
		return false;
	if (*known == INT32_MIN)
		*known = tid;
	return *known == tid;
}

static bool is_equal(struct matcher *matcher, const struct passage *passage,
		     const struct line *line)
{
	return passage->is_exit == line->is_exit &&
	       passage->is_unseen == line->is_unseen &&
	       !strcmp(passage->function->name, line->function) &&
	       same_task(matcher, passage->task, line->tid);
}

/* A clock tick may fall between the branch and the next instruction. */
static void check_time(struct matcher *matcher, const struct passage *passage,
		       const struct line *line)
{
	struct match *match = matcher->match;
	uint64_t before = recording_time_ns(matcher->recording, passage->tsc);
	uint64_t after =
		recording_time_ns(matcher->recording, passage->tsc + 1);

	time_error_add(&match->error, line->time_ns,
		       line->time_ns < before ? before :
		       line->time_ns > after  ? after :
						line->time_ns);
	if (line->time_ns - line->early_ns > after + matcher->slack_ns ||
	    line->time_ns + line->late_ns + matcher->slack_ns < before)
		match->outside++;
	if (getenv("SHOW_TIMES"))
		printf("time %" PRIu64 " true %" PRIu64 " early %" PRIu64
		       " late %" PRIu64 " %c %s\n",
		       line->time_ns, before, line->early_ns, line->late_ns,
		       line->is_exit ? 'X' : 'E', line->function);
}

static void show_truth(struct matcher *matcher)
{
	size_t first = matcher->passage > SHOWN ? matcher->passage - SHOWN : 0;

	for (size_t i = first;
	     i < matcher->passage + SHOWN && i < matcher->passages->count;
	     i++) {
		const struct passage *passage = &matcher->passages->items[i];

		printf("  truth%c %" PRIu64 " %c%c task %" PRIu64
		       " pid %" PRId64 " %s\n",
		       i == matcher->passage ? '*' : ' ',
		       recording_time_ns(matcher->recording, passage->tsc),
		       passage->is_exit ? 'X' : 'E',
		       passage->is_unseen ? '?' : ' ', passage->task,
		       matcher->replay->tasks[passage->task].pid,
		       passage->function->name);
	}
}

static void show_timeline(struct matcher *matcher)
{
	size_t first = matcher->line > SHOWN ? matcher->line - SHOWN : 0;

	for (size_t i = first;
	     i < matcher->line + SHOWN && i < matcher->timeline->count; i++) {
		const struct line *line = &matcher->timeline->lines[i];

		if (line->cpu == matcher->cpu)
			printf("  timeline%c %" PRIu64 " %c%c tid %" PRId32
			       " %s\n",
			       i == matcher->line ? '*' : ' ', line->time_ns,
			       line->is_exit ? 'X' : 'E',
			       line->is_unseen ? '?' : ' ', line->tid,
			       line->function);
	}
}

/* Returns whether only entries are left that the recording's end closes. */
static bool is_at_end(struct matcher *matcher)
{
	const struct line *line;

	if (next_passage(matcher))
		return false;
	while ((line = next_line(matcher))) {
		if (!line->is_exit || !line->is_unseen)
			return false;
		matcher->line++;
	}
	return true;
}

static void run(struct matcher *matcher)
{
	const struct passage *passage;
	const struct line *line;

	while ((passage = next_passage(matcher)) &&
	       (line = next_line(matcher)) &&
	       is_equal(matcher, passage, line)) {
		check_time(matcher, passage, line);
		matcher->match->compared++;
		matcher->passage++;
		matcher->line++;
	}
	if (is_at_end(matcher))
		return;
	matcher->match->differs = true;
	printf("cpu %" PRIu32 ": they differ behind %" PRIu64
	       " that are equal\n",
	       matcher->cpu, matcher->match->compared);
	show_truth(matcher);
	show_timeline(matcher);
}

void match_cpu(struct match *match, const struct recording *recording,
	       const struct replay *replay, const struct timeline *timeline,
	       uint32_t cpu, bool all, uint64_t slack_ns)
{
	struct matcher matcher = {
		.match = match,
		.recording = recording,
		.passages = &replay->passages[cpu],
		.timeline = timeline,
		.replay = replay,
		.all = all,
		.slack_ns = slack_ns,
		.cpu = cpu,
		.tids = calloc(replay->task_count + 1, sizeof(int32_t)),
	};

	if (!matcher.tids)
		abort();
	for (size_t i = 0; i < replay->task_count; i++)
		matcher.tids[i] = INT32_MIN;
	memset(match, 0, sizeof(*match));
	run(&matcher);
	free(matcher.tids);
}
