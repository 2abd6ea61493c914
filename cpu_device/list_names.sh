#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes what names_begin.h and names_end.h include: sh list_names.sh HIDDEN BACK HEADERS...
#
# Each name in the headers' text is listed, but what no program's macro is called (reserved names, and
# long ones in capitals), what the headers themselves define, or ask for, as a macro, and macros of the
# standard's that they use. A macro that a header takes away again (#undef) is listed: a program's own
# of that name must come back.
set -e
export LC_ALL=C
hidden=$1 back=$2
shift 2

kept=$(
    cat "$@" | sed -n 's/^ *# *define *\([A-Za-z0-9_]*\).*/\1/p' | sort -u > "$hidden.defined"
    cat "$@" | sed -n 's/^ *# *undef *\([A-Za-z0-9_]*\).*/\1/p' | sort -u > "$hidden.undefined"
    comm -23 "$hidden.defined" "$hidden.undefined"
    cat "$@" | sed -n 's/^ *# *\(if\|ifdef\|ifndef\|elif\) //p' | sed 's/"[^"]*"//g' | tr -cs 'A-Za-z0-9_' '\n'
    # Of the standard's, and words that are operators of C++.
    printf '%s\n' NULL assert bool defined errno false fpclassify isfinite isinf isnan isnormal offsetof signbit \
        static_assert stderr stdin stdout true va_arg va_end va_list va_start \
        and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq
)
{
    cat "$@" | tr -cs 'A-Za-z0-9_' '\n' | grep '^[A-Za-z]' | grep -v '^[A-Z0-9_][A-Z0-9_][A-Z0-9_]*$' || true
    cat "$@" | tr -cs 'A-Za-z0-9_' '\n' | grep '^[A-Z][A-Z0-9]$' || true
    cat "$hidden.undefined"
} | sort -u | grep -v '^CPU_DEVICE_' > "$hidden.names"
rm -f "$hidden.defined" "$hidden.undefined"
printf '%s\n' $kept | sort -u | comm -13 - "$hidden.names" > "$hidden.listed"
sed 's/.*/#pragma push_macro("&")\n#undef &/' "$hidden.listed" > "$hidden"
sed 's/.*/#pragma pop_macro("&")/' "$hidden.listed" > "$back"
rm -f "$hidden.names" "$hidden.listed"
