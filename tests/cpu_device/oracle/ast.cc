/* Reads the tree that clang prints with -ast-dump=json.
 *
 * Clang leaves out of a place what is as it was in the place before, its file and its line; so the
 * tree is walked in the order in which it was printed, and every place in it is looked at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <string.h>

#include <set>
#include <utility>
#include <vector>

#include "tests/cpu_device/oracle/front_end.h"
#include "tests/cpu_device/oracle/kinds.h"

namespace oracle {
namespace {

std::string string_in(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

bool ends_with(const std::string &s, const std::string &end) {
    return s.size() >= end.size() && s.compare(s.size() - end.size(), std::string::npos, end) == 0;
}

class Ast {
  public:
    void read(const cJSON *document) {
        file_.clear();
        line_ = 0;
        walk(document, nullptr);
    }

    Facts facts() const {
        Facts facts;
        for (const Variable &v : variables_) {
            const std::string kind = (v.shared ? "shared " : "") + kind_of(v.type, names_);
            /* A template comes before what was made of it: the first is meant. */
            const bool constant = kind == "number" && v.type.compare(0, 6, "const ") == 0;
            facts.variables.emplace(v.place, Facts::Variable{v.name, kind, v.function, constant});
        }
        for (const auto &[place, id] : uses_) {
            const auto at = by_id_.find(id);
            if (at != by_id_.end()) facts.uses.emplace(place, variables_[at->second].place);
        }
        return facts;
    }

  private:
    struct Variable {
        std::string name, type;
        Place place, function;
        bool shared;
    };
    /* A declaration, statement or expression, as far as its fields were read. */
    struct Node {
        Node *parent = nullptr;
        std::string kind;
        Place place, begin;
        int variable = -1;     /* its number */
        std::string structure; /* its name */
        bool entered = false;
    };

    void walk(const cJSON *object, Node *parent) {
        Node node;
        node.parent = parent;
        node.kind = string_in(object, "kind");
        for (const cJSON *item = object->child; item; item = item->next) {
            const std::string key = item->string ? item->string : "";
            if (key == "loc") {
                node.place = place(item);
            } else if (key == "range") {
                node.begin = place(cJSON_GetObjectItemCaseSensitive(item, "begin"));
                place(cJSON_GetObjectItemCaseSensitive(item, "end"));
            } else if (key == "inner") {
                enter(object, &node);
                for (const cJSON *child = item->child; child; child = child->next)
                    walk(child, &node);
            } else {
                look_for_places(item);
            }
        }
        enter(object, &node);
    }

    /* The place that the object describes; of a macro's argument, where the program writes it; nowhere, if
   * the macro itself made what stands there. */
    Place place(const cJSON *object) {
        const cJSON *spelling = cJSON_GetObjectItemCaseSensitive(object, "spellingLoc");
        if (spelling) {
            const cJSON *expansion = cJSON_GetObjectItemCaseSensitive(object, "expansionLoc");
            const Place written = place(spelling);
            place(expansion);
            return cJSON_HasObjectItem(expansion, "isMacroArgExpansion") ? written : Place{};
        }
        if (!cJSON_GetObjectItemCaseSensitive(object, "offset")) return {};
        const std::string file = string_in(object, "file");
        if (!file.empty()) file_ = without_dot(file);
        const cJSON *line = cJSON_GetObjectItemCaseSensitive(object, "line");
        if (line) line_ = line->valueint;
        return {file_, line_, cJSON_GetObjectItemCaseSensitive(object, "col")->valueint};
    }

    void look_for_places(const cJSON *item) {
        if (cJSON_IsObject(item) &&
            (cJSON_HasObjectItem(item, "offset") || cJSON_HasObjectItem(item, "spellingLoc"))) {
            place(item);
        } else {
            for (const cJSON *child = item->child; child; child = child->next)
                look_for_places(child);
        }
    }

    void enter(const cJSON *object, Node *node) {
        if (std::exchange(node->entered, true)) return;
        const std::string &kind = node->kind, name = string_in(object, "name");
        if (kind == "VarDecl" || kind == "ParmVarDecl") variable(object, name, node);
        else if (kind == "AnnotateAttr" || kind == "CUDASharedAttr") shared(node->parent);
        else if (kind == "DeclRefExpr") use(object, *node);
        else if (kind == "TemplateTypeParmDecl") names_.template_types.insert(name);
        else if (kind == "CXXRecordDecl") structure(name, node);
        else if (kind == "FieldDecl") field(object, name, node->parent);
        else if (kind == "EnumDecl") enumeration(name);
        else if (kind == "TypedefDecl" || kind == "TypeAliasDecl") alias(object, name);
    }

    /* With aliases resolved, where clang did that. */
    static std::string type_of(const cJSON *object) {
        const cJSON *type = cJSON_GetObjectItemCaseSensitive(object, "type");
        const std::string desugared = string_in(type, "desugaredQualType");
        return desugared.empty() ? string_in(type, "qualType") : desugared;
    }

    void variable(const cJSON *object, const std::string &name, Node *node) {
        const Node *function = node->parent;
        while (function && function->kind != "FunctionDecl" && function->kind != "CXXMethodDecl")
            function = function->parent;
        if (!function || !node->place.line || name.empty()) return;
        node->variable = (int)variables_.size();
        by_id_[string_in(object, "id")] = variables_.size();
        variables_.push_back({name, type_of(object), node->place, function->place, false});
    }

    void shared(const Node *parent) {
        if (parent && parent->variable >= 0) variables_[(size_t)parent->variable].shared = true;
    }

    void use(const cJSON *object, const Node &node) {
        const cJSON *declaration = cJSON_GetObjectItemCaseSensitive(object, "referencedDecl");
        if (node.begin.line && declaration)
            uses_.emplace_back(node.begin, string_in(declaration, "id"));
    }

    /* A class's own name within it is declared too, and has no fields. */
    void structure(const std::string &name, Node *node) {
        node->structure = name.empty() ? kUnnamed : name;
        unnamed_is_structure_ = name.empty();
        if (name.empty()) names_.structures.erase(kUnnamed);
        names_.structures[node->structure];
    }

    void field(const cJSON *object, const std::string &name, const Node *parent) {
        if (parent && !parent->structure.empty() && !name.empty())
            names_.structures[parent->structure][name] = type_of(object);
    }

    void enumeration(const std::string &name) {
        unnamed_is_structure_ = false;
        if (!name.empty()) names_.enumerations.insert(name);
        unnamed_enumeration_ = name.empty();
    }

    /* `typedef struct { ... } Pair;` comes right behind the structure. */
    void alias(const cJSON *object, const std::string &name) {
        const std::string type = type_of(object);
        const bool own = type == name || type == "struct " + name || type == "enum " + name ||
                         ends_with(type, "::" + name);
        if (!own) names_.aliases[name] = type;
        else if (unnamed_is_structure_) names_.structures[name] = names_.structures[kUnnamed];
        else if (unnamed_enumeration_) names_.enumerations.insert(name);
        unnamed_is_structure_ = unnamed_enumeration_ = false;
    }

    const std::string kUnnamed = "(unnamed)";
    std::string file_;
    int line_ = 0;
    std::vector<Variable> variables_;
    std::map<std::string, size_t> by_id_;
    std::vector<std::pair<Place, std::string>> uses_;
    TypeNames names_;
    bool unnamed_is_structure_ = false, unnamed_enumeration_ = false;
};

} // namespace

Facts facts_of(const std::string &json) {
    Ast ast;
    const char *at = json.c_str(), *const end = at + json.size();
    while ((at = strchr(at, '{'))) {
        const char *behind = nullptr;
        cJSON *document = cJSON_ParseWithLengthOpts(at, (size_t)(end - at), &behind, false);
        if (!document) break;
        ast.read(document);
        cJSON_Delete(document);
        at = behind;
    }
    return ast.facts();
}

} // namespace oracle
