# SPDX-License-Identifier: Apache-2.0
sh_binary = native.sh_binary
