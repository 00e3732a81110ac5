#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# A virtual environment with every tool; needs python3 (with venv), g++, make, perl.
set -e
venv=$1
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r requirements.txt
touch "$venv/.done"
