#include "frame.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace coterie {
namespace {

constexpr int kCountedBits = 12;                // of the groups of codes that are counted
constexpr std::size_t kGroupCells = 64 * 1024;  // of the columns that are filled together
constexpr std::size_t kWorthTeam = 400'000;

}  // namespace

CodeCutter::Result CodeCutter::cut(std::span<std::uint16_t> codes, std::uint32_t missing,
                                   std::uint16_t* first, std::uint16_t* last) {
    if (codes.size() <= kExactRows) return rank(codes, missing, first, last);
    count(codes, missing);
    const Result result = share(first, last);
    bin_of_.resize(missing + 1);
    for (const Unit& unit : units_)
        std::fill(bin_of_.begin() + unit.first, bin_of_.begin() + unit.last + 1, unit.bin);
    bin_of_[missing] = static_cast<std::uint16_t>(result.count);
    for (std::uint16_t& code : codes) code = bin_of_[code];
    return result;
}

CodeCutter::Result CodeCutter::rank(std::span<std::uint16_t> codes, std::uint32_t missing,
                                    std::uint16_t* first, std::uint16_t* last) {
    sort(codes);
    std::uint32_t bins = 0;
    auto before = static_cast<std::uint32_t>(missing);
    for (const std::uint32_t key : keys_) {
        const std::uint32_t code = key >> 16;
        if (code != before && code != missing) {
            first[bins] = last[bins] = static_cast<std::uint16_t>(code);
            ++bins;
            before = code;
        }
        codes[key & 0xffff] = static_cast<std::uint16_t>(code == missing ? bins : bins - 1);
    }
    return {bins, true};
}

// By code; rows of one code stay in order, but nobody asks for that.
void CodeCutter::sort(std::span<const std::uint16_t> codes) {
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

// Counts groups of codes, so that the counts stay in the first cache, and again by code those that
// are too heavy for a bin.
void CodeCutter::count(std::span<const std::uint16_t> codes, std::uint32_t missing) {
    const int shift = std::max(static_cast<int>(std::bit_width(missing)) - kCountedBits, 0);
    counts_.assign((missing >> shift) + 1, 0);
    std::uint32_t absent = 0;
    for (const std::uint16_t code : codes) {
        ++counts_[code >> shift];
        absent += code == missing;
    }
    counts_[missing >> shift] -= absent;
    const std::size_t most = codes.size() / kFrameBins;
    const bool heavy = shift && std::ranges::any_of(counts_, [=](auto n) { return n > most; });
    if (heavy) {
        heavy_.assign(missing + 1, 0);
        for (const std::uint16_t code : codes) ++heavy_[code];
    }
    const auto unit_of = [](std::uint32_t first, std::uint32_t last, std::uint32_t n) {
        return Unit{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last), 0, n};
    };
    units_.clear();
    for (std::uint32_t group = 0; group < counts_.size(); ++group) {
        const std::uint32_t rows = counts_[group], begin = group << shift;
        const std::uint32_t end = std::min(missing, begin + (1u << shift));
        if (!rows) continue;
        if (shift && rows > most) {
            for (std::uint32_t code = begin; code < end; ++code)
                if (heavy_[code]) units_.push_back(unit_of(code, code, heavy_[code]));
        } else {
            units_.push_back(unit_of(begin, end - 1, rows));
        }
    }
}

// Gives each unit its bin.
CodeCutter::Result CodeCutter::share(std::uint16_t* first, std::uint16_t* last) {
    const bool few = units_.size() <= kFrameBins;
    std::uint32_t rows = 0;
    for (const Unit& unit : units_) rows += unit.rows;
    EqualShares shares(rows, kFrameBins);
    std::uint16_t bin = 0;
    bool ended = true, exact = few;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        Unit& unit = units_[i];
        unit.bin = bin;
        if (ended) first[bin] = unit.first;
        last[bin] = unit.last;
        exact &= unit.first == unit.last;
        ended = few || shares.end_with(unit.rows, i + 1 < units_.size() ? units_[i + 1].rows : 0.0);
        bin += ended;
    }
    return {ended ? bin : bin + 1u, exact};
}

template <class Code>
std::shared_ptr<Frame<Code>> FrameMaker<Code>::whole(std::span<const std::int32_t> columns) const {
    auto frame = std::make_shared<Frame<Code>>();
    frame->codes = table_;
    frame->columns = std::make_shared<std::vector<std::int32_t>>(columns.begin(), columns.end());
    frame->bins.resize(bins_.columns());
    for (std::size_t j = 0; j < frame->bins.size(); ++j)
        frame->bins[j] = {bins_.count(j), true, true};
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
    frame->room = n <= kExactRows ? n : kFrameBins;
    frame->first = std::make_unique_for_overwrite<std::uint16_t[]>(width * frame->room);
    frame->last = std::make_unique_for_overwrite<std::uint16_t[]>(width * frame->room);
    frame->exact = n <= kExactRows;
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
    frame->exact = std::ranges::all_of(
        columns, [&](std::int32_t j) { return frame->bins[static_cast<std::size_t>(j)].exact; });
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
        frame.bins[j] = {bins_.count(j), true, true};
        if (!is_cut(j)) continue;
        const auto [count, exact] = scratch.cutter.cut(
            {scratch.codes.data() + k * n, n}, bins_.count(j), frame.first.get() + j * frame.room,
            frame.last.get() + j * frame.room);
        frame.bins[j].count = count;
        frame.bins[j].exact = exact;
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
    if (frame.own && is_cut(j)) {
        const bool missing = first_right == frame.count(column);
        last_left = frame.last[j * frame.room + last_left];
        first_right = missing ? bins_.count(j) : frame.first[j * frame.room + first_right];
    }
    return bins_.threshold(j, last_left, first_right);
}

template class FrameMaker<std::uint8_t>;
template class FrameMaker<std::uint16_t>;

}  // namespace coterie
