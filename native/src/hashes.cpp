#include "coterie/hashes.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "coterie/team.hpp"

namespace coterie {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
// In wider tables the cells are summed, so that of sparse rows those that are filled are enough.
constexpr std::size_t kWide = 1024;

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    return z ^ (z >> 27);
}

std::uint64_t chain(std::uint64_t hash, std::uint64_t next) { return mix(hash * kOdd + next); }

std::uint64_t bits(double x) {
    return x != x ? 0x7ff8000000000000ULL : std::bit_cast<std::uint64_t>(x + 0.0);  // -0 is 0
}

std::uint64_t cell(std::size_t column, std::uint64_t code) {
    return mix((column * 65'536 + code + 1) * kOdd);
}

template <class Code>
void hash_all(const Matrix<const Code>& codes, std::size_t begin, std::size_t end,
              std::span<std::uint64_t> hashes) {
    if (codes.cols <= kWide) {
        for (std::size_t j = 0; j < codes.cols; ++j)
            for (std::size_t i = begin; i < end; ++i)
                hashes[i] = chain(hashes[i], codes(i, j) + 1ULL);
        return;
    }
    std::vector<std::uint64_t> sums(end - begin, 0);
    for (std::size_t j = 0; j < codes.cols; ++j)
        for (std::size_t i = begin; i < end; ++i) sums[i - begin] += cell(j, codes(i, j));
    for (std::size_t i = begin; i < end; ++i) hashes[i] = chain(hashes[i], sums[i - begin] + 1);
}

template <class Code>
std::uint64_t hash_sparse(const SparseCodes<Code>& codes, std::size_t row, std::uint64_t hash,
                          std::uint64_t usual) {
    const Line<Code> cells = codes.row(row);
    if (codes.cols() <= kWide) {
        for (std::size_t j = 0, k = 0; j < codes.cols(); ++j) {
            const bool filled = k < cells.size && cells.at[k] == j;
            hash = chain(hash, (filled ? cells.values[k] : codes.usual(j)) + 1ULL);
            k += filled;
        }
        return hash;
    }
    for (std::size_t k = 0; k < cells.size; ++k)
        usual += cell(cells.at[k], cells.values[k]) - cell(cells.at[k], codes.usual(cells.at[k]));
    return chain(hash, usual + 1);
}

}  // namespace

template <class Code>
void row_hashes(const CodeTable<Code>& codes, std::span<std::uint64_t> hashes, int n_threads) {
    std::uint64_t usual = 0;  // the sum of a row without filled cells
    if (codes.sparse)
        for (std::size_t j = 0; j < codes.all.cols; ++j) usual += cell(j, codes.sparse->usual(j));
    Team(n_threads).run((codes.all.rows + kBlock - 1) / kBlock, [&](std::size_t b) {
        const std::size_t begin = b * kBlock, end = std::min(begin + kBlock, codes.all.rows);
        if (!codes.sparse) return hash_all(codes.all, begin, end, hashes);
        for (std::size_t i = begin; i < end; ++i)
            hashes[i] = hash_sparse(*codes.sparse, i, hashes[i], usual);
    });
}

template <class T>
void cell_hashes(const Matrix<const T>& X, std::span<std::uint64_t> hashes, int n_threads) {
    Team(n_threads).run((X.rows + kBlock - 1) / kBlock, [&](std::size_t b) {
        const std::size_t begin = b * kBlock, end = std::min(begin + kBlock, X.rows);
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t j = 0; j < X.cols; ++j)
                hashes[i] = chain(hashes[i], bits(static_cast<double>(X(i, j))));
    });
}

template void row_hashes(const CodeTable<std::uint8_t>&, std::span<std::uint64_t>, int);
template void row_hashes(const CodeTable<std::uint16_t>&, std::span<std::uint64_t>, int);
template void cell_hashes(const Matrix<const float>&, std::span<std::uint64_t>, int);
template void cell_hashes(const Matrix<const double>&, std::span<std::uint64_t>, int);

}  // namespace coterie
