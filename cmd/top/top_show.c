/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_show.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/console/written.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_result.h"
#include "cmd/top/top_text.h"
#include "report/text/name_text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct top_show top_show_of(const struct top_options *options)
{
	return (struct top_show){
		.options = options,
		.is_screen = !options->is_once && !options->is_json &&
			     top_screen_is_there(),
	};
}

int top_show_begin(struct top_show *show)
{
	static const struct top_result nothing;

	if (!show->is_screen)
		return 0;
	if (top_screen_enter(&show->screen))
		return -1;
	top_show_again(show, &nothing);
	return 0;
}

int top_show_end(struct top_show *show)
{
	top_screen_leave(&show->screen);
	return show->has_failed ? -1 : 0;
}

int top_show_columns(const struct top_show *show)
{
	return show->is_screen ? top_screen_size().columns :
				 text_width_of(stdout);
}

static void write_keys(const struct top_view *view, FILE *out)
{
	for (int i = 0; i < TOP_TABLES; i++)
		fprintf(out, "%c %s%s%s  ", top_tables[i].key,
			i == (int)view->table ? "[" : "", top_tables[i].title,
			i == (int)view->table ? "]" : "");
	fprintf(out, "space %s  q quit\n",
		view->is_paused ? "[paused]" : "pause");
}

/* Prints the last line of the round's messages. */
static void write_said(const struct top_result *result, FILE *out)
{
	const char *last = top_text_last(result->said);

	if (result->number && result->facts.stage != TOP_REPORTED)
		fputs("this round failed: ", out);
	fprintf(out, "%.*s\n", (int)strcspn(last, "\n"), last);
}

static void write_head(const struct top_show *show,
		       const struct top_result *result, FILE *out)
{
	if (result->number)
		top_text_head(show->options, result, out);
	else
		fputs("ktrace-hw top\nthe first round is recorded\n", out);
	write_keys(&show->view, out);
	write_said(result, out);
}

static void draw(struct top_show *show, const struct top_result *result,
		 const char *head)
{
	const char *text = result->tables[show->view.table];
	char *frame;
	size_t size;
	FILE *out = open_memstream(&frame, &size);

	if (!out)
		return;
	top_frame_draw(&show->view, head, text ? text : "", top_screen_size(),
		       out);
	if (fclose(out) != EOF)
		top_screen_write(frame, size);
	free(frame);
}

void top_show_again(struct top_show *show, const struct top_result *result)
{
	char *head;
	size_t size;
	FILE *out = show->is_screen ? open_memstream(&head, &size) : NULL;

	if (!out)
		return;
	write_head(show, result, out);
	if (fclose(out) != EOF)
		draw(show, result, head);
	free(head);
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	return hash;
}

void top_show_said(struct top_show *show, const struct top_result *result)
{
	top_screen_leave(&show->screen);
	if (result->said)
		fputs(result->said, stderr);
}

void top_show_failure(struct top_show *show, const char *where, int cause)
{
	top_screen_leave(&show->screen);
	say_of("top", "no round can begin: %s%s%s", where ? where : "",
	       where ? ": " : "", strerror(cause));
}

/* Messages that every round repeats are printed once. */
static void say_news(struct top_show *show, const struct top_result *result)
{
	uint64_t hash = hash_of(result->said ? result->said : "");

	if (hash != show->said)
		top_show_said(show, result);
	show->said = hash;
}

void top_show_round(struct top_show *show, const struct top_result *result)
{
	if (show->is_screen) {
		top_show_again(show, result);
		return;
	}
	say_news(show, result);
	if (show->options->is_json)
		top_text_json(result, stdout);
	else
		top_text_round(show->options, result, stdout);
	if (!show->has_failed)
		show->has_failed = written_stdout() != EXIT_OK;
}

void top_show_stop(struct top_show *show, const struct top_result *result)
{
	top_screen_leave(&show->screen);
	raise(SIGSTOP);
	if (show->is_screen && !top_screen_enter(&show->screen))
		top_show_again(show, result);
}
