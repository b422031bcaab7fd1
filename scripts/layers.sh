#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails when a folder includes a header of a folder that it must not know
# (docs/architecture.md).  The order is the way data flows; collector/ and
# decoder/ meet only in the recording.
status=0
forbid() {
	for to in $2; do
		if grep -rn --include='*.[ch]' "^#include \"$to/" "$1"; then
			echo "$1/ must not use $to/" >&2
			status=1
		fi
	done
}
forbid common    "archive collector decoder symbolize execution report attribution view sql cmd machine"
forbid collector "archive decoder symbolize execution report attribution view sql cmd machine"
forbid decoder   "archive collector symbolize execution report attribution view sql cmd machine"
forbid symbolize "archive collector execution report attribution view sql cmd machine"
forbid archive   "collector execution report attribution view sql cmd machine"
forbid execution "archive collector report attribution view sql cmd machine"
forbid report    "archive collector attribution view sql cmd machine"
forbid attribution "archive collector view sql cmd machine"
forbid view      "archive collector sql cmd machine"
forbid sql       "archive collector view cmd machine"
forbid cmd       "machine"
in_decoder() {
	for other in $2; do
		forbid "decoder/$1" "decoder/$other"
	done
}
in_decoder recording "flow code intel_pt libipt coresight snapshot"
in_decoder flow      "code intel_pt libipt coresight snapshot"
in_decoder code      "intel_pt libipt coresight snapshot"
in_decoder intel_pt  "code libipt coresight snapshot"
in_decoder libipt    "coresight snapshot"
in_decoder coresight "intel_pt libipt snapshot"
in_decoder snapshot  "flow intel_pt libipt coresight"
# Only execution/ reads packets as branches.
for folder in collector symbolize execution report attribution view sql cmd; do
	for unit in intel_pt libipt coresight snapshot; do
		[ "$folder $unit" = "execution intel_pt" ] ||
			forbid "$folder" "decoder/$unit"
	done
done
in_report() {
	for other in $2; do
		forbid "report/$1" "report/$other"
	done
}
in_report text     "steps profile timeline flame diff"
in_report flame    "steps profile timeline diff"
in_report steps    "profile timeline"
in_report profile  "timeline diff"
in_report timeline "profile diff"
in_report diff     "steps profile timeline"
tables="calls interrupts lanes processes relations sleeps user_sites wall"
in_attribution() {
	for other in $2; do
		forbid "attribution/$1" "attribution/$other"
	done
}
in_attribution events     "text time $tables"
in_attribution text       "events time $tables"
in_attribution time       "text $tables"
in_attribution interrupts "lanes calls processes relations sleeps user_sites wall"
in_attribution sleeps     "lanes calls interrupts processes relations user_sites wall"
in_attribution calls      "lanes interrupts processes relations user_sites wall"
in_attribution processes  "lanes calls relations sleeps user_sites wall"
in_attribution relations  "lanes interrupts processes sleeps user_sites wall"
in_attribution user_sites "lanes interrupts processes relations sleeps wall"
in_attribution lanes      "processes relations user_sites wall"
in_attribution wall       "lanes interrupts processes relations sleeps user_sites"
in_view() {
	for other in $2; do
		forbid "view/$1" "view/$other"
	done
}
in_view data   "make answer http page"
in_view make   "answer http page"
in_view answer "http page"
in_view page   "data make answer http"
forbid sql/rows   "sql/tables sql/scan sql/sqlite"
forbid sql/tables "sql/scan sql/sqlite"
forbid sql/scan   "sql/sqlite"
forbid machine/intel_pt "common collector decoder symbolize execution report attribution cmd machine/qemu machine/qemu_arm machine/truth"
forbid machine/arm_ete "common collector decoder symbolize execution report attribution cmd machine/qemu machine/qemu_arm machine/truth"
forbid machine/truth "common collector decoder symbolize execution report attribution cmd machine/intel_pt machine/arm_ete machine/qemu_arm"
exit $status
