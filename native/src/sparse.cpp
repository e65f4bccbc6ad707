#include "coterie/sparse.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "coterie/team.hpp"
#include "cuts.hpp"

namespace coterie {
namespace {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// How often each row is in the sample that quantiles are judged on.
std::vector<std::uint32_t> sampled_times(std::size_t n, std::span<const std::size_t> rows) {
    std::vector<std::uint32_t> times(n, 0);
    for (const std::size_t row : rows) ++times[row];
    return times;
}

// The values of a column, and how often each is in the sample; zero makes up for what is not there.
template <class T>
Distinct count_distinct(const Line<T>& cells, std::span<const std::uint32_t> times,
                        std::size_t rows) {
    std::vector<Key<T>> keys;
    std::size_t seen = 0;
    for (std::size_t k = 0; k < cells.size; ++k) {
        const std::uint32_t often = times.empty() ? 1 : times[cells.at[k]];
        seen += often;
        if (!std::isnan(cells.values[k])) keys.insert(keys.end(), often, key_of(cells.values[k]));
    }
    Distinct found = distinct_unweighted<T>(keys);
    if (seen == rows) return found;
    const auto zero = std::lower_bound(found.value.begin(), found.value.end(), 0.0);
    const auto at = zero - found.value.begin();
    if (zero == found.value.end() || *zero != 0.0) {
        found.value.insert(zero, 0.0);
        found.weight.insert(found.weight.begin() + at, 0.0);
    }
    found.weight[static_cast<std::size_t>(at)] += static_cast<double>(rows - seen);
    return found;
}

// All cells of a column in the rows of the sample.
template <class T>
std::vector<T> write_out(const Line<T>& cells, std::size_t n, std::span<const std::size_t> rows) {
    std::vector<T> all(n, T{0}), sample;
    for (std::size_t k = 0; k < cells.size; ++k) all[cells.at[k]] = cells.values[k];
    sample.reserve(rows.size());
    for (const std::size_t row : rows) sample.push_back(all[row]);
    return sample;
}

}  // namespace

template <class T>
void SparseLines<T>::check() const {
    require(!starts.empty() && starts.front() == 0, "sparse: starts do not begin at 0");
    for (std::size_t k = 0; k + 1 < starts.size(); ++k)
        require(starts[k] <= starts[k + 1], "sparse: starts descend");
    require(
        static_cast<std::size_t>(starts.back()) == places.size() && places.size() == values.size(),
        "sparse: starts do not cover the cells");
    for (const std::uint32_t place : places)
        require(place < across, "sparse: a place lies outside the table");
}

template <class T>
std::vector<ColumnBins> find_sparse_bins(const SparseLines<T>& columns,
                                         std::span<const double> weight, std::uint32_t max_bins,
                                         std::size_t sample_rows, std::uint64_t seed,
                                         int n_threads) {
    const std::size_t n = columns.across;
    const std::vector<std::size_t> rows = spread_rows(n, sample_rows, seed);
    const bool sampled = n > sample_rows;
    const std::vector<std::uint32_t> times =
        sampled ? sampled_times(n, rows) : std::vector<std::uint32_t>{};
    const std::size_t few = std::min<std::size_t>(16, max_bins);
    std::vector<ColumnBins> found(columns.lines());
    Team(n_threads).run(columns.lines(), [&](std::size_t j) {
        const Line<T> cells = columns.line(j);
        Distinct sample = count_distinct(cells, times, rows.size());
        if (sample.value.size() <= max_bins) {
            const Distinct all =
                sampled ? count_distinct(cells, std::span<const std::uint32_t>{}, n) : sample;
            if (all.value.size() <= max_bins) {
                found[j] = {all.value, all.value};
                return;
            }
            if (sample.value.size() <= few) sample.weight.assign(sample.value.size(), 1.0);
        }
        // Sums of weights depend on their order, which is that of a full table.
        if (!weight.empty() && sample.value.size() > few) {
            const std::vector<T> column = write_out(cells, n, rows);
            sample = find_distinct(std::span<const T>(column), std::span<const std::size_t>(rows),
                                   weight, few);
        }
        found[j] = equal_weight_bins(sample, max_bins);
    });
    return found;
}

template <class T, class Code>
void encode_sparse(const SparseLines<T>& columns, const BinsView& bins, std::span<Code> codes,
                   std::span<Code> usual) {
    for (std::size_t j = 0; j < columns.lines(); ++j) {
        const std::uint32_t count = bins.count(j);
        const std::vector<T> cuts = cut_points<T>(bins.lower_of(j), bins.upper_of(j), count);
        const auto code_of = [&](T value) {
            return static_cast<Code>(std::isnan(value)
                                         ? count
                                         : std::lower_bound(cuts.begin(), cuts.end(), value) -
                                               cuts.begin());
        };
        usual[j] = code_of(T{0});
        const Line<T> cells = columns.line(j);
        Code* out = codes.data() + columns.starts[j];
        for (std::size_t k = 0; k < cells.size; ++k) out[k] = code_of(cells.values[k]);
    }
}

template <class Code>
SparseCodes<Code>::SparseCodes(const SparseLines<Code>& columns, std::span<const Code> usual,
                               const BinsView& bins)
    : columns_(columns), usual_(usual), row_starts_(columns.across + 1, 0),
      row_columns_(columns.places.size()), row_codes_(columns.places.size()) {
    columns_.check();
    require(filled() < std::numeric_limits<std::uint32_t>::max(), "sparse: 2^32 cells or more");
    require(columns_.lines() == bins.columns() && usual_.size() == bins.columns(),
            "sparse: number of columns differs from the bins");
    for (std::size_t j = 0; j < cols(); ++j) {
        require(usual_[j] <= bins.count(j), "codes: a code lies outside the bins of its column");
        const Line<Code> cells = column(j);
        for (std::size_t k = 0; k < cells.size; ++k) {
            require(cells.values[k] <= bins.count(j),
                    "codes: a code lies outside the bins of its column");
            require(cells.values[k] != usual_[j], "codes: a usual code is among the others");
        }
    }
    for (const std::uint32_t row : columns_.places) ++row_starts_[row + 1];
    std::partial_sum(row_starts_.begin(), row_starts_.end(), row_starts_.begin());
    std::vector<std::int64_t> next(row_starts_.begin(), row_starts_.end() - 1);
    for (std::size_t j = 0; j < cols(); ++j) {
        const Line<Code> cells = column(j);
        for (std::size_t k = 0; k < cells.size; ++k) {
            const std::uint32_t row = cells.at[k];
            const auto to = static_cast<std::size_t>(next[row]++);
            require(to == static_cast<std::size_t>(row_starts_[row]) || row_columns_[to - 1] != j,
                    "codes: a row is in a column twice");
            row_columns_[to] = static_cast<std::uint32_t>(j);
            row_codes_[to] = cells.values[k];
        }
    }
}

template class SparseCodes<std::uint8_t>;
template class SparseCodes<std::uint16_t>;
template void SparseLines<std::uint8_t>::check() const;
template void SparseLines<std::uint16_t>::check() const;
#define COTERIE_INSTANTIATE(T)                                                                    \
    template void SparseLines<T>::check() const;                                                  \
    template std::vector<ColumnBins> find_sparse_bins(const SparseLines<T>&,                      \
                                                      std::span<const double>, std::uint32_t,     \
                                                      std::size_t, std::uint64_t, int);           \
    template void encode_sparse(const SparseLines<T>&, const BinsView&, std::span<std::uint8_t>,  \
                                std::span<std::uint8_t>);                                         \
    template void encode_sparse(const SparseLines<T>&, const BinsView&, std::span<std::uint16_t>, \
                                std::span<std::uint16_t>)
COTERIE_INSTANTIATE(float);
COTERIE_INSTANTIATE(double);
#undef COTERIE_INSTANTIATE

}  // namespace coterie
