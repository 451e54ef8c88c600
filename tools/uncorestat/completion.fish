# SPDX-License-Identifier: GPL-2.0-only
# Completion of uncorestat for fish: groups and metrics are asked of the program itself.

function __uncorestat_list
    set -l before (string match -r '.*,' -- (commandline -ct))
    uncorestat --list | string replace -rf $argv[1] "$before"'$1'
end

complete -c uncorestat -f
complete -c uncorestat -s i -l interval -x -d 'Seconds between two lines'
complete -c uncorestat -s n -l count -x -d 'End after so many'
complete -c uncorestat -s g -l group -x -a "(__uncorestat_list '^  ([a-z]+): .* A line for each .*')" -d 'Groups'
complete -c uncorestat -s m -l metric -x -a "(__uncorestat_list '^([a-z][a-z0-9_]*)(?: \([^)]*\))?\$')" -d 'Metrics'
complete -c uncorestat -l per -x -a 'system socket box resctrl' -d 'A line for each'
complete -c uncorestat -l list -d 'Explain groups and metrics'
complete -c uncorestat -l why -x -a "(path basename /sys/bus/event_source/devices/*uncore*)/" -d 'Why the driver refuses an event'
complete -c uncorestat -l live -d 'A picture in the terminal'
complete -c uncorestat -l csv -d 'For programs'
complete -c uncorestat -l json -d 'For programs'
complete -c uncorestat -l prometheus -r -F -d 'Rewrite a file after each interval'
complete -c uncorestat -l listen -x -d 'An endpoint for Prometheus'
complete -c uncorestat -l control -x -d 'Count between enable and disable'
complete -c uncorestat -l summary -d 'Minimum, mean, maximum and 99 % at the end'
complete -c uncorestat -l svg -r -F -d 'Plot the run into a file'
complete -c uncorestat -l record -r -F -d 'Write the run'
complete -c uncorestat -l replay -r -F -d 'The other outputs of a recording'
complete -c uncorestat -l diff -r -F -d 'How a second recording differs'
complete -c uncorestat -s o -l output -r -F -d 'Write lines to a file'
complete -c uncorestat -s h -l help -d 'Help'
complete -c uncorestat -s V -l version -d 'Version'
