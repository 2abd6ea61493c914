# SPDX-License-Identifier: Apache-2.0
cc_library = native.cc_library
