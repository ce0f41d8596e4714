#!/bin/sh
# FERRY_DOCK_TIMEOUT comes from ferry.conf
set -a
. ./deploy/ferry.conf
exec python3 -m ferry.main "$@"
