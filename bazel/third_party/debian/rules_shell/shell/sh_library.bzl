# SPDX-License-Identifier: Apache-2.0
sh_library = native.sh_library
