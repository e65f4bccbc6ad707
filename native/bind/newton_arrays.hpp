// What a tree on slopes is grown on, as it comes from Python.
#pragma once

#include <type_traits>
#include <variant>

#include "arrays.hpp"
#include "bins_view.hpp"
#include "coterie/newton.hpp"
#include "sparse_arrays.hpp"

namespace coterie {

template <class T>
using OutVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Optional = std::optional<InVector<T>>;

template <class T>
std::span<const T> given(const Optional<T>& array) {
    return array ? as_span(*array) : std::span<const T>{};
}

using Column = InVector<std::int32_t>;

// Refuses rows to learn from that are not ascending numbers below `n`.
void check_rows(const Optional<std::int32_t>& rows, std::size_t n);

template <class Code>
struct CodesOf {
    using type = Code;
    std::optional<InMatrix<Code>> codes, by_column;
    const SparseArrays<Code>* sparse = nullptr;  // instead of them; Python keeps it alive
};

struct TableArrays {
    std::variant<CodesOf<std::uint8_t>, CodesOf<std::uint16_t>> codes;
    InVector<std::int64_t> offsets;
    InVector<double> lower, upper;
    InVector<std::uint8_t> categorical;
    std::optional<std::tuple<Column, Column, Column, Column>> bundles;
    const Unusual* unusual;  // Python keeps it alive
    const Joint* joint;      // this too

    // Refuses what would make the engine read or write outside its arrays.
    template <class Code>
    NewtonTable<Code> view(const CodesOf<Code>& codes) const;
};

template <class Real>
struct SlopesOf {
    using type = Real;
    InVector<Real> gradient;
    Optional<Real> hessian;
};

struct SlopesArrays {
    std::variant<SlopesOf<float>, SlopesOf<double>> slopes;
    Optional<std::int32_t> rows;

    template <class Real>
    SlopesView<Real> view(const SlopesOf<Real>& slopes, std::size_t n) const;
};

// Plain numbers, and the arrays that go with them.
struct GrowthArrays {
    NewtonGrowth settings;
    Optional<std::int8_t> monotone;
    std::optional<InMatrix<std::uint8_t>> interactions;
    Column columns;

    NewtonGrowth view(std::size_t cols) const;
};

// use(task) of the widths that codes and slopes have; the task has no leaves yet.
template <class Use>
auto with_task(const TableArrays& table, const SlopesArrays& slopes, const GrowthArrays& growth,
               Use&& use) {
    return std::visit(
        [&](const auto& codes, const auto& given) {
            using Code = typename std::decay_t<decltype(codes)>::type;
            using Real = typename std::decay_t<decltype(given)>::type;
            NewtonTask<Code, Real> task;
            task.table = table.view(codes);
            task.slopes = slopes.view(given, task.table.codes.rows);
            task.growth = growth.view(task.table.bins.columns());
            return use(task);
        },
        table.codes, slopes.slopes);
}

}  // namespace coterie
