/* SPDX-License-Identifier: MIT */
#include "view/answer/answer.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *path;
	view_answer_fn *write;
} answers[] = {
	{ "recording", answer_recording }, { "tracks", answer_tracks },
	{ "profile", answer_profile },	   { "sleeps", answer_sleeps },
	{ "functions", answer_functions }, { "next", answer_next },
	{ "annotate", answer_annotate },   { "explain", answer_explain },
};

static const char *message_of(enum view_status status)
{
	switch (status) {
	case VIEW_OK:
		return "";
	case VIEW_BAD:
		return "invalid arguments in the address";
	case VIEW_NOT_FOUND:
		return "no such page or query";
	case VIEW_FAILED:
		return "out of memory, or the recording could not be read: see "
		       "the terminal";
	}
	return "";
}

static view_answer_fn *find(const char *path)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (!strcmp(answers[i].path, path))
			return answers[i].write;
	return NULL;
}

enum view_status view_answer(const struct view_sources *sources,
			     const char *path,
			     const struct view_request *request, FILE *out)
{
	struct json_out json = json_out_to(out);
	view_answer_fn *write = find(path);
	enum view_status status = VIEW_NOT_FOUND;

	json_begin(&json, "{}");
	if (write) {
		pthread_mutex_lock(&sources->summary->lock);
		status = write(sources, request, &json);
		pthread_mutex_unlock(&sources->summary->lock);
	}
	if (status != VIEW_OK)
		json_member_text(&json, "error", message_of(status));
	json_end(&json, "{}");
	json_out_end(&json);
	return status;
}
