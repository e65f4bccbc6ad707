#include "check.hpp"

int main() {
    for (const auto& [name, body] : check::cases()) {
        const int before = check::failures();
        body();
        std::printf("%s %s\n", check::failures() == before ? "ok  " : "FAIL", name.c_str());
    }
    const auto total = static_cast<int>(check::cases().size());
    std::printf("%d cases, %d failed checks\n", total, check::failures());
    return check::failures() ? 1 : 0;
}
