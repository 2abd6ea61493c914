/* A preprocessed source as tokens, and questions about them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_TOKENS_H
#define CPU_DEVICE_TRANSLATOR_TOKENS_H

#include <stddef.h>
#include <string.h>

#include <set>
#include <string>
#include <vector>

enum Kind { kName, kNumber, kText, kPunct, kEnd };

struct Token {
    Kind kind;
    size_t begin, end; /* in the preprocessed text */
    int file;          /* index into Source::files */
    int line;
    bool system; /* in a system header without CUDA's keywords: left alone */
};

struct Source {
    std::string text;
    std::vector<Token> tokens;
    std::vector<size_t>
        pairs; /* by token: the other bracket of a pair; see Tokens::closing, opening */
    std::vector<std::string> files;
    std::set<int> foreign; /* system headers with CUDA's keywords in them, as some have where
                                  they see __CUDACC__: translated, and nothing is said of them */
};

/* Text that takes the place of source text [begin, end); begin == end: goes in before it. */
struct Edit {
    size_t begin, end;
    std::string with;
};

/* Fills in the rest of *src from src->text; the last token is a kEnd. */
void tokenize(Source *src);

/* Tokens by their number. Where nothing is found, the answer is said at each function. */
class Tokens {
  public:
    explicit Tokens(const Source &src) : src_(src), t_(src.tokens) {}

    bool is(size_t i, const char *text) const {
        const size_t n = strlen(text);
        return t_[i].end - t_[i].begin == n && src_.text.compare(t_[i].begin, n, text) == 0;
    }
    std::string text(size_t i) const {
        return src_.text.substr(t_[i].begin, t_[i].end - t_[i].begin);
    }
    /* Tokens [first, last] as one line. */
    std::string text(size_t first, size_t last) const {
        std::string s = src_.text.substr(t_[first].begin, t_[last].end - t_[first].begin);
        for (char &c : s)
            if (c == '\n') c = ' ';
        return s;
    }
    bool touch(size_t i) const { return t_[i].end == t_[i + 1].begin; }
    /* The first character of punctuation, 0 for other tokens. */
    char punct(size_t i) const { return t_[i].kind == kPunct ? src_.text[t_[i].begin] : 0; }

    /* The token that closes the bracket at `i`; the last token if none does. Where no bracket opens at
   * i, the first that opens behind it is meant. */
    size_t closing(size_t i) const {
        for (; i + 1 < t_.size(); ++i) {
            const char c = punct(i);
            if (c == '(' || c == '[' || c == '{') return src_.pairs[i];
        }
        return t_.size() - 1;
    }
    /* The token that opens the bracket that closes at `i`; 0 if none does. Where no bracket closes at
   * i, the first that closes before it is meant. */
    size_t opening(size_t i) const {
        for (;; --i) {
            const char c = punct(i);
            if (c == ')' || c == ']' || c == '}') return src_.pairs[i];
            if (i == 0) return 0;
        }
    }
    /* From the > of template arguments back to their <; 0: there is none. */
    size_t opening_angle(size_t i) const {
        int depth = 0;
        for (;; --i) {
            const char c = punct(i);
            if (c == ')' || c == ']') i = opening(i);
            else if (c == '<' && i > 0 && punct(i - 1) == '<' && touch(i - 1)) --i; /* a shift */
            else if (c == '>') ++depth;
            else if (c == '<' && --depth == 0) return i;
            else if (c == ';' || c == '{' || c == '}') return 0;
            if (i == 0) return 0;
        }
    }
    /* From the < of template arguments to their >; 0: it was a comparison. */
    size_t closing_angle(size_t i) const {
        int depth = 0;
        for (; i + 1 < t_.size(); ++i) {
            const char c = punct(i);
            if (c == '(' || c == '[') i = closing(i);
            else if (c == '<' && depth && punct(i + 1) == '<' && touch(i)) ++i; /* a shift */
            else if (c == '<') ++depth;
            else if (c == '>' && --depth == 0) return i;
            else if (c == ';' || c == '{' || c == '}') return 0;
        }
        return 0;
    }

    /* One of tokens [first, last) is `text`. */
    bool has(size_t first, size_t last, const char *text) const {
        for (size_t i = first; i < last; ++i)
            if (is(i, text)) return true;
        return false;
    }

    /* i: `template`; the token after its <...>. Else i. */
    size_t after_template(size_t i) const {
        while (is(i, "template") && punct(i + 1) == '<') {
            const size_t close = closing_angle(i + 1);
            if (!close) return i + 1;
            i = close + 1;
        }
        return is(i, "template") ? i + 1 : i;
    }

    /* How many expressions, or declarations, stand between two brackets; commas in <...> are of
   * template arguments. */
    size_t count_between(size_t open, size_t close) const {
        size_t n = close > open + 1;
        for (size_t i = open + 1; i < close; ++i) {
            const char c = punct(i);
            if (c == '(' || c == '[' || c == '{') i = closing(i);
            if (c == '<' && closing_angle(i) && closing_angle(i) < close) i = closing_angle(i);
            n += c == ',';
        }
        return n;
    }

    /* Before the { at `open` stands `struct name : base` or the like, and no function's parameters. */
    bool opens_class(size_t open) const {
        bool found = false;
        for (size_t j = open; j-- > 0 && !strchr(";{}", punct(j) ? punct(j) : ' ');) {
            if (punct(j) == ')') {
                j = opening(j);
                if (!is(j - 1, "alignas") && !is(j - 1, "__align__") && !is(j - 1, "__attribute__"))
                    return false;
            }
            found = found || is(j, "class") || is(j, "struct") || is(j, "union");
        }
        return found;
    }

    const std::string &file(size_t i) const { return src_.files[(size_t)t_[i].file]; }

  protected:
    const Source &src_;
    const std::vector<Token> &t_;
};

#endif
