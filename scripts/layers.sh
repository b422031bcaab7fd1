#!/bin/sh
# SPDX-License-Identifier: MIT
# Fails if a folder includes a header of a folder that it must not depend on
# (docs/architecture.md). The order follows the data flow; collector/ and
# decoder/ share only the format of the recording.
status=0
rules=
# Collects rules; check_rules looks all of them up for each include, at the end.
forbid() {
	for to in $2; do
		rules="$rules$1 $to
"
	done
}
# Prints the includes that break a rule of the first file.
check_rules() {
	awk '
	FNR == NR { is_forbidden[$0] = 1; next }
	{
		split($0, parts, "\"")
		path = substr($0, 1, index($0, ":") - 1)
		for (i = 1; i <= length(path); i++) {
			if (substr(path, i, 1) != "/") continue
			from = substr(path, 1, i - 1)
			for (j = 1; j <= length(parts[2]); j++) {
				if (substr(parts[2], j, 1) != "/") continue
				to = substr(parts[2], 1, j - 1)
				if (!((from " " to) in is_forbidden)) continue
				print
				print from "/ must not use " to "/" >"/dev/stderr"
				is_broken = 1
			}
		}
	}
	END { exit is_broken }' "$1" -
}
forbid common    "archive analysis collector decoder symbolize execution report attribution tables explain view sql store selftest cmd machine"
forbid collector "archive analysis decoder symbolize execution report attribution tables explain view sql store selftest cmd machine"
forbid decoder   "archive analysis collector symbolize execution report attribution tables explain view sql store selftest cmd machine"
forbid symbolize "archive analysis collector execution report attribution tables explain view sql store selftest cmd machine"
forbid archive   "analysis collector execution report attribution tables explain view sql store selftest cmd machine"
forbid execution "archive analysis collector report attribution tables explain view sql store selftest cmd machine"
forbid report    "archive analysis collector attribution tables explain view sql store selftest cmd machine"
forbid attribution "archive analysis collector tables explain view sql store selftest cmd machine"
forbid tables    "archive analysis collector explain view sql store selftest cmd machine"
forbid explain   "archive collector view sql store selftest cmd machine"
forbid analysis  "archive collector attribution tables explain view sql store selftest cmd machine"
# The definition of columns needs no other folder.
forbid rows      "archive analysis collector decoder symbolize execution report attribution tables explain view sql store selftest cmd machine"
forbid view      "archive collector sql store selftest cmd machine"
forbid sql       "archive collector view store selftest cmd machine"
forbid store     "archive collector view selftest cmd machine"
# It judges the other commands by their output alone.
forbid selftest  "analysis archive collector decoder symbolize execution report attribution tables explain view sql store cmd machine"
forbid cmd       "machine"
# Code that other programs link with may use only the remaining folders.
forbid inband    "analysis archive view sql store selftest cmd machine"
for folder in common archive collector decoder symbolize execution report \
	attribution tables explain analysis rows view sql store cmd serve; do
	forbid "$folder" inband
done
# The service beside the recorder, which decides on permissions.
forbid serve     "analysis archive decoder symbolize execution report attribution tables explain view sql store selftest cmd machine"
for folder in common archive collector decoder symbolize execution report \
	attribution tables analysis view sql store; do
	forbid "$folder" serve
done
# Only execution/ interprets packets as branches.
for folder in collector symbolize execution report attribution tables explain analysis view sql store cmd; do
	for unit in intel_pt libipt coresight snapshot; do
		[ "$folder $unit" = "execution intel_pt" ] ||
			forbid "$folder" "decoder/$unit"
	done
done
ruled=
# inside FOLDER SUB "OTHERS": of FOLDER's subfolders, SUB may include only
# OTHERS.
inside() {
	ruled="$ruled $1/$2"
	for path in "$1"/*/; do
		other=${path%/}
		other=${other##*/}
		case " $2 $3 " in
		*" $other "*) ;;
		*) forbid "$1/$2" "$1/$other" ;;
		esac
	done
}
inside collector bytes       ""
inside collector target      ""
inside collector events      "bytes target"
inside collector rings       "events"
inside collector kernel_code "bytes events"
inside collector trace_unit  "bytes kernel_code"
inside collector function_graph "bytes events trace_unit"
inside collector records     "bytes target events rings kernel_code trace_unit"
inside collector writer      "bytes target events rings"
inside collector thread_events "target events rings kernel_code trace_unit"
inside collector trigger     "bytes events kernel_code"
inside collector gate        "events trigger"
inside collector sockets     "records trigger"
inside collector call_data   "events trigger sockets"
inside decoder generated ""
inside decoder recording "generated"
inside decoder flow      "recording"
inside decoder code      "recording flow generated"
inside decoder intel_pt  "recording flow"
inside decoder libipt    "recording flow code intel_pt"
inside decoder coresight "recording flow code"
inside decoder snapshot  "recording code"
inside decoder trace_dat "recording"
inside symbolize arch      ""
inside symbolize functions "arch"
inside symbolize kernel    "arch functions"
inside symbolize elf       "functions"
inside symbolize symbols   "arch functions kernel elf"
inside symbolize unwind    "arch symbols"
inside symbolize events    "arch functions symbols"
inside symbolize gate      "arch functions symbols events"
inside execution instruction ""
inside execution graph       "instruction"
inside execution walk        "graph"
inside execution atoms       "instruction walk"
inside execution follow      "walk atoms"
inside execution stream      "instruction follow"
inside report text     ""
inside report steps    "text"
inside report profile  "text steps"
inside report diff     "text"
inside report timeline "text steps"
inside report annotate "text steps"
inside report exports  "text profile timeline"
inside attribution events     ""
inside attribution time       "events"
inside attribution sleeps     "events time"
inside attribution calls      "events time"
inside attribution packets    "events"
inside attribution interrupts "events time packets"
inside attribution requests   "events time"
inside tables text       ""
inside tables calls      "text"
inside tables profile    "text"
inside tables requests   "text"
inside tables processes  "text"
inside tables network    "text"
inside tables waits      "text"
inside tables relations  "text"
inside tables call_sites "text"
inside view data   ""
inside view make   "data"
inside view answer "data make"
inside view page   ""
inside view http   "answer page"
inside sql rows   ""
inside sql tables "rows"
inside sql scan   "rows tables"
inside sql sqlite "rows tables scan"
inside store entry  ""
inside store answer ""
inside store target "entry answer"
inside store sqlite "entry answer target"
inside store clickhouse "entry answer target"
inside store ask    "answer target entry"
inside cmd console  ""
inside cmd options  "console"
inside cmd pipeline "console options"
inside cmd report   "console options pipeline"
inside cmd record   "console options"
inside cmd top      "console options pipeline report record"
inside cmd machine  "console record top"
inside cmd events   ""
inside cmd dump     "console pipeline events"
inside cmd view     "console options pipeline"
inside cmd sql      "console pipeline"
inside cmd store    "console options pipeline"
for path in collector/*/ decoder/*/ symbolize/*/ execution/*/ report/*/ \
	attribution/*/ tables/*/ view/*/ sql/*/ store/*/ cmd/*/; do
	case "$ruled " in
	*" ${path%/} "*) ;;
	*)
		echo "$path has no rule" >&2
		status=1
		;;
	esac
done
# A folder's own files use its subfolders, never the reverse.
for folder in collector symbolize execution; do
	if grep -rnE "^#include \"$folder/[a-z0-9_]+\.h\"" "$folder"/*/; then
		echo "$folder/*/ must not use the files of $folder/ itself" >&2
		status=1
	fi
done
forbid machine/intel_pt "common collector decoder symbolize execution report attribution cmd machine/qemu machine/qemu_arm machine/truth"
forbid machine/arm_ete "common collector decoder symbolize execution report attribution cmd machine/qemu machine/qemu_arm machine/truth"
forbid machine/truth "common collector decoder symbolize execution report attribution cmd machine/intel_pt machine/arm_ete machine/qemu_arm"
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf %s "$rules" >"$file"
folders=$(cut -d / -f 1 "$file" | cut -d ' ' -f 1 | sort -u)
# shellcheck disable=SC2086 # a word for each folder
grep -rn --include='*.[ch]' '^#include "' $folders | check_rules "$file" || status=1
exit $status
