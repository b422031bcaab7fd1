/* SPDX-License-Identifier: MIT */
/* Locates the traced machine's programs. */
#include "common/log.h"
#include "common/memory.h"
#include "common/regular_file.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/recording_features.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* The name of a mapping need not be a file: "//anon". */
const char *recording_user_path(const struct recording *recording,
				const char *path, struct arena *arena)
{
	const struct recording_facts *facts = recording_facts(recording);
	char rooted[4096];
	int length;

	if (facts->files.vdso && !strcmp(path, "[vdso]"))
		return facts->files.vdso;
	if (path[0] != '/' || !facts->root)
		return path;
	if (!*facts->root || regular_file_goes_up(path))
		return "";
	length = snprintf(rooted, sizeof(rooted), "%s%s", facts->root, path);
	if (length < 0 || (size_t)length >= sizeof(rooted))
		return "";
	return arena_text(arena, rooted, (size_t)length);
}

bool recording_has_program(const struct recording *recording,
			   const struct sideband_mmap *map, const char *path)
{
	return program_ids_fit(recording_facts(recording)->program_ids, map,
			       path, recording_facts(recording)->log);
}

static bool is_own_arch(enum recording_arch arch)
{
	struct utsname host;

	return arch == RECORDING_ARCH_UNKNOWN || uname(&host) < 0 ||
	       recording_arch_named(host.machine) == arch;
}

void recording_set_root(struct recording *recording, const char *root)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);

	facts->root = root;
	if (root || is_own_arch(recording_arch(recording)))
		return;
	facts->root = "";
	if (recording_names_user(recording))
		log_message(facts->log, LOG_WARNING, facts->files.data,
			    LOG_NO_OFFSET,
			    "the traced machine's architecture is not this "
			    "one's: user code and stacks are unknown unless "
			    "--symfs names a folder with that machine's "
			    "files");
}
