# SPDX-License-Identifier: Apache-2.0
"""Names the builtins under other names, so that the public files can re-export them.

`CcInfo = CcInfo` in one file is an error in Starlark (the left side shadows the builtin).
"""
NativeCcInfo = CcInfo
native_cc_common = cc_common
