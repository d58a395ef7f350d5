#!/bin/sh
# The steps of the container image, for the Dockerfile and for `make image-test`, which runs them without a container engine.
#   image.sh build SOURCE EXTRAS   compile Pagedrift into /opt/pagedrift
#   image.sh runtime               what it needs to run, and a user without rights
#   image.sh packages NAME…        more packages of Debian
#   image.sh health                is it ready? for HEALTHCHECK
set -eu

install_packages() {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "$@" >/dev/null
    rm -rf /var/lib/apt/lists/*
}

case "$1" in
build)
    install_packages gcc libc6-dev python3-dev python3-venv ca-certificates
    python3 -m venv /opt/pagedrift
    /opt/pagedrift/bin/pip install --quiet --no-cache-dir --disable-pip-version-check "$2${3:+[$3]}"
    /opt/pagedrift/bin/python -W error -c 'import pagedrift._kernels' # fails where the kernels were not compiled
    ;;
runtime)
    install_packages python3 ca-certificates tini
    groupadd --gid 10001 pagedrift
    useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin pagedrift
    install -d -m 0700 -o pagedrift -g pagedrift /data
    ;;
packages)
    shift
    install_packages "$@"
    ;;
health)
    exec /opt/pagedrift/bin/python -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=5)' \
        "http://127.0.0.1:${PAGEDRIFT_PORT:-8710}/health"
    ;;
*)
    echo "image.sh knows build, runtime, packages and health, and no $1" >&2
    exit 2
    ;;
esac
