// The two halves of growing a tree on slopes, and the seam between them.
//
// The row side holds rows and moves them about; the decider sees nothing but sums and chooses.
// Between them go the rows a split sends left, histograms of the nodes to be counted and sums of
// leaves. All of these add up: where rows live on several machines, each has a row side of its own,
// and one decider is told the sums over all of them. Being exact, the sums are the same however the
// rows are spread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "coterie/code_split.hpp"
#include "coterie/newton.hpp"
#include "coterie/team.hpp"

namespace coterie {

struct SlopeSums {
    double g = 0.0, h = 0.0;
    double n = 0.0;  // rows, where cells count them
};

// What must be known of the slopes of all rows before any of them is counted.
struct SlopeScale {
    double most_g = 0.0, most_h = 0.0;  // largest
    double sum_g = 0.0, sum_h = 0.0;    // of absolute values
    double least_h = 0.0;
    std::size_t rows = 0;
    bool constant = false;  // every hessian is 1

    void add(const SlopeScale& other);
};

// Throws where a slope is not finite, or a hessian negative.
template <class Real>
SlopeScale measure(const SlopesView<Real>& slopes, Team& team);

struct CellPlan;  // where the bins of the columns of a tree lie in its histograms

template <class Code>
std::shared_ptr<const CellPlan> plan_cells(const NewtonTable<Code>& table,
                                           const NewtonGrowth& growth, const SlopeScale& scale);

// What both halves work with.
struct Tools {
    Workspace& workspace;
    Team& team;
    Interrupt& interrupt;
};

// Knows a node as a range of rows. Node 0 has all of them.
class RowSide {
  public:
    virtual ~RowSide() = default;

    // Bytes of a histogram. Its cells are 64-bit integers (packed) or triples of doubles.
    virtual std::size_t histogram_bytes() const = 0;
    virtual bool packed() const = 0;

    // Clears and fills the histogram of a node. Columns of no use to it, of which `barren` has the
    // places, are left alone if there are many.
    virtual void count(std::size_t node, std::span<const std::uint8_t> barren,
                       std::byte* histogram) = 0;
    // Moves the rows of a node that go left before the others and returns how many they are; both
    // keep their order. Doing it twice changes nothing.
    virtual std::uint32_t part(std::size_t node, const CodeSplit& split) = 0;
    // Makes the two parts of a node the nodes `left` and `left + 1`.
    virtual void divide(std::size_t node, std::size_t left) = 0;
    // Rows of a node by their code in a column, the missing values last; adds to `counts`.
    virtual void count_codes(std::size_t node, std::size_t column,
                             std::span<std::uint32_t> counts) const = 0;
    // Sums of the slopes as they were given, and notes the leaf of every row: its place in `nodes`.
    virtual std::vector<SlopeSums> leaf_sums(std::span<const std::size_t> nodes) = 0;
    // Notes the leaves of rows that were not learnt from; `last_left` belongs to the tree's nodes.
    virtual void finish(const Tree& tree, std::span<const std::uint32_t> last_left) = 0;
};

// Knows a node by its sums. The life of a tree, until there is nothing to part:
// 1. parted() is told of every node in to_part() how many rows its split sends left;
// 2. the histogram of every node in to_count() is written to cells();
// 3. decide() looks for splits, and says what to part next.
// Then leaves() says whose slopes to sum, and write() makes the tree.
class Decider {
  public:
    // Fills the rows of a node by their code in a column; may be called by several threads.
    using CountCodes = std::function<void(std::size_t, std::size_t, std::span<std::uint32_t>)>;

    virtual ~Decider() = default;

    virtual std::span<const std::size_t> to_part() const = 0;
    virtual const CodeSplit& split(std::size_t node) const = 0;
    // The number of the left child, the right one being the next; 0 if too few rows are on a side.
    virtual std::size_t parted(std::size_t node, std::uint32_t left_rows) = 0;

    virtual std::span<const std::size_t> to_count() const = 0;
    virtual std::span<const std::uint8_t> barren(std::size_t node) const = 0;
    virtual std::span<std::byte> cells(std::size_t node) = 0;
    // Which part of a node will go left, by weight: whoever counts a side before all rows are
    // parted guesses the smaller one by it.
    virtual double left_share(std::size_t node) const = 0;
    // Says that what was written to the cells of a node in to_count() is the larger sibling's.
    virtual void counted_sibling(std::size_t node) = 0;

    // `count_codes` is asked where packed cells, which do not count rows, leave a doubt.
    virtual void decide(const CountCodes& count_codes) = 0;

    // The nodes that are leaves, in the order of their numbers.
    virtual std::span<const std::size_t> leaves() = 0;
    virtual Tree write(std::span<const SlopeSums> leaf_sums) = 0;
    // The last code on the left of every node of the tree.
    virtual std::vector<std::uint32_t> last_left() const = 0;
};

template <class Code, class Real>
std::unique_ptr<RowSide> open_rows(const NewtonTask<Code, Real>& task, const SlopeScale& scale,
                                   std::shared_ptr<const CellPlan> plan, const Tools& tools);

std::unique_ptr<Decider> open_decider(const BinsView& bins, const NewtonGrowth& growth,
                                      std::uint64_t seed, const SlopeScale& scale,
                                      std::shared_ptr<const CellPlan> plan, const Tools& tools);

// Both halves in one process.
Tree grow(RowSide& rows, Decider& decider);

}  // namespace coterie
