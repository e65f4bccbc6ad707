#include "frame.hpp"

#include <algorithm>
#include <array>

namespace coterie {
namespace {

constexpr std::size_t kGroupCells = 64 * 1024;  // of the columns that are filled together
constexpr std::size_t kWorthTeam = 400'000;

}  // namespace

std::uint32_t Ranker::rank(std::span<std::uint16_t> codes, std::uint32_t missing,
                           std::uint16_t* codes_of) {
    sort(codes);
    std::uint32_t found = 0, before = missing;
    for (const std::uint32_t key : keys_) {
        const std::uint32_t code = key >> 16;
        if (code != before && code != missing) {
            codes_of[found++] = static_cast<std::uint16_t>(code);
            before = code;
        }
        codes[key & 0xffff] = static_cast<std::uint16_t>(code == missing ? found : found - 1);
    }
    return found;
}

// By code; rows of one code stay in order, but nobody asks for that.
void Ranker::sort(std::span<const std::uint16_t> codes) {
    const std::size_t n = codes.size();
    keys_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        keys_[i] = static_cast<std::uint32_t>(codes[i]) << 16 | static_cast<std::uint32_t>(i);
    if (n <= 40) {
        std::sort(keys_.begin(), keys_.end());
        return;
    }
    spare_.resize(n);
    std::array<std::array<std::uint32_t, 256>, 2> starts{};
    for (const std::uint32_t key : keys_) {
        ++starts[0][key >> 16 & 255];
        ++starts[1][key >> 24];
    }
    for (auto& digit : starts) {
        std::uint32_t sum = 0;
        for (auto& start : digit) sum += std::exchange(start, sum);
    }
    for (const std::uint32_t key : keys_) spare_[starts[0][key >> 16 & 255]++] = key;
    for (const std::uint32_t key : spare_) keys_[starts[1][key >> 24]++] = key;
}

template <class Code>
std::shared_ptr<Frame<Code>> FrameMaker<Code>::whole(std::span<const std::int32_t> columns) const {
    auto frame = std::make_shared<Frame<Code>>();
    frame->codes = table_;
    frame->columns = std::make_shared<std::vector<std::int32_t>>(columns.begin(), columns.end());
    frame->bins.resize(bins_.columns());
    for (std::size_t j = 0; j < frame->bins.size(); ++j) frame->bins[j] = {bins_.count(j), true};
    return frame;
}

template <class Code>
std::shared_ptr<Frame<Code>> FrameMaker<Code>::make(std::vector<std::uint32_t> origins,
                                                    std::span<const std::int32_t> columns) {
    auto frame = std::make_shared<Frame<Code>>();
    const std::size_t n = origins.size(), width = bins_.columns();
    const bool by_row = table_.col_stride == 1;
    frame->own = std::make_unique_for_overwrite<Code[]>(n * width);
    const auto rows = static_cast<std::ptrdiff_t>(n), cells = static_cast<std::ptrdiff_t>(width);
    frame->codes = {frame->own.get(), n, width, by_row ? cells : 1, by_row ? 1 : rows};
    frame->origins = std::move(origins);
    frame->columns = std::make_shared<std::vector<std::int32_t>>(columns.begin(), columns.end());
    frame->bins.resize(width);
    if (ranks_) frame->codes_of = std::make_unique_for_overwrite<std::uint16_t[]>(n * width);
    if (!by_row) return frame;
    const std::size_t group = std::max<std::size_t>(kGroupCells / std::max<std::size_t>(n, 1), 8);
    const std::size_t groups = (columns.size() + group - 1) / group;
    const auto fill_group = [&](std::size_t g, Scratch& scratch) {
        fill(*frame, columns.subspan(g * group, std::min(group, columns.size() - g * group)),
             scratch);
    };
    if (n * columns.size() < kWorthTeam || team_.size() <= 1) {
        for (std::size_t g = 0; g < groups; ++g) fill_group(g, scratch_);
    } else {
        team_.run(groups, [&](std::size_t g) {
            Scratch scratch;
            fill_group(g, scratch);
        });
    }
    return frame;
}

template <class Code>
void FrameMaker<Code>::fill(Frame<Code>& frame, std::span<const std::int32_t> columns,
                            Scratch& scratch) {
    constexpr std::size_t ahead = 12;
    const std::size_t n = frame.codes.rows;
    if (scratch.codes.size() < n * columns.size()) scratch.codes.resize(n * columns.size());
    const std::uint32_t* origins = frame.origins.data();
    for (std::size_t i = 0; i < n; ++i) {
        if (i + ahead < n) __builtin_prefetch(table_.row(origins[i + ahead]));
        const Code* codes = table_.row(origins[i]);
        std::uint16_t* out = scratch.codes.data() + i;
        for (const std::int32_t column : columns) {
            *out = codes[column * table_.col_stride];
            out += n;
        }
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto j = static_cast<std::size_t>(columns[k]);
        frame.bins[j] = {bins_.count(j), true};
        if (!is_ranked(j)) continue;
        frame.bins[j].count = scratch.ranker.rank({scratch.codes.data() + k * n, n}, bins_.count(j),
                                                  frame.codes_of.get() + j * n);
    }
    for (std::size_t i = 0; i < n; ++i) {
        Code* out = frame.own.get() + static_cast<std::ptrdiff_t>(i) * frame.codes.row_stride;
        const std::uint16_t* codes = scratch.codes.data() + i;
        for (const std::int32_t column : columns) {
            out[column * frame.codes.col_stride] = static_cast<Code>(*codes);
            codes += n;
        }
    }
}

template <class Code>
double FrameMaker<Code>::threshold(const Frame<Code>& frame, std::int32_t column,
                                   std::uint32_t last_left, std::uint32_t first_right) const {
    const auto j = static_cast<std::size_t>(column);
    if (frame.own && is_ranked(j)) {
        const std::uint16_t* codes_of = frame.codes_of.get() + j * frame.codes.rows;
        const bool missing = first_right == frame.count(column);
        last_left = codes_of[last_left];
        first_right = missing ? bins_.count(j) : codes_of[first_right];
    }
    return bins_.threshold(j, last_left, first_right);
}

template class FrameMaker<std::uint8_t>;
template class FrameMaker<std::uint16_t>;

}  // namespace coterie
