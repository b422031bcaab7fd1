# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # the other parts read what is set here
# The options of 'machine run' and 'machine shell'.
OPT_ARCH=x86_64 OPT_ROOT=''
OPT_CPUS=1
OPT_MEMORY=2048
OPT_KERNEL=6.12
OPT_RESULTS=()
OPT_RESULTS_FD=()
OPT_KEEP=()
OPT_PLUGINS=()
OPT_EXTRA_FILES=()
OPT_TRUTH='' OPT_UNIT='' OPT_LOSS='' OPT_NET='' OPT_NO_UNIT='' OPT_APPEND=''
OPT_DISK_MB='' OPT_DISK_DELAY_MS='' OPT_TIMEOUT_S='' OPT_ISOLATED=''
OPT_NET_DELAY_MS='' OPT_FAST='' OPT_LATE='' OPT_CONSOLE='' OPT_QEMU=''
OPT_KASLR='' OPT_CPU=''
OPT_VERBOSE='' OPT_QUIET='' OPT_DISCARD='' OPT_LINK_SIDE='' OPT_LINK_FOLDER=''

# Sets the variables above and COMMAND_LINE, the words after the options.
options_parse() {
	while (($# > 0)); do
		case $1 in
		--)
			shift
			break
			;;
		--net) OPT_NET=1 ;;
		--fast) OPT_FAST=1 ;;
		--late-results) OPT_LATE=1 ;;
		--isolated) OPT_ISOLATED=1 ;;
		--discard) OPT_DISCARD=1 ;;
		--no-trace-unit) OPT_NO_UNIT=1 ;;
		--kaslr) OPT_KASLR=1 ;;
		-v | --verbose) OPT_VERBOSE=1 ;;
		-q | --quiet) OPT_QUIET=1 ;;
		--*=*)
			options_take "${1%%=*}" "${1#*=}"
			;;
		--*)
			(($# > 1)) || wrong_usage "$1 needs a value"
			options_take "$1" "$2"
			shift
			;;
		*) break ;;
		esac
		shift
	done
	COMMAND_LINE=("$@")
	# shellcheck source=/dev/null
	source "$HERE/arch_$OPT_ARCH.sh"
	options_keep
	options_link
}

# A linked machine needs the host's clock, and a machine with one CPU has a
# clock of its own.
options_link() {
	[[ -n $OPT_LINK_SIDE ]] || return 0
	((OPT_CPUS > 1)) || wrong_usage "--link needs --cpus 2 or more"
	[[ -z $OPT_NET ]] || wrong_usage "--link cannot be combined with --net"
}

# Files that the command writes below its working directory are copied back to
# the user, unless that folder is the root directory, not the user's, or not the
# guest's.
options_keep() {
	if [[ -n $OPT_DISCARD$OPT_ISOLATED ]]; then
		((${#OPT_KEEP[@]} == 0)) || wrong_usage \
			"--keep cannot be combined with --discard or --isolated"
	elif [[ $PWD != / && -w $PWD && -z $OPT_ROOT &&
		$ARCH_DEBIAN == amd64 ]]; then
		OPT_KEEP+=("$(realpath "$PWD")")
	fi
}

options_take() { # option value
	case $1 in
	--arch) OPT_ARCH=$(option_arch "$2") ;;
	--root) OPT_ROOT=$(option_root "$2") ;;
	--cpus) OPT_CPUS=$(option_number "$1" "$2" 1 64) ;;
	--cpu) OPT_CPU+=,$2 ;;
	--memory) OPT_MEMORY=$(option_number "$1" "$2" 256 1048576) ;;
	--kernel) OPT_KERNEL=$2 ;;
	--results) OPT_RESULTS+=("$(option_folder "$1" "$2")") ;;
	--results-fd)
		((${#OPT_RESULTS[@]} > 0)) || wrong_usage "$1 needs --results before"
		OPT_RESULTS_FD[${#OPT_RESULTS[@]}-1]=$(option_number "$1" "$2" 6 65535)
		;;
	--keep) OPT_KEEP+=("$(option_folder "$1" "$2")") ;;
	--truth) OPT_TRUTH=$(option_folder "$1" "$2") ;;
	--unit) OPT_UNIT=$2 ;;
	--loss) OPT_LOSS=$2 ;;
	--disk-size) OPT_DISK_MB=$(option_number "$1" "$2" 16 1048576) ;;
	--disk-delay)
		OPT_DISK_DELAY_MS=$(option_number "$1" "$2" 0 1000000)
		;;
	--net-delay) OPT_NET_DELAY_MS=$(option_number "$1" "$2" 1 1000) ;;
	--link)
		OPT_LINK_SIDE=$(option_side "$1" "$2")
		OPT_LINK_FOLDER=$(option_folder "$1" "${2#*:}")
		;;
	--timeout) OPT_TIMEOUT_S=$(option_number "$1" "$2" 1 1000000) ;;
	--include) OPT_EXTRA_FILES+=("$2") ;;
	--append) OPT_APPEND+=" $2" ;;
	--console) OPT_CONSOLE=$2 ;;
	--qemu) OPT_QEMU=$2 ;;
	--plugin) OPT_PLUGINS+=("$2") ;;
	*) wrong_usage "unknown option $1" ;;
	esac
}

option_number() { # option value least most
	if ! [[ $2 =~ ^[0-9]{1,10}$ ]] || ((10#$2 < $3 || 10#$2 > $4)); then
		wrong_usage "$1 takes a number from $3 to $4, not '$2'"
	fi
	printf '%s\n' $((10#$2))
}

option_arch() { # name
	case $1 in
	x86_64 | arm64) printf '%s\n' "$1" ;;
	*) wrong_usage "--arch takes x86_64 or arm64, not '$1'" ;;
	esac
}

option_root() { # path
	[[ -d $1 ]] || wrong_usage "--root: no folder '$1'"
	realpath "$1"
}

option_side() { # option side:folder
	[[ $2 =~ ^(left|right): ]] ||
		wrong_usage "$1 takes left:FOLDER or right:FOLDER, not '$2'"
	printf '%s\n' "${2%%:*}"
}

option_folder() { # option path
	[[ -d $2 && -w $2 ]] ||
		wrong_usage "$1: '$2' is not a writable folder"
	realpath "$2"
}
