/* SPDX-License-Identifier: MIT */
#include "report/text/colors.h"

const struct colors colors_none = {
	.hot = "",
	.warm = "",
	.missing = "",
	.faint = "",
	.subject = "",
	.plain = "",
};

const struct colors colors_of_terminal = {
	.hot = "\033[31m",
	.warm = "\033[32m",
	.missing = "\033[1;31m",
	.faint = "\033[2m",
	.subject = "\033[1m",
	.plain = "\033[0m",
};

const char *colors_of_share(const struct colors *colors, double percent)
{
	if (percent >= 5)
		return colors->hot;
	return percent >= 0.5 ? colors->warm : "";
}
