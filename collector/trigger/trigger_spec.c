/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_spec.h"
#include "common/clocks.h"
#include "common/name_choice.h"

#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char wants_time[] = "a time after '>', such as 10ms (ns, us, ms, "
				 "s)";
static const char wants_name[] = "a name before '>', such as read>10ms";

int trigger_time_parse(const char *text, uint64_t *ns)
{
	const uint64_t day_ns = UINT64_C(86400) * 1000000000;
	bool has_unit = text[strspn(text, "0123456789.")];

	return has_unit && isdigit((unsigned char)*text) &&
			       duration_read(text, ns) && *ns && *ns < day_ns ?
		       0 :
		       -1;
}

static bool is_name(const char *text, size_t length)
{
	if (!length || length >= TRIGGER_NAME_SIZE)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_.", text[i]))
			return false;
	return true;
}

bool trigger_name_is_function(const char *text, size_t length)
{
	struct placed_name name;

	return length < TRIGGER_NAME_SIZE &&
	       placed_name_read(text, length, &name) &&
	       is_name(text, name.length);
}

/* Stores the first @length bytes as the name, or returns @wants. */
static const char *consume_name(struct trigger_spec *spec, const char *text,
				size_t length, const char *wants)
{
	if (!trigger_name_is_function(text, length))
		return wants;
	snprintf(spec->name, sizeof(spec->name), "%.*s", (int)length, text);
	return NULL;
}

/* Parses NAME>TIME. Returns NULL, or what is expected instead. */
static const char *parse_longer(const char *text, struct trigger_spec *spec)
{
	size_t length = strcspn(text, ">");

	if (!text[length] ||
	    trigger_time_parse(text + length + 1, &spec->limit_ns))
		return wants_time;
	return consume_name(spec, text, length, wants_name);
}

/* Parses FILE:FUNCTION, or FILE:FUNCTION>TIME; the file may contain colons.
 * Returns NULL, or what is expected instead.
 */
static const char *parse_user(const char *text, struct trigger_spec *spec)
{
	const char *colon = strrchr(text, ':');
	const char *name = colon ? colon + 1 : text;
	size_t length = strcspn(name, ">");

	if (!colon || colon == text || colon - text >= PATH_MAX || !length ||
	    length >= sizeof(spec->name))
		return "uprobe:FILE:FUNCTION";
	snprintf(spec->path, sizeof(spec->path), "%.*s", (int)(colon - text),
		 text);
	snprintf(spec->name, sizeof(spec->name), "%.*s", (int)length, name);
	if (name[length] &&
	    trigger_time_parse(name + length + 1, &spec->limit_ns))
		return wants_time;
	return NULL;
}

/* Returns the number of the signal @name, with or without SIG; 0: none. */
static int signal_number(const char *name, size_t length)
{
	if (length > 3 && !strncmp(name, "SIG", 3)) {
		name += 3;
		length -= 3;
	}
	for (int i = 1; i < NSIG && i < 64; i++) {
		const char *known = sigabbrev_np(i);

		if (known && strlen(known) == length &&
		    !strncmp(known, name, length))
			return i;
	}
	return 0;
}

/* Parses SEGV,BUS. Returns false if an element is not a signal. */
static bool parse_signals(const char *list, struct trigger_spec *spec)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		int number = signal_number(list, length);

		if (!number)
			return false;
		spec->signals |= UINT64_C(1) << number;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

/* Parses SYSTEM:EVENT, or SYSTEM:EVENT if FILTER. Returns NULL, or what is
 * expected instead.
 */
static const char *parse_tracepoint(const char *text, struct trigger_spec *spec)
{
	static const char wants[] = "SYSTEM:EVENT, or 'SYSTEM:EVENT if FILTER'";
	size_t length = strcspn(text, " ");
	const char *colon = memchr(text, ':', length);
	const char *rest = text + length;

	if (!colon || !is_name(text, (size_t)(colon - text)) ||
	    !is_name(colon + 1, (size_t)(rest - colon - 1)) ||
	    length >= sizeof(spec->name))
		return wants;
	snprintf(spec->name, sizeof(spec->name), "%.*s", (int)length, text);
	if (!*rest)
		return NULL;
	if (strncmp(rest, " if ", 4) || !rest[4] ||
	    strlen(rest + 4) >= sizeof(spec->filter))
		return wants;
	snprintf(spec->filter, sizeof(spec->filter), "%s", rest + 4);
	return NULL;
}

/* Tracepoints named signal:... exist, but their names are not signal names. */
static const char *parse_signal(const char *text, struct trigger_spec *spec)
{
	if (parse_signals(text + strlen("signal:"), spec))
		return NULL;
	if (!islower((unsigned char)text[strlen("signal:")]))
		return "signals, such as signal:SEGV,BUS";
	spec->signals = 0;
	spec->kind = TRIGGER_TRACEPOINT;
	return parse_tracepoint(text, spec);
}

static const char *parse_crash(const char *text, struct trigger_spec *spec)
{
	(void)text;
	parse_signals("SEGV,BUS,ILL,FPE,ABRT,TRAP,SYS", spec);
	return NULL;
}

static const char *parse_exit(const char *text, struct trigger_spec *spec)
{
	(void)text;
	(void)spec;
	return NULL;
}

static const char *parse_sleep(const char *text, struct trigger_spec *spec)
{
	return parse_longer(text + strlen("sleep@"), spec);
}

static const char *parse_uprobe(const char *text, struct trigger_spec *spec)
{
	return parse_user(text + strlen("uprobe:"), spec);
}

static const char *parse_line(const char *text, struct trigger_spec *spec)
{
	const char *path = text + strlen("line:");

	if (!*path || strlen(path) >= sizeof(spec->path))
		return "line:FIFO, the path of a named pipe";
	snprintf(spec->path, sizeof(spec->path), "%s", path);
	return NULL;
}

static const struct form {
	const char *begin;
	bool is_whole; /* nothing follows */
	enum trigger_kind kind;
	const char *(*parse)(const char *text, struct trigger_spec *spec);
} forms[] = {
	{ "uprobe:", false, TRIGGER_USER, parse_uprobe },
	{ "line:", false, TRIGGER_LINE, parse_line },
	{ "signal:", false, TRIGGER_SIGNAL, parse_signal },
	{ "crash", true, TRIGGER_SIGNAL, parse_crash },
	{ "exit!=0", true, TRIGGER_EXIT, parse_exit },
	{ "sleep@", false, TRIGGER_SLEEP, parse_sleep },
	{ "runnable>", false, TRIGGER_RUNNABLE, parse_longer },
};

const char *trigger_spec_parse(const char *text, struct trigger_spec *spec)
{
	*spec = (struct trigger_spec){ .text = text };
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t length = strlen(forms[i].begin);

		if (strncmp(text, forms[i].begin, length) ||
		    (forms[i].is_whole && text[length]))
			continue;
		spec->kind = forms[i].kind;
		return forms[i].parse(text, spec);
	}
	if (strchr(text, ':')) {
		spec->kind = TRIGGER_TRACEPOINT;
		return parse_tracepoint(text, spec);
	}
	spec->kind = TRIGGER_CALL;
	return parse_longer(text, spec);
}
