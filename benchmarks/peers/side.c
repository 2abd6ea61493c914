/* SPDX-License-Identifier: Apache-2.0 */
#include "benchmarks/peers/side.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LACKS_CASE = 4, FEWEST_SAMPLES = 2, MAX_SAMPLES = 1000, LONG_MS = 500 };

typedef struct Wish {
    PeerCaseId id;
    bool small;
    int samples;
    double budget_ms; /* no further sample once so much time went by */
} Wish;

static double clock_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* The most memory that this process has held. Not getrusage's figure: that one remembers the
 * process which started this one. */
static double peak_bytes(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    double kib = 0;
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %lf", &kib) == 1) break;
    if (status != NULL) fclose(status);
    return kib * 1024;
}

/* The program's own arrays: the host's inputs and result, and the side's. */
static double array_bytes(const Problem *p, bool shared) {
    size_t inputs = 0, scratch = 0;
    for (int i = 0; i < PEER_INPUTS; ++i) inputs += p->in_bytes[i];
    for (int i = 0; i < PEER_SCRATCHES; ++i) scratch += p->scratch_bytes[i];
    return (double)((shared ? 1 : 2) * inputs + 2 * p->out_bytes + scratch);
}

static void print_cases(void) {
    for (int i = 0; i < PEER_CASES; ++i)
        printf("%s\t%d\t%zu\t%zu\t%s\n", PEER_CASE[i].name, PEER_CASE[i].barriers, PEER_CASE[i].n,
               PEER_CASE[i].small_n, PEER_CASE[i].about);
}

/* 0: go on; else the exit status plus 1 */
static int parse(int argc, char **argv, Wish *wish) {
    static const struct option OPTIONS[] = {
        {"case", required_argument, NULL, 'c'},    {"small", no_argument, NULL, 's'},
        {"samples", required_argument, NULL, 'k'}, {"budget-ms", required_argument, NULL, 'b'},
        {"list", no_argument, NULL, 'l'},          {NULL, 0, NULL, 0},
    };
    for (int option; (option = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        if (option == 'c') wish->id = peer_case_named(optarg);
        if (option == 's') wish->small = true;
        if (option == 'k') wish->samples = atoi(optarg);
        if (option == 'b') wish->budget_ms = atof(optarg);
        if (option == 'l') {
            print_cases();
            return 1;
        }
        if (option == '?') return 3;
    }
    if (wish->id != PEER_CASES && wish->samples >= 1 && wish->samples <= MAX_SAMPLES) return 0;
    fprintf(stderr, "%s --case NAME [--small] [--samples 1 to %d] [--budget-ms MS], or --list\n",
            argv[0], MAX_SAMPLES);
    return 3;
}

/* Times of `run`: the first one by itself, one more dropped unless it takes long, then the
 * samples. */
static bool sample(const Side *side, const Problem *p, const Wish *wish, cJSON *record) {
    double begin = clock_ms();
    if (!side->run(p)) return false;
    const double first_ms = clock_ms() - begin;
    cJSON_AddNumberToObject(record, "first_ms", first_ms);
    if (first_ms < LONG_MS && !side->run(p)) return false;
    cJSON *samples = cJSON_AddArrayToObject(record, "samples_ms");
    const double start = clock_ms();
    for (int k = 0; k < wish->samples; ++k) {
        if (k >= FEWEST_SAMPLES && clock_ms() - start >= wish->budget_ms) break;
        begin = clock_ms();
        if (!side->run(p)) return false;
        cJSON_AddItemToArray(samples, cJSON_CreateNumber(clock_ms() - begin));
    }
    return true;
}

/* Into a poisoned output, once more. */
static bool check(const Side *side, const Problem *p, cJSON *record) {
    void *out = malloc(p->out_bytes);
    if (out == NULL) return false;
    memset(out, 0xFF, p->out_bytes);
    bool right = side->poison(p) && side->run(p) && side->fetch(p, out);
    cJSON_AddNumberToObject(record, "peak_bytes", peak_bytes()); /* before the reference's */
    char message[256] = "it failed";
    right = right && problem_check(p, out, message, sizeof message);
    if (!right) fprintf(stderr, "%s, %s: WRONG: %s\n", side->name, PEER_CASE[p->id].name, message);
    cJSON_AddBoolToObject(record, "right", right);
    free(out);
    return right;
}

int side_main(int argc, char **argv, const Side *side) {
    Wish wish = {PEER_CASES, false, 5, 400};
    const int status = parse(argc, argv, &wish);
    if (status != 0) return status - 1;
    const PeerCase *c = &PEER_CASE[wish.id];
    const char *lacks = side->lacks != NULL ? side->lacks(wish.id) : NULL;
    if (lacks != NULL) {
        printf("%s\n", lacks);
        return LACKS_CASE;
    }
    Problem p;
    if (!problem_make(wish.id, wish.small ? c->small_n : c->n, &p)) {
        fprintf(stderr, "%s: not enough memory for the inputs of %s\n", side->name, c->name);
        return 1;
    }
    cJSON *record = cJSON_CreateObject();
    cJSON_AddStringToObject(record, "side", side->name);
    cJSON_AddStringToObject(record, "case", c->name);
    cJSON_AddNumberToObject(record, "n", (double)p.n);
    bool good = side->open(&p);
    if (good) {
        cJSON_AddStringToObject(record, "device", side->describe());
        if (side->compiler != NULL) cJSON_AddStringToObject(record, "compiler", side->compiler);
        if (side->build_ms != NULL) cJSON_AddNumberToObject(record, "build_ms", side->build_ms());
        cJSON_AddNumberToObject(record, "array_bytes", array_bytes(&p, side->shares_inputs));
    }
    good = good && sample(side, &p, &wish, record) && check(side, &p, record);
    char *text = cJSON_PrintUnformatted(record);
    if (good && text != NULL) printf("%s\n", text);
    cJSON_free(text);
    cJSON_Delete(record);
    problem_free(&p);
    return good ? 0 : 1;
}
