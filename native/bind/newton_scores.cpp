#include <nanobind/stl/vector.h>

#include <algorithm>

#include "coterie/newton.hpp"
#include "coterie/slopes.hpp"
#include "newton_arrays.hpp"

namespace coterie {
namespace {

// Slopes of several scores, and where the votes of their trees go.
template <class Real>
struct ScoresOf {
    using type = Real;
    InMatrix<Real> gradient;
    std::optional<InMatrix<Real>> hessian;
};

struct ScoresArrays {
    std::variant<ScoresOf<float>, ScoresOf<double>> slopes;
    Optional<std::int32_t> rows;
    InVector<std::uint64_t> seeds;
    OutMatrix<double> raw;
    double rate, longest;

    template <class Real>
    void check(const ScoresOf<Real>& of, std::size_t n) const {
        const std::size_t scores = seeds.shape(0);
        const auto fits = [&](const auto& array) {
            return array.shape(0) == n && array.shape(1) == scores;
        };
        require(fits(of.gradient) && (!of.hessian || fits(*of.hessian)) && fits(raw),
                "slopes, raw: one row per row of the table and one column per seed expected");
        require(
            n < 2 || (of.gradient.stride(0) == 1 && (!of.hessian || of.hessian->stride(0) == 1)),
            "slopes: rows of a column must lie side by side");
        check_rows(rows, n);
    }
};

template <class Real>
void define_scores(nb::class_<ScoresArrays>& scores) {
    scores.def(
        "__init__",
        [](ScoresArrays* self, InMatrix<Real> gradient, std::optional<InMatrix<Real>> hessian,
           Optional<std::int32_t> rows, InVector<std::uint64_t> seeds, OutMatrix<double> raw,
           double rate, double longest) {
            new (self) ScoresArrays{ScoresOf<Real>{std::move(gradient), std::move(hessian)},
                                    std::move(rows),
                                    std::move(seeds),
                                    std::move(raw),
                                    rate,
                                    longest};
        },
        nb::kw_only(), nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(),
        nb::arg("rows").noconvert().none(), nb::arg("seeds").noconvert(),
        nb::arg("raw").noconvert(), nb::arg("rate"), nb::arg("longest"));
}

// Classes whose slopes are made one after the other, and where the votes of their trees go.
template <class Real>
struct RoomOf {
    using type = Real;
    OutVector<Real> gradient, hessian;
};

struct ClassesArrays {
    std::variant<RoomOf<float>, RoomOf<double>> room;
    OutVector<double> most, shares;
    InVector<std::int32_t> y;
    Optional<double> weight;
    InVector<std::uint64_t> seeds;
    OutMatrix<double> raw;
    double rate, longest;

    SoftmaxNorms norms() const {
        return {{most.data(), most.shape(0)}, {shares.data(), shares.shape(0)}};
    }
    template <class Real>
    void check(const RoomOf<Real>& of, std::size_t n) const {
        require(of.gradient.shape(0) == n && of.hessian.shape(0) == n && most.shape(0) == n &&
                    shares.shape(0) == n && y.shape(0) == n && (!weight || weight->shape(0) == n),
                "room, y, weight: one number per row of the table expected");
        require(raw.shape(0) == n && raw.shape(1) == seeds.shape(0),
                "raw: one row per row of the table and one column per seed expected");
    }
};

template <class Real>
void define_classes(nb::class_<ClassesArrays>& classes) {
    classes.def(
        "__init__",
        [](ClassesArrays* self, OutVector<Real> gradient, OutVector<Real> hessian,
           OutVector<double> most, OutVector<double> shares, InVector<std::int32_t> y,
           Optional<double> weight, InVector<std::uint64_t> seeds, OutMatrix<double> raw,
           double rate, double longest) {
            new (self) ClassesArrays{RoomOf<Real>{std::move(gradient), std::move(hessian)},
                                     std::move(most),
                                     std::move(shares),
                                     std::move(y),
                                     std::move(weight),
                                     std::move(seeds),
                                     std::move(raw),
                                     rate,
                                     longest};
        },
        nb::kw_only(), nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert(),
        nb::arg("most").noconvert(), nb::arg("shares").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weight").noconvert().none(), nb::arg("seeds").noconvert(),
        nb::arg("raw").noconvert(), nb::arg("rate"), nb::arg("longest"));
}

// Limits the values of a tree, and adds its votes to a score.
template <class Scores>
void vote(Tree& tree, const Scores& scores, std::size_t k, std::span<const std::int32_t> leaves,
          int n_threads) {
    const Matrix<double> raw = as_matrix(scores.raw);
    std::vector<double> votes;
    for (double& value : tree.values) {
        value = std::clamp(value, -scores.longest, scores.longest);
        votes.push_back(scores.rate * value);
    }
    add_votes(raw.col(k), raw.row_stride, leaves, votes, n_threads);
}

std::vector<TreeArrays> all_arrays(std::span<const Tree> trees) {
    std::vector<TreeArrays> out;
    for (const Tree& tree : trees) out.push_back(tree_arrays(tree));
    return out;
}

// A task without slopes, for trees of several scores.
template <class Real, class Code>
NewtonTask<Code, Real> open_task(const TableArrays& table, const CodesOf<Code>& codes,
                                 const GrowthArrays& growth,
                                 const OutVector<std::int32_t>& leaves) {
    NewtonTask<Code, Real> task;
    task.table = table.view(codes);
    task.growth = growth.view(task.table.bins.columns());
    require(task.table.codes.rows >= 1, "codes: at least one row expected");
    require(leaves.shape(0) == task.table.codes.rows, "leaves: one per row expected");
    task.leaves = {leaves.data(), leaves.shape(0)};
    return task;
}

// As grow_on_scores, but the slopes of a class are made when its turn has come.
std::vector<TreeArrays> grow_on_classes(const TableArrays& table, const ClassesArrays& classes,
                                        const GrowthArrays& growth, int n_threads,
                                        Workspace& workspace, const OutVector<std::int32_t>& leaves,
                                        const Optional<std::uint8_t>& stop, bool signals) {
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    std::vector<Tree> trees(classes.seeds.shape(0));
    const auto grow_all = [&](const auto& codes, const auto& room) {
        using Real = typename std::decay_t<decltype(room)>::type;
        auto task = open_task<Real>(table, codes, growth, leaves);
        const std::size_t n = task.leaves.size();
        classes.check(room, n);
        const std::span<Real> gradient{room.gradient.data(), n}, hessian{room.hessian.data(), n};
        task.slopes = {gradient, hessian, {}};
        const Matrix<double> raw = as_matrix(classes.raw);
        const Matrix<const double> scores{raw.data, raw.rows, raw.cols, raw.row_stride,
                                          raw.col_stride};
        run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
            classes.norms().measure(scores, n_threads);
            for (std::size_t k = 0; k < trees.size(); ++k) {
                // Earlier classes have voted by now, but not on this one's score.
                class_slopes<Real>(scores, classes.norms(), as_span(classes.y),
                                   given(classes.weight), k, gradient, hessian, n_threads);
                task.seed = classes.seeds.data()[k];
                trees[k] = grow_newton(task, n_threads, workspace, interrupt);
                vote(trees[k], classes, k, task.leaves, n_threads);
            }
        });
    };
    std::visit(grow_all, table.codes, classes.room);
    return all_arrays(trees);
}

// One tree per score, one after the other; each has voted when the next one grows.
std::vector<TreeArrays> grow_on_scores(const TableArrays& table, const ScoresArrays& scores,
                                       const GrowthArrays& growth, int n_threads,
                                       Workspace& workspace, const OutVector<std::int32_t>& leaves,
                                       const Optional<std::uint8_t>& stop, bool signals) {
    require(!stop || stop->shape(0) == 1, "stop: an array of one flag expected");
    std::vector<Tree> trees(scores.seeds.shape(0));
    const auto grow_all = [&](const auto& codes, const auto& slopes) {
        using Real = typename std::decay_t<decltype(slopes)>::type;
        auto task = open_task<Real>(table, codes, growth, leaves);
        const std::size_t n = task.leaves.size();
        scores.check(slopes, n);
        const Matrix<const Real> gradient = as_matrix(slopes.gradient);
        run_interruptible(stop ? stop->data() : nullptr, signals, [&](Interrupt& interrupt) {
            for (std::size_t k = 0; k < trees.size(); ++k) {
                task.seed = scores.seeds.data()[k];
                task.slopes = {{gradient.col(k), n}, {}, given(scores.rows)};
                if (slopes.hessian) task.slopes.hessian = {as_matrix(*slopes.hessian).col(k), n};
                trees[k] = grow_newton(task, n_threads, workspace, interrupt);
                vote(trees[k], scores, k, task.leaves, n_threads);
            }
        });
    };
    std::visit(grow_all, table.codes, scores.slopes);
    return all_arrays(trees);
}

}  // namespace

void init_newton_scores(nb::module_& module) {
    nb::class_<ScoresArrays> scores(module, "NewtonScores",
                                    "Slopes of several scores, and where votes go.");
    define_scores<float>(scores);
    define_scores<double>(scores);
    module.def("grow_scores", &grow_on_scores, nb::arg("table"), nb::arg("scores"),
               nb::arg("growth"), nb::kw_only(), nb::arg("n_threads"), nb::arg("workspace"),
               nb::arg("leaves").noconvert(), nb::arg("stop").noconvert().none(),
               nb::arg("signals"),
               "Grow a tree for every score and add its votes; returns what `grow` returns of "
               "each.");
    nb::class_<ClassesArrays> classes(
        module, "NewtonClasses",
        "Classes whose slopes are made one after the other, and where votes go.");
    define_classes<float>(classes);
    define_classes<double>(classes);
    module.def("grow_classes", &grow_on_classes, nb::arg("table"), nb::arg("classes"),
               nb::arg("growth"), nb::kw_only(), nb::arg("n_threads"), nb::arg("workspace"),
               nb::arg("leaves").noconvert(), nb::arg("stop").noconvert().none(),
               nb::arg("signals"),
               "Grow a tree for every class and add its votes; returns what `grow` returns of "
               "each.");
}

}  // namespace coterie
