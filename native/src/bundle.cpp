#include "coterie/bundle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "coterie/clones.hpp"
#include "coterie/team.hpp"

namespace coterie {
namespace {

constexpr std::int32_t kCodes = 256;
constexpr std::size_t kTries = 64;  // bundles a column is tried with

// Where a column is unusual.
struct Marks {
    std::vector<std::uint64_t> words;
    std::size_t count = 0;

    bool meets(const Marks& other) const {
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i] & other.words[i]) return true;
        return false;
    }
    void join(const Marks& other) {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
        count += other.count;
    }
};

// A bit for each of eight codes, the first one's lowest: whether it is another than that in all
// eight bytes of `usual`.
std::uint64_t others_of(const std::uint8_t* codes, std::uint64_t usual) {
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    std::uint64_t apart = 0;
    std::memcpy(&apart, codes, 8);
    apart ^= usual;
    const std::uint64_t tops = (((apart & low) + low) | apart) & ~low;
    return ((tops >> 7) * 0x0102040810204080) >> 56;
}

Marks mark(const Matrix<const std::uint8_t>& codes, std::size_t column, std::int32_t usual) {
    Marks marks{std::vector<std::uint64_t>((codes.rows + 63) / 64, 0), 0};
    const std::uint8_t* at = codes.col(column);
    const std::uint64_t all = static_cast<std::uint64_t>(usual) * 0x0101010101010101;
    std::size_t i = 0;
    if (codes.row_stride == 1)
        for (; i + 8 <= codes.rows; i += 8)
            marks.words[i / 64] |= others_of(at + i, all) << (i % 64);
    for (; i < codes.rows; ++i) {
        const bool other = at[static_cast<std::ptrdiff_t>(i) * codes.row_stride] != usual;
        marks.words[i / 64] |= std::uint64_t{other} << (i % 64);
    }
    for (const std::uint64_t word : marks.words)
        marks.count += static_cast<std::size_t>(std::popcount(word));
    return marks;
}

// How many rows hold each code. Rows take turns with several counts: one of a common code need not
// wait for the last.
std::array<std::size_t, kCodes> count_codes(const Matrix<const std::uint8_t>& codes,
                                            std::size_t column) {
    constexpr std::size_t turns = 4;
    std::array<std::array<std::size_t, kCodes>, turns> counts{};
    const std::uint8_t* at = codes.col(column);
    const auto code = [&](std::size_t i) {
        return at[static_cast<std::ptrdiff_t>(i) * codes.row_stride];
    };
    std::size_t i = 0;
    for (; i + turns <= codes.rows; i += turns)
        for (std::size_t k = 0; k < turns; ++k) ++counts[k][code(i + k)];
    for (; i < codes.rows; ++i) ++counts[0][code(i)];
    for (std::size_t k = 1; k < turns; ++k)
        for (std::size_t c = 0; c < counts[k].size(); ++c) counts[0][c] += counts[k][c];
    return counts[0];
}

// Writes what a column says of a block of rows to that of its bundle; all codes lie side by side.
COTERIE_CLONES void write_unusual(const std::uint8_t* __restrict codes, std::size_t n,
                                  std::uint8_t first, std::uint8_t usual,
                                  std::uint8_t* __restrict out) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t code = codes[i];
        const auto moved = static_cast<std::uint8_t>(first + code - (code > usual));
        out[i] = code != usual ? moved : out[i];
    }
}

// Copies eight lines of eight codes such that codes of one place lie side by side: halves of words,
// then quarters, then bytes change places.
void turn_tile(const std::uint8_t* from, std::ptrdiff_t from_step, std::uint8_t* to,
               std::ptrdiff_t to_step) {
    std::array<std::uint64_t, 8> words;
    for (std::size_t k = 0; k < 8; ++k)
        std::memcpy(&words[k], from + static_cast<std::ptrdiff_t>(k) * from_step, 8);
    const auto exchange = [&](std::size_t apart, std::uint64_t mask) {
        const auto bits = 8 * apart;
        for (std::size_t k = 0; k < 8; ++k) {
            if (k & apart) continue;
            const std::uint64_t both = ((words[k] >> bits) ^ words[k + apart]) & mask;
            words[k] ^= both << bits;
            words[k + apart] ^= both;
        }
    };
    exchange(4, 0x00000000ffffffff);
    exchange(2, 0x0000ffff0000ffff);
    exchange(1, 0x00ff00ff00ff00ff);
    for (std::size_t k = 0; k < 8; ++k)
        std::memcpy(to + static_cast<std::ptrdiff_t>(k) * to_step, &words[k], 8);
}

}  // namespace

Bundles find_bundles(const Matrix<const std::uint8_t>& codes, const BinsView& bins, int n_threads) {
    const std::size_t n = codes.rows, d = codes.cols;
    std::vector<std::int32_t> usual(d);
    std::vector<std::size_t> unusual(d);
    Team(n_threads).run(d, [&](std::size_t j) {
        const auto counts = count_codes(codes, j);
        const auto most = std::max_element(counts.begin(), counts.end());
        usual[j] = static_cast<std::int32_t>(most - counts.begin());
        unusual[j] = n - *most;
    });
    // The densest first: they are the hardest to place.
    std::vector<std::size_t> candidates;
    for (std::size_t j = 0; j < d; ++j)
        if (unusual[j] <= n / 4 && bins.count(j) < kCodes - 1) candidates.push_back(j);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t a, std::size_t b) { return unusual[a] > unusual[b]; });

    struct Bundle {
        Marks marks;
        std::vector<std::size_t> columns;
        std::int32_t codes = 1;
    };
    std::vector<Bundle> bundles;
    for (const std::size_t j : candidates) {
        const auto room = static_cast<std::int32_t>(bins.count(j));  // its codes but the usual one
        Marks marks = mark(codes, j, usual[j]);
        const std::size_t from = bundles.size() > kTries ? bundles.size() - kTries : 0;
        Bundle* place = nullptr;
        for (std::size_t b = from; b < bundles.size() && !place; ++b)
            if (bundles[b].codes + room <= kCodes && bundles[b].marks.count + marks.count <= n &&
                !bundles[b].marks.meets(marks))
                place = &bundles[b];
        if (!place) {
            bundles.push_back({std::move(marks), {}, 1});
            place = &bundles.back();
        } else {
            place->marks.join(marks);
        }
        place->columns.push_back(j);
        place->codes += room;
    }

    Bundles out;
    out.home.assign(d, -1);
    out.first.assign(d, 0);
    out.usual = usual;
    out.unusual.assign(unusual.begin(), unusual.end());
    for (const Bundle& bundle : bundles) {
        if (bundle.columns.size() < 2) continue;
        std::int32_t next = 1;
        for (const std::size_t j : bundle.columns) {
            out.home[j] = static_cast<std::int32_t>(out.sizes.size());
            out.first[j] = next;
            next += static_cast<std::int32_t>(bins.count(j));
        }
        out.sizes.push_back(bundle.codes);
    }
    for (std::size_t j = 0; j < d; ++j) {
        if (out.home[j] >= 0) continue;
        out.home[j] = static_cast<std::int32_t>(out.sizes.size());
        out.sizes.push_back(static_cast<std::int32_t>(bins.count(j)) + 1);
    }
    return out;
}

Unusual::Unusual(const Matrix<const std::uint8_t>& codes, const BinsView& bins,
                 std::vector<std::int32_t> usual_codes)
    : usual(std::move(usual_codes)), starts(codes.rows + 1, 0), filled(codes.cols, 0),
      n_cells(bins.upper.size()) {
    // Column by column, which is how the codes lie; the columns of a row stay in order.
    const auto for_each = [&](auto&& found) {
        for (std::size_t j = 0; j < codes.cols; ++j) {
            const std::uint8_t* at = codes.col(j);
            for (std::size_t i = 0; i < codes.rows; ++i) {
                const std::int32_t code = at[static_cast<std::ptrdiff_t>(i) * codes.row_stride];
                if (code != usual[j]) found(i, j, code);
            }
        }
    };
    for_each([&](std::size_t i, std::size_t j, std::int32_t code) {
        if (static_cast<std::uint32_t>(code) > bins.count(j))
            throw std::invalid_argument("codes: a code lies outside the bins");
        ++starts[i + 1];
        ++filled[j];
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    cells.resize(static_cast<std::size_t>(starts.back()));
    columns.resize(cells.size());
    std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
    for_each([&](std::size_t i, std::size_t j, std::int32_t code) {
        const auto at = static_cast<std::size_t>(next[i]++);
        cells[at] = static_cast<std::uint32_t>(bins.offsets[j] + code - (code > usual[j]));
        columns[at] = static_cast<std::uint32_t>(j);
    });
}

template <class Code>
Unusual::Unusual(const SparseCodes<Code>& codes, const BinsView& bins)
    : usual(codes.usual().begin(), codes.usual().end()), starts(codes.rows() + 1, 0),
      filled(codes.cols(), 0), n_cells(bins.upper.size()) {
    cells.reserve(codes.filled());
    columns.reserve(codes.filled());
    for (std::size_t i = 0; i < codes.rows(); ++i) {
        const Line<Code> row = codes.row(i);
        for (std::size_t k = 0; k < row.size; ++k) {
            const std::int32_t code = row.values[k];
            cells.push_back(static_cast<std::uint32_t>(bins.offsets[row.at[k]] + code -
                                                       (code > usual[row.at[k]])));
            columns.push_back(row.at[k]);
            ++filled[row.at[k]];
        }
        starts[i + 1] = static_cast<std::int64_t>(cells.size());
    }
}
template Unusual::Unusual(const SparseCodes<std::uint8_t>&, const BinsView&);
template Unusual::Unusual(const SparseCodes<std::uint16_t>&, const BinsView&);

void copy_codes(const Matrix<const std::uint8_t>& codes, const Matrix<std::uint8_t>& out,
                int n_threads) {
    constexpr std::size_t block = 4096, tile = 8;
    const bool to_columns = codes.col_stride == 1 && out.row_stride == 1;
    const bool to_rows = codes.row_stride == 1 && out.col_stride == 1;
    Team(n_threads).run((codes.rows + block - 1) / block, [&](std::size_t b) {
        const std::size_t begin = b * block, end = std::min(codes.rows, begin + block);
        const std::size_t rows =
            to_columns || to_rows ? begin + (end - begin) / tile * tile : begin;
        const std::size_t cols = rows > begin ? codes.cols / tile * tile : 0;
        for (std::size_t i = begin; i < rows; i += tile)
            for (std::size_t j = 0; j < cols; j += tile)
                turn_tile(codes.row(i) + static_cast<std::ptrdiff_t>(j) * codes.col_stride,
                          to_columns ? codes.row_stride : codes.col_stride,
                          out.row(i) + static_cast<std::ptrdiff_t>(j) * out.col_stride,
                          to_columns ? out.col_stride : out.row_stride);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = i < rows ? cols : 0; j < codes.cols; ++j) out(i, j) = codes(i, j);
    });
}

void encode_bundles(const Matrix<const std::uint8_t>& codes, const BundlesView& bundles,
                    const Matrix<std::uint8_t>& out, int n_threads) {
    constexpr std::size_t block = 8192;
    Team(n_threads).run((codes.rows + block - 1) / block, [&](std::size_t b) {
        const std::size_t begin = b * block, end = std::min(codes.rows, begin + block);
        for (std::size_t j = 0; j < out.cols; ++j)
            for (std::size_t i = begin; i < end; ++i) out(i, j) = 0;
        for (std::size_t j = 0; j < codes.cols; ++j) {
            const auto home = static_cast<std::size_t>(bundles.home[j]);
            const auto first = static_cast<std::uint8_t>(bundles.first[j]);
            const auto usual = static_cast<std::uint8_t>(bundles.usual[j]);
            if (first && codes.row_stride == 1 && out.row_stride == 1) {
                write_unusual(codes.col(j) + begin, end - begin, first, usual,
                              out.col(home) + begin);
                continue;
            }
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint8_t code = codes(i, j);
                if (!first) {
                    out(i, home) = code;
                } else if (code != usual) {
                    out(i, home) = static_cast<std::uint8_t>(first + code - (code > usual));
                }
            }
        }
    });
}

}  // namespace coterie
