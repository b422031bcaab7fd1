/* SPDX-License-Identifier: MIT */
#include "collector/activation_internal.h"
#include "tests/run_suite.h"

#define NOW 1795443000500000000

static const struct {
	const char *text;
	int64_t instant_ns;
} good[] = {
	{ "@1795443123", 1795443123000000000 },
	{ "@1795443123.25", 1795443123250000000 },
	{ "@1795443123.0000000019", 1795443123000000001 },
	{ "@2026-11-23T15:10:00Z", 1795446600000000000 },
	{ "@2026-11-23T15:10:00.5Z", 1795446600500000000 },
	{ "@2026-11-23T16:10:00+01:00", 1795446600000000000 },
	{ "@2026-11-23T11:40:00.75-0330", 1795446600750000000 },
	{ "/10s", 1795443010000000000 },
	{ "/250ms", 1795443000750000000 },
	{ "/0.5s", 1795443001000000000 },
	{ "+5s", NOW + 5000000000 },
	{ "+1.5ms", NOW + 1500000 },
};

START_TEST(instants_are_understood)
{
	struct activation activation;

	ck_assert_ptr_null(activation_parse(good[_i].text, NOW, &activation));
	ck_assert_int_eq(activation_instant(&activation, NOW),
			 good[_i].instant_ns);
}
END_TEST

static const char *const bad[] = {
	"",
	"5s",
	"@",
	"@x",
	"@-5",
	"@12.",
	"@99999999999999999999",
	"@2026-11-23",
	"@2026-11-23T15:10:00",
	"@2026-13-23T15:10:00Z",
	"@2026-11-23T15:10:00+1",
	"@2026-11-23T15:10:00Zulu",
	"@9999-11-23T15:10:00Z",
	"@1969-01-01T00:00:00Z",
	"/",
	"/0s",
	"/-1s",
	"/2000h",
	"/100000s",
	"+",
	"+soon",
	"+0",
};

START_TEST(others_are_refused)
{
	struct activation activation;

	ck_assert_ptr_nonnull(activation_parse(bad[_i], NOW, &activation));
}
END_TEST

SUITE("activation")
{
	TEST_EACH(instants_are_understood, good);
	TEST_EACH(others_are_refused, bad);
}
