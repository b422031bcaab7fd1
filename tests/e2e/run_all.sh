#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs all end-to-end tests in parallel; prints each one's lines when it has
# ended.
#
#	run_all.sh [usual|long|full]
#	run_all.sh list [usual|long|full]	only says which, with paths
set -euo pipefail

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
ACTION=run
if [[ ${1:-} == list ]]; then
	ACTION=list && shift
fi
readonly HERE ACTION
# shellcheck source=machine/tests/side_by_side.sh
source "$HERE/../../machine/tests/side_by_side.sh"

LEVEL=${1:-long}
readonly LEVEL

# The other tests rely on these: the calls of each function are compared with the
# ground truth, and the tables with programs that count and time themselves.
usual=("functions.sh 6.12 1 ls all modules" attribution_syscalls.sh
	"explain.sh 6.12 1 lock" attribution_servers.sh annotate.sh
	"selftest.sh 6.12 1 tnt-lost" attribution_locks.sh)
# The longest first, so that all CPUs stay busy until the end.
tests=(record.sh function_graph.sh arm64.sh
	"attribution_processes.sh one_cpu two_cpus"
	"attribution_interrupts.sh one_cpu ipis" inband.sh
	"functions.sh 6.12 1 ls all modules" top.sh
	"explain_real.sh 6.12 1 fight storm crash"
	"explain.sh 6.12 1 lock fsync pipeline children throttled" attribution_syscalls.sh gating.sh serve.sh store.sh attribution_sleeps.sh
	"faults.sh 6 1 1 kills"
	attribution_levels.sh
	triggers.sh attribution_relations.sh tutorial.sh attribution_servers.sh
	attribution_requests.sh attribution_cost.sh attribution_locks.sh attribution_block.sh
	"attribution_delays.sh 6.12 1" arguments.sh
	classic_bpf.sh annotate.sh generated_code.sh names.sh
	"selftest.sh 6.12 1 tnt-lost" rights.sh)
if [[ $LEVEL == full ]]; then
	tests+=("generated_code.sh 6.1 2" "generated_code.sh 7.3"
		"names.sh 6.12 1 rust go goids java java-at-once node luajit python boost-context boost-coroutine boost-fiber ocaml" livepatch.sh
		kernels.sh kvm.sh "kvm.sh 6.12 2" attribution_delays.sh explain_real.sh explain.sh queries.sh attribution_groups.sh
		"functions.sh 6.1 1 events"
		"selftest.sh 6.12 2" "selftest.sh 6.1" "selftest.sh 7.3"
		"selftest.sh 6.12 1 whole" "selftest.sh 6.12 1 faults" "selftest.sh 6.12 1 abilities"
		"selftest.sh --arm64 6.12 1 whole" "selftest.sh --arm64 6.12 2"
		"selftest.sh --arm64 6.12 1 faults" "selftest.sh --arm64 6.12 1 abilities"
		"classic_bpf.sh 6.1"
		"classic_bpf.sh 7.3 --append setcpuid=ibrs_enhanced --append indirect_target_selection=force"
		"fleet.sh 67 6.1 6.12 7.3" "serve.sh --arm64"
		"inband.sh --arm64" "functions.sh 6.1 1 ls sleep-all"
		"functions.sh 6.12 1 disk sleep pipe events bpf"
		"attribution_processes.sh made_by_perf narrower"
		"attribution_processes.sh old_kernel old_two_cpus pauses arm64"
		"attribution_interrupts.sh arm64"
		"function_graph.sh 6.12 1 large"
		"function_graph.sh 6.12 2 pair" "function_graph.sh 6.1"
		"function_graph.sh 7.3" "function_graph.sh --arm64"
		"function_graph.sh 7.3 2 pair"
		"function_graph.sh --arm64 7.3 2 pair"
		"functions.sh 6.12 1 disk-all sleep-all"
		"faults.sh 80 2 1 kills accidents full_disks"
		"faults.sh --kernel 6.1 6 1 1 kills accidents"
		"faults.sh 20 3 2 kills two_at_once switched_off switched_on"
		"functions.sh 6.12 2 echo echo-all patches"
		"attribution_interrupts.sh memory memory_two threads rcu_threads ksoftirqd two_cpus old_kernel old_two_cpus"
		"attribution_relations.sh 6.1" "attribution_relations.sh 6.1 2"
		"attribution_relations.sh 6.12 2" "attribution_sleeps.sh 6.1"
		"attribution_syscalls.sh 6.1" "attribution_servers.sh 6.1"
		"attribution_requests.sh 6.12 1 poll-unix poll-tcp pool-pipe pool-tcp fork-pipe fork-unix chain-pipe chain-tcp ahead-pipe ahead-unix"
		"attribution_requests.sh 6.12 1 pool-pty fork-pty chain-pty ahead-pty drain-pipe sync-tcp"
		"attribution_requests.sh 6.12 2 poll-pty pool-pty fork-pty chain-pty ahead-pty drain-unix sync-pipe"
		"attribution_requests.sh 6.1 1 poll-pty pool-pty fork-pty chain-pty ahead-pty drain-pipe sync-pipe"
		"attribution_requests.sh 6.1 2 poll-pty pool-pty fork-pty chain-pty ahead-pty drain-unix sync-tcp"
		"attribution_locks.sh 6.1" "attribution_locks.sh 6.1 2"
		"attribution_locks.sh 6.12 2" "attribution_block.sh 6.1"
		"top.sh 6.12 2" "attribution_block.sh 6.12 2" "attribution_block.sh 7.3 2" "attribution_delays.sh 6.12 1"
		"arguments.sh 6.1" "arguments.sh 6.12 2"
		"attribution_groups.sh 6.1 2"
		"attribution_requests.sh 6.1 1 poll-pipe pool-unix fork-tcp chain-tcp ahead-unix"
		"attribution_requests.sh 6.1 1 poll-unix poll-tcp pool-pipe pool-tcp fork-pipe"
		"attribution_requests.sh 6.1 1 fork-unix chain-pipe chain-unix ahead-pipe ahead-tcp"
		"attribution_requests.sh 6.12 2 poll-unix pool-tcp fork-unix chain-tcp ahead-tcp"
		"attribution_levels.sh 6.1" "attribution_cost.sh 6.1"
		"attribution_requests.sh 6.12 2 poll-pipe poll-tcp pool-unix pool-pipe fork-pipe"
		"attribution_requests.sh 6.12 2 fork-tcp chain-pipe chain-unix ahead-pipe ahead-unix"
		"attribution_requests.sh 6.12 2 exec-pipe exec-unix exec-tcp uring-pipe uring-unix uring-tcp sqpoll-unix sqpoll-tcp iowq-unix iowq-tcp iowq-pipe"
		"attribution_requests.sh 6.12 1 both-pipe both-unix both_sqpoll-pipe both_sqpoll-unix both_iowq-pipe both_iowq-unix watch-pipe watch_sqpoll-pipe watch_iowq-pipe sqpoll-pipe uring-pipe iowq-pipe"
		"attribution_requests.sh 6.12 2 both-unix both_sqpoll-pipe both_sqpoll-unix both_iowq-pipe both_iowq-unix watch-pipe watch_sqpoll-pipe watch_iowq-pipe sqpoll-pipe"
		"attribution_requests.sh 6.1 2 poll-pipe pool-unix fork-tcp chain-unix ahead-tcp"
		"attribution_requests.sh 6.1 2 poll-unix poll-tcp pool-pipe pool-tcp fork-pipe"
		"attribution_requests.sh 6.1 2 fork-unix chain-pipe chain-tcp ahead-pipe ahead-unix"
		"explain.sh 6.12 2" "explain.sh 6.1" "explain.sh 7.3"
		"attribution_sleeps.sh 6.12 2" "attribution_sleeps.sh 6.1 2"
		"attribution_syscalls.sh 6.12 2" "attribution_syscalls.sh 6.1 2"
		"attribution_servers.sh 6.12 2" "attribution_servers.sh 6.1 2"
		"attribution_levels.sh 6.12 2" "attribution_levels.sh 6.1 2"
		"attribution_sleeps.sh --arm64" "attribution_syscalls.sh --arm64"
		"attribution_servers.sh --arm64"
		"attribution_relations.sh --arm64"
		"arm64_perf.sh one_cpu two_cpus" arm64_etr.sh
		"attribution_levels.sh --arm64"
		"triggers.sh 6.12 all" "triggers.sh 6.12 apart" "triggers.sh 7.3" "triggers.sh 6.1"
		"triggers.sh --arm64 6.12 reads" "triggers.sh --arm64 7.3"
		"gating.sh 7.3" "gating.sh 6.12 2"
		"gating.sh 6.1" "gating.sh --arm64"
		"gating.sh --arm64 6.12" "gating.sh --arm64 7.3 2"
		"functions.sh --arm64 6.12 1 all modules"
		"functions.sh --arm64 6.12 1 ls sleep pipe sleep-all bpf")
fi
[[ $LEVEL != usual ]] || tests=("${usual[@]}")
if [[ $ACTION == list ]]; then
	printf '%s\n' "${tests[@]/#/tests/e2e/}"
	exit 0
fi
# Tests that build the same program in parallel would disturb each other.
make -s -C "$HERE/../.." all e2e-programs >/dev/null
if [[ -x $HERE/../../build-arm64/ktrace-hw ]]; then
	make -s -C "$HERE/../.." ARCH=arm64 e2e-programs >/dev/null
fi
export PROGRAMS_MADE=1
side_by_side "$HERE" "${tests[@]}"
