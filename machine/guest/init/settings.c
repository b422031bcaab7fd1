/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append(char ***list, size_t *count, char *value)
{
	char **longer = realloc(*list, (*count + 2) * sizeof(*longer));

	if (!longer)
		return -1;
	longer[(*count)++] = value;
	longer[*count] = NULL;
	*list = longer;
	return 0;
}

/* Returns the value if the text has this key, otherwise NULL. */
static char *value_of(char *text, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(text, key, length) || text[length] != '=')
		return NULL;
	return text + length + 1;
}

static int add_flag(struct settings *settings, const char *text)
{
	if (!strcmp(text, "tty=1"))
		settings->tty = true;
	else if (!strcmp(text, "late=1"))
		settings->late_results = true;
	else if (!strcmp(text, "written=1"))
		settings->written = true;
	else if (!strcmp(text, "disk=1"))
		settings->disk = true;
	else if (!strcmp(text, "net=1"))
		settings->net = true;
	else if (!strcmp(text, "truth=1"))
		settings->truth = true;
	else
		return -1;
	return 0;
}

static int add_text(struct settings *settings, char *text)
{
	char *value;

	if ((value = value_of(text, "arg")))
		return append(&settings->args, &settings->arg_count, value);
	if ((value = value_of(text, "env")))
		return append(&settings->env, &settings->env_count, value);
	if ((value = value_of(text, "cwd")))
		settings->cwd = value;
	else if ((value = value_of(text, "link")))
		settings->link = value;
	else if ((value = value_of(text, "delay")))
		settings->disk_delay_ms =
			(unsigned int)strtoul(value, NULL, 10);
	else if ((value = value_of(text, "host")))
		settings->host = value;
	else if ((value = value_of(text, "modules")))
		settings->modules = value;
	else if ((value = value_of(text, "results")) &&
		 settings->results_count < SETTINGS_RESULTS_MAX)
		settings->results[settings->results_count++] = value;
	else if ((value = value_of(text, "keep")) &&
		 settings->keep_count < SETTINGS_KEEP_MAX)
		settings->keep[settings->keep_count++] = value;
	else
		return add_flag(settings, text);
	return 0;
}

int settings_add(struct settings *settings, const char *text, size_t length,
		 struct problem *problem)
{
	/* Never freed: settings live as long as the guest. */
	char *copy = strndup(text, length);

	if (copy && !add_text(settings, copy))
		return 0;
	errno = 0;
	return problem_set(problem, "setting not understood: %.*s", (int)length,
			   text);
}

int settings_read(struct settings *settings, const char *path,
		  struct problem *problem)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int result = 0;
	ssize_t length;

	if (!file)
		return problem_set(problem, "%s", path);
	while (!result && (length = getdelim(&line, &size, 0, file)) > 0)
		result = settings_add(settings, line, strnlen(line, length),
				      problem);
	free(line);
	fclose(file);
	return result;
}
