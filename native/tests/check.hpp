// A unit-test harness of thirty lines: enough for an engine, nothing to install.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace check {

inline std::vector<std::pair<std::string, std::function<void()>>>& cases() {
    static std::vector<std::pair<std::string, std::function<void()>>> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

inline void that(bool condition, const char* text, const char* file, int line) {
    if (condition) return;
    ++failures();
    std::printf("  %s:%d: failed: %s\n", file, line, text);
}

struct Register {
    Register(const char* name, std::function<void()> body) {
        cases().emplace_back(name, std::move(body));
    }
};

inline bool close(double a, double b, double tolerance = 1e-12) {
    return std::abs(a - b) <= tolerance * (1.0 + std::abs(b));
}

template <class Error, class Body>
bool throws(Body&& body) {
    try {
        body();
    } catch (const Error&) {
        return true;
    }
    return false;
}

}  // namespace check

#define CHECK(condition) ::check::that((condition), #condition, __FILE__, __LINE__)
#define TEST_CASE(name)                                          \
    static void name();                                          \
    static const ::check::Register register_##name(#name, name); \
    static void name()
