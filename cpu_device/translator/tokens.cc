/* Makes tokens of a preprocessed source.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/tokens.h"

#include <ctype.h>
#include <stdio.h>

#include <set>

namespace {

bool name_start(char c) { return c == '_' || c == '$' || isalpha((unsigned char)c) || c & 0x80; }
bool name_part(char c) { return name_start(c) || isdigit((unsigned char)c); }

/* The end of a string or character literal that begins at `at`, raw strings included. */
size_t literal_end(const std::string &s, size_t at, bool raw) {
    if (raw) {
        const size_t open = s.find('(', at);
        const std::string close = ")" + s.substr(at + 1, open - at - 1) + "\"";
        const size_t end = s.find(close, open);
        return end == std::string::npos ? s.size() : end + close.size();
    }
    const char quote = s[at++];
    while (at < s.size() && s[at] != quote && s[at] != '\n') at += s[at] == '\\' ? 2 : 1;
    return at < s.size() ? at + 1 : s.size();
}

/* Reads a line that begins with '#': a line marker changes where we are. */
size_t read_directive(Source *src, size_t at, int *file, int *line, bool *system) {
    size_t end = src->text.find('\n', at);
    if (end == std::string::npos) end = src->text.size();
    const std::string directive = src->text.substr(at, end - at);
    int number = 0, consumed = 0;
    if (sscanf(directive.c_str(), "# %d \"%n", &number, &consumed) == 1 && consumed) {
        const size_t close = directive.rfind('"');
        const std::string name = directive.substr((size_t)consumed, close - (size_t)consumed);
        *file = -1;
        for (size_t i = 0; i < src->files.size(); ++i)
            if (src->files[i] == name) *file = (int)i;
        if (*file < 0) {
            *file = (int)src->files.size();
            src->files.push_back(name);
        }
        *line = number - 1; /* the newline that follows counts */
        *system = directive.find(" 3", close) != std::string::npos;
    }
    return end;
}

/* A system header in which CUDA's keywords stand is translated as the program is. */
void find_foreign(Source *src) {
    static const std::set<std::string> keywords = {"__global__",   "__device__", "__host__",
                                                   "__constant__", "__shared__", "__managed__"};
    for (const Token &t : src->tokens)
        if (t.system && t.kind == kName && src->text.compare(t.begin, 2, "__") == 0 &&
            !src->foreign.count(t.file) &&
            keywords.count(src->text.substr(t.begin, t.end - t.begin)))
            src->foreign.insert(t.file);
    if (src->foreign.empty()) return;
    for (Token &t : src->tokens)
        if (src->foreign.count(t.file) && t.kind != kEnd) t.system = false;
}

/* All kinds of bracket count alike: what does not match is reported elsewhere. */
void pair_brackets(Source *src) {
    src->pairs.assign(src->tokens.size(), 0);
    std::vector<size_t> open;
    for (size_t i = 0; i < src->tokens.size(); ++i) {
        const char c = src->tokens[i].kind == kPunct ? src->text[src->tokens[i].begin] : 0;
        if (c == '(' || c == '[' || c == '{') {
            src->pairs[i] = src->tokens.size() - 1;
            open.push_back(i);
        } else if ((c == ')' || c == ']' || c == '}') && !open.empty()) {
            src->pairs[i] = open.back();
            src->pairs[open.back()] = i;
            open.pop_back();
        }
    }
}

} // namespace

void tokenize(Source *src) {
    const std::string &s = src->text;
    int file = 0, line = 1;
    bool system = false, line_start = true;
    src->files.push_back("");
    for (size_t i = 0; i < s.size();) {
        const char c = s[i];
        if (c == '\n') {
            ++line;
            ++i;
            line_start = true;
            continue;
        }
        if (isspace((unsigned char)c)) {
            ++i;
            continue;
        }
        if (c == '#' && line_start) {
            i = read_directive(src, i, &file, &line, &system);
            continue;
        }
        line_start = false;
        const int first_line = line;
        size_t end = i + 1;
        Kind kind = kPunct;
        if (name_start(c)) {
            while (end < s.size() && name_part(s[end])) ++end;
            kind = kName;
            if (end < s.size() && (s[end] == '"' || s[end] == '\'')) {
                const std::string prefix = s.substr(i, end - i);
                const bool raw = prefix.back() == 'R' && s[end] == '"';
                static const std::set<std::string> prefixes = {"L",  "u",  "U",  "u8", "R",
                                                               "LR", "uR", "UR", "u8R"};
                if (prefixes.count(prefix)) {
                    end = literal_end(s, end, raw);
                    kind = kText;
                }
            }
        } else if (isdigit((unsigned char)c) ||
                   (c == '.' && end < s.size() && isdigit((unsigned char)s[end]))) {
            while (end < s.size() &&
                   (name_part(s[end]) || s[end] == '.' ||
                    (s[end] == '\'' && name_part(s[end + 1])) ||
                    ((s[end] == '+' || s[end] == '-') && strchr("eEpP", s[end - 1]))))
                ++end;
            kind = kNumber;
        } else if (c == '"' || c == '\'') {
            end = literal_end(s, i, false);
            kind = kText;
        } else if (s.compare(i, 2, "::") == 0 || s.compare(i, 2, "->") == 0) {
            end = i + 2;
        }
        for (size_t j = i; j < end; ++j) line += s[j] == '\n';
        src->tokens.push_back({kind, i, end, file, first_line, system});
        i = end;
    }
    src->tokens.push_back({kEnd, s.size(), s.size(), file, line, true});
    find_foreign(src);
    pair_brackets(src);
}
