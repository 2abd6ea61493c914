/* See arch.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/arch.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace {

/* A function that is declared __device__ or __global__, and defined. */
struct Piece {
    size_t first;                /* its declaration's first token */
    size_t open, close;          /* { and } */
    bool kernel, host, constant; /* constexpr */
    std::string key;
};

class Reading : public Tokens {
  public:
    explicit Reading(const Source &source) : Tokens(source) {
        std::map<std::string, int> met;
        for (size_t i = 0; i + 1 < t_.size(); ++i) {
            Piece p = {};
            if (t_[i].system || !(is(i, "__device__") || is(i, "__global__")) || !read(i, &p))
                continue;
            p.key += " #" + std::to_string(met[p.key]++);
            pieces_.push_back(p);
            i = p.close;
        }
    }

    const std::vector<Piece> &pieces() const { return pieces_; }
    const Token &token(size_t i) const { return t_[i]; }
    size_t count() const { return t_.size(); }

    /* Tokens [first, last] as they stand. */
    std::string original(size_t first, size_t last) const {
        return src_.text.substr(t_[first].begin, t_[last].end - t_[first].begin);
    }
    std::string words(size_t first, size_t last) const {
        std::string s;
        for (size_t i = first; i <= last; ++i) s += text(i) + " ";
        return s;
    }
    /* Makes the compiler count from where token i stands. */
    std::string marker(size_t i) const {
        return "\n# " + std::to_string(t_[i].line) + " \"" + file(i) + "\"\n";
    }

  private:
    bool read(size_t keyword, Piece *p) const {
        p->first = keyword;
        while (p->first > 0 && !begins_after(p->first - 1)) --p->first;
        bool parameters = false;
        size_t i = p->first;
        for (; i + 1 < t_.size(); ++i) {
            const char c = punct(i);
            if (is(i, "__global__")) p->kernel = true;
            if (is(i, "__host__")) p->host = true;
            if (is(i, "constexpr")) p->constant = true;
            if (c == '(') {
                static const std::set<std::string> attributes = {
                    "__attribute__", "__launch_bounds__", "alignas", "__align__", "decltype"};
                parameters = parameters || !attributes.count(text(i - 1));
                i = closing(i);
            } else if (c == '<' && !parameters && closing_angle(i)) {
                i = closing_angle(i);
            } else if (c == '{') {
                break;
            } else if (c == ';' || c == '}' || (c == '=' && !is(i - 1, "operator"))) {
                return false;
            }
        }
        if (!parameters || i + 1 >= t_.size()) return false;
        p->open = i;
        p->close = closing(i);
        p->key = file(p->first) + ": ";
        for (size_t j = p->first; j < p->open; ++j) {
            if (is(j, "__launch_bounds__"))
                j = closing(j + 1); /* often another number for the device */
            else p->key += text(j) + " ";
        }
        return true;
    }

    /* A declaration may begin after token i. */
    bool begins_after(size_t i) const {
        const char c = punct(i);
        return c == ';' || c == '{' || c == '}' ||
               (c == ':' && i > 0 &&
                (is(i - 1, "public") || is(i - 1, "private") || is(i - 1, "protected")));
    }

    std::vector<Piece> pieces_;
};

struct Change {
    size_t begin, end; /* in the host's text */
    std::string text;
};

/* Where a function that stands at token i of the device's reading belongs in the host's. */
size_t place_for(const Reading &host, const Reading &device, size_t i) {
    size_t after_file = 0;
    for (size_t j = 0; j + 1 < host.count(); ++j) {
        if (host.file(j) != device.file(i)) continue;
        if (host.token(j).line >= device.token(i).line) return j;
        after_file = j + 1;
    }
    return after_file;
}

std::string both_bodies(const Reading &host, const Piece &h, const Reading &device,
                        const Piece &d) {
    return "{ if (::cpu_device::on_device())" + device.marker(d.open) +
           device.original(d.open, d.close) + host.marker(h.open) + "else " +
           host.original(h.open, h.close) + "}";
}

} // namespace

bool mentions_arch(const Source &source) {
    std::set<int> files;
    for (const Token &t : source.tokens)
        if (!t.system) files.insert(t.file);
    return std::any_of(files.begin(), files.end(), [&](int file) {
        std::ifstream in(source.files[(size_t)file]);
        std::stringstream text;
        text << in.rdbuf();
        return text.str().find("__CUDA_ARCH__") != std::string::npos;
    });
}

std::string merged_readings(const Source &host_source, const Source &device_source) {
    const Reading host(host_source), device(device_source);
    std::map<std::string, const Piece *> in_host, in_device;
    for (const Piece &p : host.pieces()) in_host[p.key] = &p;
    for (const Piece &p : device.pieces()) in_device[p.key] = &p;
    std::vector<Change> changes;
    for (const Piece &h : host.pieces()) {
        auto at = in_device.find(h.key);
        const size_t begin = host.token(h.first).begin, open = host.token(h.open).begin;
        const size_t end = host.token(h.close).end;
        if (at == in_device.end()) {
            if (!h.kernel && !h.host) changes.push_back({begin, end, host.marker(h.close)});
            continue;
        }
        const Piece &d = *at->second;
        if (h.constant || host.words(h.open, h.close) == device.words(d.open, d.close)) continue;
        changes.push_back({open, end,
                           (h.host ? both_bodies(host, h, device, d)
                                   : device.marker(d.open) + device.original(d.open, d.close)) +
                               host.marker(h.close)});
    }
    for (const Piece &d : device.pieces()) {
        if (in_host.count(d.key)) continue;
        const size_t at = place_for(host, device, d.first);
        const size_t begin = host.token(at).begin;
        changes.push_back(
            {begin, begin,
             device.marker(d.first) + device.original(d.first, d.close) + host.marker(at)});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change &a, const Change &b) { return a.begin < b.begin; });
    std::string out;
    size_t at = 0;
    for (const Change &c : changes) {
        if (c.begin < at) continue; /* within a function that was replaced */
        out.append(host_source.text, at, c.begin - at);
        out += c.text;
        at = c.end;
    }
    return out.append(host_source.text, at, std::string::npos);
}
