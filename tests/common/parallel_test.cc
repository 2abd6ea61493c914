// SPDX-License-Identifier: Apache-2.0
// The thread pool: every index once, from any thread, nested, after release.
#include "common/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

struct Marks {
    explicit Marks(size_t n) : seen(n) {}
    std::vector<std::atomic<int>> seen;
    std::atomic<size_t> pieces{0};
    size_t grain = 1;
    bool aligned = true;

    static void body(void *context, size_t begin, size_t end) {
        Marks *marks = static_cast<Marks *>(context);
        ++marks->pieces;
        if (begin % marks->grain != 0) marks->aligned = false;
        for (size_t i = begin; i < end; ++i) ++marks->seen[i];
    }
    bool all_once() const {
        for (const auto &mark : seen) {
            if (mark != 1) return false;
        }
        return true;
    }
};

TEST(ParallelFor, TouchesEveryIndexOnce) {
    for (size_t n : {0, 1, 2, 7, 64, 65, 1000, 100003}) {
        for (size_t grain : {0, 1, 16, 1000, 1000000}) {
            Marks marks(n);
            marks.grain = grain == 0 ? 1 : grain;
            parallel_for(n, grain, Marks::body, &marks);
            ASSERT_TRUE(marks.all_once()) << n << " " << grain;
            ASSERT_TRUE(marks.aligned);
            ASSERT_LE(marks.pieces, n / marks.grain + 1);
        }
    }
}

struct Workers {
    std::vector<std::atomic<int>> calls = std::vector<std::atomic<int>>(256);
    std::atomic<size_t> workers{0};
    static void body(void *context, size_t worker, size_t workers) {
        Workers *self = static_cast<Workers *>(context);
        self->workers = workers;
        ++self->calls[worker];
    }
};

TEST(ParallelRun, CallsEachWorkerOnce) {
    ASSERT_GE(parallel_threads(), 1u);
    for (int turn = 0; turn < 200; ++turn) {
        Workers all;
        parallel_run(turn % 3, Workers::body, &all); // 0: no limit
        ASSERT_GE(all.workers, 1u);
        ASSERT_LE(all.workers, parallel_threads());
        if (turn % 3 != 0) {
            ASSERT_LE(all.workers, static_cast<size_t>(turn % 3));
        }
        for (size_t i = 0; i < all.calls.size(); ++i) {
            ASSERT_EQ(i < all.workers ? 1 : 0, all.calls[i]);
        }
    }
}

TEST(ParallelRun, UsesMoreThanOneCoreIfThereIsOne) {
    Workers all;
    parallel_run(0, Workers::body, &all);
    EXPECT_EQ(parallel_threads(), all.workers);
}

TEST(ParallelFor, NestedCallsRunOnTheCallingThread) {
    struct Nested {
        static void body(void *context, size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                Marks inner(100);
                parallel_for(100, 1, Marks::body, &inner);
                *static_cast<std::atomic<int> *>(context) += inner.all_once();
            }
        }
    };
    std::atomic<int> good{0};
    parallel_for(50, 1, Nested::body, &good);
    EXPECT_EQ(50, good);
}

TEST(ParallelFor, SeveralThreadsAtTheSameTime) {
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&good] {
            for (int turn = 0; turn < 100; ++turn) {
                Marks marks(1000);
                parallel_for(1000, 1, Marks::body, &marks);
                good += marks.all_once();
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(400, good);
}

} // namespace
