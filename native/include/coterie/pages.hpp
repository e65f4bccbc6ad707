// Memory of many megabytes that is read here and there.
//
// Looking up addresses in pages of 4 kB costs as much as reading what lies there: rows of a node
// are scattered over all of a table. Pages of 2 MB make that cheap, where the system has them.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace coterie {

template <class T>
struct PageAllocator {
    using value_type = T;

    PageAllocator() = default;
    template <class Other>
    PageAllocator(const PageAllocator<Other>&) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
        void* found = ::operator new(bytes, std::align_val_t{kPage});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        // Advice: if it cannot be followed, nothing is lost.
        (void)madvise(found, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(found);
    }
    void deallocate(T* held, std::size_t count) {
        if (count * sizeof(T) < kPage) return ::operator delete(held);
        ::operator delete(held, std::align_val_t{kPage});
    }
    template <class Other>
    bool operator==(const PageAllocator<Other>&) const {
        return true;
    }

  private:
    static constexpr std::size_t kPage = std::size_t{1} << 21;
};

template <class T>
using Pages = std::vector<T, PageAllocator<T>>;

// The same without clearing what is about to be written.
template <class T>
struct BarePageAllocator : PageAllocator<T> {
    template <class Other>
    struct rebind {
        using other = BarePageAllocator<Other>;
    };

    BarePageAllocator() = default;
    template <class Other>
    BarePageAllocator(const BarePageAllocator<Other>&) {}

    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
};

template <class T>
using BarePages = std::vector<T, BarePageAllocator<T>>;

}  // namespace coterie
