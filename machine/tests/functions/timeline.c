/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/timeline.h"

#include <stdlib.h>
#include <string.h>

enum column {
	EVENT,
	TIME,
	CPU,
	PID,
	TID,
	COMM,
	DEPTH,
	FUNCTION,
	DETAIL,
	WALL,
	ON_CPU,
	BEGIN_UNSEEN,
	END_UNSEEN,
	NOT_ALL_SEEN,
	EARLY,
	LATE,
	COLUMNS
};

static const char header[] = "event,time_ns,cpu,pid,tid,comm,depth,function,"
			     "detail,wall_ns,on_cpu_ns,begin_unseen,end_unseen,"
			     "not_all_seen,early_ns,late_ns";

/* Cuts the field at *@rest off, as in RFC 4180; doubled quotes inside one stay
 * doubled.
 */
static char *cut_field(char **rest)
{
	char *field = *rest;
	char *end;

	if (*field == '"') {
		end = ++field;
		while ((end = strchr(end, '"')) && end[1] == '"')
			end += 2;
		if (!end)
			return NULL;
		*end++ = '\0';
	} else {
		end = field + strcspn(field, ",\r\n");
	}
	*rest = end + (*end == ',');
	*end = '\0';
	return field;
}

static bool split(char *text, char *fields[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		fields[i] = cut_field(&text);
		if (!fields[i])
			return false;
	}
	return true;
}

static void *room_for_one(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 1024;
	array = reallocarray(array, *room, size);
	if (!array)
		abort();
	return array;
}

static void add_line(struct timeline *timeline, char *fields[COLUMNS])
{
	bool is_exit = !strcmp(fields[EVENT], "exit");
	const char *unseen = fields[is_exit ? END_UNSEEN : BEGIN_UNSEEN];

	if (!is_exit && strcmp(fields[EVENT], "enter"))
		return;
	timeline->lines = room_for_one(timeline->lines, timeline->count,
				       &timeline->room, sizeof(struct line));
	timeline->lines[timeline->count++] = (struct line){
		.is_exit = is_exit,
		.is_unseen = *unseen == '1',
		.cpu = (uint32_t)strtoul(fields[CPU], NULL, 10),
		.tid = (int32_t)strtol(fields[TID], NULL, 10),
		.time_ns = strtoull(fields[TIME], NULL, 10),
		.early_ns = strtoull(fields[EARLY], NULL, 10),
		.late_ns = strtoull(fields[LATE], NULL, 10),
		.function = fields[FUNCTION],
	};
}

bool timeline_read(struct timeline *timeline, FILE *file)
{
	char *fields[COLUMNS];
	char *text = NULL;
	size_t size = 0;
	bool good;

	memset(timeline, 0, sizeof(*timeline));
	good = getline(&text, &size, file) > 0 &&
	       !strncmp(text, header, strlen(header));
	free(text);
	text = NULL;
	while (good && getline(&text, &size, file) > 0) {
		timeline->texts = room_for_one(timeline->texts,
					       timeline->text_count,
					       &timeline->text_room,
					       sizeof(*timeline->texts));
		timeline->texts[timeline->text_count++] = text;
		good = split(text, fields);
		if (good)
			add_line(timeline, fields);
		text = NULL;
		size = 0;
	}
	free(text);
	if (!good)
		fprintf(stderr, "no timeline in CSV on the standard input\n");
	return good;
}

void timeline_free(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->text_count; i++)
		free(timeline->texts[i]);
	free(timeline->texts);
	free(timeline->lines);
}
