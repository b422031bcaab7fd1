/* SPDX-License-Identifier: MIT */
#include "cmd/report/render_failure.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "common/error.h"

int render_failure(int status, const char *sort)
{
	if (status == -ERROR_NOT_FOUND) {
		say("--sort: no column '%s' here", sort);
		return EXIT_USAGE;
	}
	say("%s", error_text(status));
	return EXIT_FAILED;
}
