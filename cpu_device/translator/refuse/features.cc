/* The features that the CPU device lacks, by the names that programs use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/refuse/features.h"

#include <ctype.h>

#include <map>

namespace {

const std::map<std::string, std::string> kFeatures = {
    {"texture", "texture references"},
    {"cudaTextureObject_t", "textures"},
    {"cudaCreateTextureObject", "textures"},
    {"cudaBindTexture", "textures"},
    {"cudaBindTexture2D", "textures"},
    {"cudaBindTextureToArray", "textures"},
    {"tex1D", "textures"},
    {"tex1Dfetch", "textures"},
    {"tex2D", "textures"},
    {"tex3D", "textures"},
    {"cudaSurfaceObject_t", "surfaces"},
    {"cudaCreateSurfaceObject", "surfaces"},
    {"surf2Dread", "surfaces"},
    {"surf2Dwrite", "surfaces"},
    {"cudaMallocArray", "CUDA arrays"},
    {"cudaMalloc3DArray", "CUDA arrays"},
    {"cudaMemcpyToArray", "CUDA arrays"},
    {"cudaGraphicsMapResources", "graphics interoperation"},
    {"cudaGraphicsGLRegisterBuffer", "graphics interoperation"},
    {"cudaIpcGetMemHandle", "memory shared between processes"},
    {"surface", "surface references"},
    {"CUcontext", "driver API calls"},
    {"CUmodule", "driver API calls"},
    {"CUfunction", "driver API calls"},
    {"wmma", "tensor cores (wmma)"}};

/* cuInit and its kin; cuCadd and other functions of complex numbers are not. */
bool driver_call(const std::string &name) {
    return name.size() > 3 && name.compare(0, 2, "cu") == 0 && isupper((unsigned char)name[2]) &&
           (name[2] != 'C' || name.compare(0, 5, "cuCtx") == 0);
}

} // namespace

bool Features::lacks(size_t i) {
    const std::string lacking = feature(i);
    if (lacking.empty()) return false;
    if (!named_)
        fail(
            i,
            lacking +
                " are not supported on the CPU device: see docs/cpu_device.md, \"What is supported\"");
    named_ = true;
    return true;
}

/* Empty: the name is another one's. */
std::string Features::feature(size_t i) const {
    const std::string name = text(i);
    if (i && (punct(i - 1) == '.' || is(i - 1, "->"))) return "";
    if ((name == "texture" || name == "surface") && punct(i + 1) != '<') return "";
    if (name == "wmma" && !is(i + 1, "::")) return "";
    if (driver_call(name) && punct(i + 1) == '(' && !names_.is_function(name))
        return "driver API calls (" + name + ")";
    auto at = kFeatures.find(name);
    return at == kFeatures.end() ? "" : at->second;
}
