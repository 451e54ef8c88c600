#compdef uncorestat
# SPDX-License-Identifier: GPL-2.0-only
# Completion of uncorestat for zsh: groups and metrics are asked of the program itself.

_uncorestat_groups()
{
	_values -s , group ${(f)"$(uncorestat --list | LC_ALL=C sed -n 's/^  \([a-z]*\): .* A line for each .*/\1/p')"}
}

_uncorestat_metrics()
{
	_values -s , metric ${(f)"$(uncorestat --list | LC_ALL=C sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\{0,1\}$/\1/p')"}
}

_uncorestat_pmus()
{
	compadd -S / -- /sys/bus/event_source/devices/*uncore*(N:t)
}

_arguments -S \
	'(-i --interval)'{-i+,--interval=}'[time between two lines]:seconds' \
	'(-n --count)'{-n+,--count=}'[end after so many]:number' \
	'*'{-g+,--group=}'[groups of metrics]:group:_uncorestat_groups' \
	'*'{-m+,--metric=}'[metrics]:metric:_uncorestat_metrics' \
	'--per=[a line for each]:what:_values -s , what system socket box resctrl' \
	'--list[explain groups and metrics]' \
	'--why=[why the driver refuses an event]:event:_uncorestat_pmus' \
	'--live[a picture in the terminal]' \
	'(--json)--csv[for programs]' \
	'(--csv)--json[for programs]' \
	'--prometheus=[rewrite a file after each interval]:file:_files' \
	'--listen=[an endpoint for Prometheus]:address and port' \
	'--control=[count between enable and disable]:fifo' \
	'--summary[minimum, mean, maximum and 99 % at the end]' \
	'--svg=[plot the run into a file]:file:_files' \
	'--record=[write the run]:file:_files' \
	'--replay=[the other outputs of a recording]:file:_files' \
	'--diff=[how a second recording differs]:file:_files' \
	'(-o --output)'{-o+,--output=}'[write lines to a file]:file:_files' \
	'(-h --help)'{-h,--help}'[help]' \
	'(-V --version)'{-V,--version}'[version]' \
	'*:: :_normal'
